import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { SECOND_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

/** A corrected Secret is in use after this. */
const CORRECTION_MS = 5 * SECOND_MS;
/** Longer than the first pauses after a failure, so that a correction ends a long pause. */
const TROUBLE_MS = 10 * 60 * SECOND_MS;
const SECRET = { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" };

describe("operator in process: changes and corrections of RoutedIPs", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  function data(token: string) {
    return { token: Buffer.from(token).toString("base64") };
  }

  /** Time passes slowly until the operator has noticed. @returns when, by the clock of the world. */
  function rotate(token: string): number {
    const { kubernetes, clock, digitalocean } = made.world;
    digitalocean.tokens.add({ name: token, secret: token });
    clock.asked();
    const at = clock.now();
    kubernetes.change(SECRET, (object) => ({ ...object, data: data(token) }));
    return at;
  }

  /** ms after `at`: when each change of the account was asked for. */
  function changesAfter(at: number): readonly number[] {
    return made.world.digitalocean.journal
      .calls({ mutating: true })
      .filter((call) => call.at >= at)
      .map((call) => call.at - at);
  }

  async function start(token: string): Promise<void> {
    made = await RoutedWorld.create(["n1", "n2"], { flags: { "issuer-namespaces": "default" } });
    const { name, namespace, ...kind } = SECRET;
    made.world.kubernetes.create({ ...kind, metadata: { name, namespace }, data: data(token) });
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" } });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
  }

  it("uses a corrected Secret within 5 s, though the wrong token was refused for minutes", async () => {
    await start("dop_v1_wrong");
    await made.until("refused", () => made.condition("a", "Accepted") === "False/Unauthorized");
    await made.world.clock.sleep(TROUBLE_MS);
    const at = rotate("dop_v1_right");
    await made.ready("a");
    const [firewall, address] = changesAfter(at);
    expect(firewall).to.be.at.most(CORRECTION_MS);
    expect(address).to.be.at.most(CORRECTION_MS);
  });

  it("uses a corrected Secret within 5 s for a move that waits, and for its firewall", async () => {
    await start("dop_v1_first");
    made.world.digitalocean.tokens.add({ name: "first", secret: "dop_v1_first" });
    await made.ready("a");
    made.world.digitalocean.tokens.revoke("dop_v1_first");
    made.serve({ node: "n2" });
    await made.until("refused", () => /Unauthorized/.test(made.condition("a", "FirewallReady")));
    await made.world.clock.sleep(TROUBLE_MS);
    const at = rotate("dop_v1_second");
    await made.ready("a");
    expect(made.nodeOf("a")).to.equal("n2");
    const [firewall, assign] = changesAfter(at);
    expect(firewall).to.be.at.most(CORRECTION_MS);
    expect(assign).to.be.at.most(CORRECTION_MS);
  });

  it("says that a Secret is missing once it is deleted, though its token was refused before", async () => {
    await start("dop_v1_wrong");
    await made.until("refused", () => made.condition("a", "Accepted") === "False/Unauthorized");
    await made.world.clock.sleep(TROUBLE_MS);
    made.world.clock.asked();
    const at = made.world.clock.now();
    made.world.kubernetes.delete(SECRET);
    await made.until("missing", () => made.condition("a", "Accepted") === "False/SecretNotFound");
    expect(made.world.clock.now() - at).to.be.at.most(CORRECTION_MS);
  });

  it("uses a Secret within 5 s that appears late", async () => {
    await start("dop_v1_gone");
    made.world.kubernetes.delete(SECRET);
    await made.until("missing", () => made.condition("a", "Accepted") === "False/SecretNotFound");
    await made.world.clock.sleep(TROUBLE_MS);
    const { name, namespace, ...kind } = SECRET;
    made.world.digitalocean.tokens.add({ name: "late", secret: "dop_v1_late" });
    made.world.clock.asked();
    const at = made.world.clock.now();
    made.world.kubernetes.create({ ...kind, metadata: { name, namespace }, data: data("dop_v1_late") });
    await made.ready("a");
    expect(changesAfter(at)[0]).to.be.at.most(CORRECTION_MS);
  });

  it("says in a condition that a Service has more ports than a status can list, and serves the others", async () => {
    made = await RoutedWorld.create(["n1"]);
    const ports = Array.from({ length: 300 }, (_, index) => ({
      ...{ name: `p${index}`, port: 20_000 + index, targetPort: 443, nodePort: 30_000 + index, protocol: "TCP" },
    }));
    made.addService("wide", { type: "NodePort", ports });
    made.serveAs("wide", "n1");
    made.addIssuer();
    made.addRouted("a", { serviceRef: { serviceName: "wide" } });
    made.world.start();
    await made.until("unsuitable", () => made.condition("a", "Accepted") === "False/ServiceUnsuitable");
    const { message } = made.status("a").conditions?.find(({ type }) => type === "Accepted") ?? {};
    expect(message).to.contain("300").and.to.contain("256");
    await made.until("assigned", () => made.nodeOf("a") === "n1");
    expect(made.status("a").ports).to.have.length(256);
  });

  for (const [flags, seconds] of [
    [{}, 600],
    [{ "drift-interval": "120" }, 120],
  ] as const) {
    it(`restores a record that a person edits within the drift interval of ${seconds} s, by one read of the name`, async () => {
      made = await RoutedWorld.create(["n1"], { flags });
      const { clock, digitalocean } = made.world;
      const { ip } = digitalocean.state.addAddress();
      made.addIssuer();
      made.addRouted("a", { routedIP: ip, dnsRecordSet: { zone: "example.com", recordName: "app.example.com" } });
      made.serve({ node: "n1" });
      made.world.start();
      await made.until("published", () => made.condition("a", "DNSReady").startsWith("True"));
      await made.world.rest();
      const mark = digitalocean.journal.mark;
      const { dns } = digitalocean.state;
      const valuesOf = () => dns.records("example.com", "app").map((each) => each.data);
      const [record] = dns.records("example.com", "app");
      const edited = clock.now();
      dns.removeRecord("example.com", record?.id ?? 0);
      dns.addRecord("example.com", { type: "A", name: "app", data: "192.0.2.99" });
      await made.until("restored", () => valuesOf().join() === ip);
      const [change] = digitalocean.journal.calls({ mutating: true, after: mark });
      expect((change?.at ?? 0) - edited).to.be.at.most(seconds * SECOND_MS);
      const reads = digitalocean.journal.calls({ after: mark, on: /^GET .*\/records/ });
      expect(reads.every(({ query }) => query.get("name") === "app.example.com")).to.equal(true);
      expect(reads.length).to.be.at.most(2);
    });
  }

  it("leave the ports open in a firewall that the issuer ceases to name, until the RoutedIP is deleted", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => {
      const { routedIPFirewallName: _former, ...spec } = object["spec"] as Record<string, unknown>;
      return { ...object, spec };
    });
    await made.until("it says so", () => made.condition("a", "FirewallReady") === "True/NoFirewall");
    made.serve({ node: "n2" });
    await made.until("moved", () => made.nodeOf("a") === "n2");
    await made.world.rest();
    expect(made.firewall()).to.deep.equal({ nodes: ["n1"], ports: ["443"] });
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("cleaned up", () => made.firewall()?.nodes.length === 0 && made.firewall()?.ports.length === 0);
  });
});
