import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { WorldOptions } from "../world.js";

const ORDERS = 6;
const CLASS = "shared";
const FLAGS = { "issuer-namespaces": "default" };

const PARTS = {
  service: { apiVersion: "v1", kind: "Service", name: "web", namespace: "default" },
  secret: { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" },
  issuer: { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", name: "do", namespace: "default" },
  class: { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: CLASS },
  routed: { apiVersion: GROUP_VERSION, kind: "RoutedIP", name: "a", namespace: "default" },
} as const;
type Part = keyof typeof PARTS;

/** An address that was created with the token of a Secret, through a class, and is ready. */
async function withAll(options: WorldOptions): Promise<RoutedWorld> {
  const made = await RoutedWorld.create(["n1"], { ...options, flags: FLAGS });
  const { kubernetes, digitalocean } = made.world;
  const data = { token: Buffer.from(digitalocean.token).toString("base64") };
  kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "default" }, data });
  made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" }, routedIPReclaimPolicy: "Delete" });
  kubernetes.create({
    ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: CLASS } },
    spec: { issuerRef: { name: "do", namespace: "default" } },
  });
  made.addRouted("a", { className: CLASS });
  made.serve({ node: "n1" });
  return made;
}

function exists(made: RoutedWorld, part: Part): boolean {
  return made.world.kubernetes.get(PARTS[part]) !== undefined;
}

async function deleteIn(order: readonly Part[], apartMs: number): Promise<void> {
  const made = await withAll({});
  const { kubernetes, digitalocean, clock } = made.world;
  try {
    made.world.start();
    await made.ready("a");
    for (const part of order) {
      kubernetes.delete(PARTS[part]);
      await clock.sleep(apartMs);
    }
    await made.until(`all gone after ${order}`, () => order.every((part) => !exists(made, part)));
    expect(digitalocean.state.addresses(), "addresses").to.be.empty;
    expect(made.firewall(), "firewall").to.equal(undefined);
    expect(made.taints("n1"), "taints").to.be.empty;
  } finally {
    await made.close();
  }
}

describe("operator in process: a RoutedIP goes", function () {
  this.timeout(300_000);

  it("with all that it needs, in any order, and leaves nothing behind", async () => {
    const any = fc.record({
      order: fc.shuffledSubarray(Object.keys(PARTS) as Part[], { minLength: 5 }),
      apartMs: fc.constantFrom(0, 50, 2000),
    });
    await Promise.all(fc.sample(any, ORDERS).map(({ order, apartMs }) => deleteIn(order, apartMs)));
  });

  it("after the deadline, where a restart has lost its token, and says what stays", async () => {
    const made = await withAll({});
    const { kubernetes, digitalocean, clock } = made.world;
    try {
      const first = made.world.start();
      await made.ready("a");
      const ip = made.status("a").routedIP ?? "";
      await first.stop();
      for (const part of Object.keys(PARTS) as Part[]) kubernetes.delete(PARTS[part]);
      const deletedAt = clock.now();
      made.world.start();
      await made.until("gone", () => !exists(made, "routed"));
      expect(clock.now() - deletedAt).to.be.at.least(3_600_000 - 1000);
      await made.until("the others, too", () => (["issuer", "class"] as const).every((part) => !exists(made, part)));
      await made.until("an Event reports it", () => made.world.events("CleanupAbandoned").length > 0);
      const notes = made.world.events("CleanupAbandoned").map((event) => `${event["message"] ?? event["note"]}`);
      expect(notes.join("\n")).to.include(ip).and.to.include("firewall ingress");
      expect(made.taints("n1"), "what needs no token is cleaned up").to.be.empty;
      expect(digitalocean.state.addresses().map((address) => address.ip)).to.deep.equal([ip]);
    } finally {
      await made.close();
    }
  });
});
