import { GROUP_VERSION, type RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const SECRET = { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" };
const PARTS = [
  { apiVersion: "v1", kind: "Service", name: "web", namespace: "default" },
  SECRET,
  { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", name: "do", namespace: "default" },
  { apiVersion: GROUP_VERSION, kind: "RoutedIP", name: "a", namespace: "default" },
];

/** A created address, ready with the token of a Secret, which the cloud refuses from now on. */
async function withRefusedToken(): Promise<{ readonly made: RoutedWorld; readonly stop: () => Promise<unknown> }> {
  const made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default" } });
  const { kubernetes, digitalocean } = made.world;
  const data = { token: Buffer.from(digitalocean.token).toString("base64") };
  kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "default" }, data });
  made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" }, routedIPReclaimPolicy: "Delete" });
  made.addRouted("a");
  made.serve({ node: "n1" });
  const operator = made.world.start();
  await made.ready("a");
  digitalocean.faults.inject({ kind: "status", status: 401 }, { on: /./, times: Infinity });
  return { made, stop: () => operator.stop() };
}

function said(made: RoutedWorld, name: string, kind: "RoutedIP" | "RoutedIPIssuer"): readonly string[] {
  const { conditions = [] } = (made.object(name, kind)?.["status"] ?? {}) as RoutedIPStatus;
  return conditions.map(({ type, message }) => `${type}: ${message}`);
}

function ready(made: RoutedWorld, name: string, kind: "RoutedIP" | "RoutedIPIssuer"): string {
  return said(made, name, kind).find((text) => text.startsWith("Ready: ")) ?? "";
}

describe("operator in process: a namespace is deleted while the cloud refuses the token of its issuer", function () {
  this.timeout(300_000);

  for (const isRestarted of [false, true]) {
    it(`the messages say what the deletions wait for, ${isRestarted ? "also after a restart" : "with the last token"}`, async () => {
      const { made, stop } = await withRefusedToken();
      try {
        const ip = made.status("a").routedIP ?? "";
        if (isRestarted) await stop();
        for (const part of PARTS) made.world.kubernetes.delete(part);
        if (isRestarted) made.world.start();
        const cause = isRestarted ? "Secret default/do does not exist" : "401";
        await made.until("both say it", () => {
          const texts = [ready(made, "a", "RoutedIP"), ready(made, "do", "RoutedIPIssuer")];
          return texts.every((text) => text.includes("the deletion waits") && text.includes(cause));
        });
        const own = ready(made, "a", "RoutedIP");
        for (const part of [`address ${ip}`, "in firewall ingress", "Secret default/do", "/cleanup of this resource"]) {
          expect(own).to.include(part);
        }
        for (const text of [own, ready(made, "do", "RoutedIPIssuer")]) {
          expect(text.split("; fix: "), `one cause, one remedy: ${text}`).to.have.length(2);
        }
        expect(ready(made, "do", "RoutedIPIssuer")).to.include("no RoutedIP uses the issuer (default/a)");
        const all = [...said(made, "a", "RoutedIP"), ...said(made, "do", "RoutedIPIssuer")];
        expect(all.filter((text) => /create it|Service/.test(text))).to.deep.equal([]);
      } finally {
        await made.close();
      }
    });
  }

  it("the deletion ends as soon as the Secret, which still exists, has a token that the cloud accepts", async () => {
    const { made } = await withRefusedToken();
    const { kubernetes, digitalocean } = made.world;
    try {
      for (const part of PARTS) if (part !== SECRET) kubernetes.delete(part);
      await made.until("it waits", () => ready(made, "a", "RoutedIP").includes("the deletion waits"));
      digitalocean.faults.clear();
      kubernetes.change(SECRET, (object) => ({
        ...object,
        data: { token: Buffer.from(`${digitalocean.token}\n`).toString("base64") },
      }));
      await made.until("all gone", () => PARTS.every((part) => part === SECRET || kubernetes.get(part) === undefined));
      expect(digitalocean.state.addresses()).to.deep.equal([]);
    } finally {
      await made.close();
    }
  });
});
