import { type Condition, GROUP_VERSION, HOLDER_LABEL_PREFIX, HOLDER_LABEL_VALUE } from "cdk8s-flipop/api";
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
const RECORDS = { zone: "example.com", recordName: "web", provider: "digitalocean", ttl: 30 };
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

  it("and its label that stayed on a node goes later, when nothing has removed it at the time", async () => {
    const made = await RoutedWorld.create([]);
    try {
      const label = `${HOLDER_LABEL_PREFIX}rip.default.gone`;
      made.world.addNode("n1", { labels: { [label]: HOLDER_LABEL_VALUE } });
      made.world.start();
      const labels = () => made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "n1" })?.metadata.labels;
      await made.until("it is gone", () => labels()?.[label] === undefined);
    } finally {
      await made.close();
    }
  });

  /** The conditions of RoutedIP a as the status has them, without repetition, until the RoutedIP is gone. */
  async function saidUntilGone(made: RoutedWorld): Promise<readonly Condition[]> {
    const said = new Map<string, Condition>();
    await made.until("gone", () => {
      const { conditions = [] } = made.status("a");
      for (const each of conditions) said.set(`${each.type} ${each.status} ${each.message}`, each);
      return !exists(made, "routed");
    });
    return [...said.values()];
  }

  /** A RoutedIP with a created address of the operator's account is ready on n1, and is deleted then. */
  async function deleted(spec: object, before: (made: RoutedWorld) => void = () => undefined) {
    const made = await RoutedWorld.create(["n1"], { speed: 10 });
    try {
      made.addIssuer({ routedIPReclaimPolicy: "Delete", allowedZones: ["example.com"] });
      made.addRouted("a", spec);
      made.serve({ node: "n1" });
      made.world.start();
      await made.ready("a");
      await made.until("all conditions are True", () => made.condition("a", "Ready") === "True/Observed");
      before(made);
      made.world.kubernetes.delete(PARTS.routed);
      // The status of the moment before the deletion stays until the operator has seen it.
      await made.until("seen", () => made.condition("a", "Ready") !== "True/Observed" || !exists(made, "routed"));
      made.serve();
      return await saidUntilGone(made);
    } finally {
      await made.close();
    }
  }

  const DELETIONS: Readonly<Record<string, [object, (made: RoutedWorld) => void, RegExp]>> = {
    "an action that ends errored": [
      {},
      ({ world }) => world.digitalocean.state.failActions({ times: 4 }),
      /until the operator has removed address [\d.]+.*: the provider's action failed/,
    ],
    "a release that the cloud refuses": [
      {},
      ({ world: { digitalocean } }) =>
        digitalocean.faults.inject({ kind: "status", status: 500 }, { on: /^DELETE .*reserved_ips/, times: 6 }),
      /until the operator has removed address [\d.]+.*: .*500/,
    ],
    "the TTL of its records": [
      { dnsRecordSet: { ...RECORDS, deletionPolicy: "Delete" } },
      () => undefined,
      /until the operator has removed address [\d.]+.*the address and its ports stay as they are until 20.*records/,
    ],
  };
  for (const [what, [spec, before, text]] of Object.entries(DELETIONS)) {
    it(`says in Ready that its deletion waits for ${what}, and never that it serves or lacks a node`, async () => {
      const said = await deleted(spec, before);
      const ready = said.filter(({ type }) => type === "Ready");
      expect(ready.map(({ status, message }) => `${status} ${message}`).join("\n")).to.match(text);
      for (const { status, message } of ready) {
        expect(`${status} ${message}`).to.match(/^False .*(the deletion (waits|ends)|finalizer)/);
      }
      expect(said.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).to.include(
        "FirewallReady Unknown UnderWay",
      );
      const misleading = said.filter(({ reason }) => ["NoCandidate", "NotObserved"].includes(reason));
      expect(misleading.map(({ type, message }) => `${type}: ${message}`)).to.deep.equal([]);
      expect(said.filter(({ type, status }) => type === "Reconciling" && status !== "True")).to.deep.equal([]);
    });
  }

  /** @returns the changes of records, address and firewall after the deletion of a RoutedIP with a record set. */
  async function deletedWithRecords(policy: "Delete" | "Retain") {
    const made = await RoutedWorld.create(["n1"], { speed: 60 });
    const { kubernetes, digitalocean } = made.world;
    try {
      made.addIssuer({ routedIPReclaimPolicy: policy });
      made.addRouted("a", { dnsRecordSet: { ...RECORDS, deletionPolicy: "Delete" } });
      made.serve({ node: "n1" });
      made.world.start();
      await made.ready("a");
      await made.until("the records", () => digitalocean.state.dns.records("example.com", "web").length === 1);
      const after = digitalocean.journal.mark;
      kubernetes.delete(PARTS.routed);
      await made.until("gone", () => !exists(made, "routed"));
      if (policy === "Delete") await made.until("the Event", () => made.world.events("Released").length > 0);
      expect(made.world.events("Forgotten")).to.be.empty;
      const firstOf = (part: string) =>
        digitalocean.journal.calls({ mutating: true, after }).find(({ path }) => path.includes(part))?.at ?? 0;
      const changes = digitalocean.journal.calls({ mutating: true, after, on: /\/(domains|reserved_ips)\// });
      return { changes, records: firstOf("/domains/"), firewall: firstOf("/firewalls/") };
    } finally {
      await made.close();
    }
  }

  it("waits for the TTL of its records once, before the address leaves its node, and reports the release once", async () => {
    const { changes } = await deletedWithRecords("Delete");
    const [records = 0, unassign = 0, release = 0] = changes.slice(-3).map(({ at }) => at);
    expect((unassign - records) / 1000).to.be.at.least(RECORDS.ttl);
    expect((release - unassign) / 1000, `${changes.map(({ path }) => path)}`).to.be.below(RECORDS.ttl / 2);
  });

  for (const policy of ["Delete", "Retain"] as const) {
    it(`keeps its ports open under ${policy} until resolvers no longer have the address`, async () => {
      const { records, firewall } = await deletedWithRecords(policy);
      expect((firewall - records) / 1000).to.be.at.least(RECORDS.ttl);
    });
  }

  it("and keeps no other RoutedIP of the account from being Ready while its release fails", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], { speed: 10 });
    const { kubernetes, digitalocean, clock } = made.world;
    try {
      made.addIssuer({ routedIPReclaimPolicy: "Delete" });
      made.addRouted("a");
      made.addRouted("b");
      made.serve({ node: "n1" }, { node: "n2" });
      made.world.start();
      await Promise.all(["a", "b"].map((name) => made.ready(name)));
      const { routedIP } = made.status("a");
      const on = new RegExp(`^DELETE .*/${routedIP?.replaceAll(".", "[.]")}`);
      const fault = digitalocean.faults.inject({ kind: "status", status: 500 }, { on, times: Infinity });
      kubernetes.delete(PARTS.routed);
      const seen = new Set<string>();
      const until = clock.now() + 60_000;
      await made.until("three tries of the release", () => {
        seen.add(made.condition("b", "Ready"));
        return fault.fired >= 3 && clock.now() > until;
      });
      expect([...seen]).to.deep.equal(["True/Observed"]);
      digitalocean.faults.clear();
      await made.until("gone", () => !exists(made, "routed"));
    } finally {
      await made.close();
    }
  });
});
