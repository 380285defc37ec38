import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../controllers/routed-ip/routed-world.js";
import { until } from "../support/until.js";
import type { WorldOptions } from "./world.js";

const TAINT = "flipop.digitalocean.com/routed-ip";
const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const POLL = /^GET .*\/actions\/\d+$/;
const CREATE = /^POST \/v2\/reserved_ips$/;
const JOIN = /^POST \/v2\/firewalls\/[^/]+\/droplets$/;

type Lines = () => Promise<readonly string[]>;

async function untilLines(lines: Lines, test: (seen: readonly string[]) => boolean): Promise<void> {
  let seen: readonly string[] = [];
  const isSo = async () => {
    seen = await lines();
    return test(seen);
  };
  await until("the metrics are as they should be", isSo, 60_000).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${seen.filter((line) => !line.startsWith("flipop_providers_")).join("\n")}`);
  });
}

describe("operator in process: RoutedIP, whole", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** Nodes n1, n2, ... with one RoutedIP `a`, served and ready on n1. @returns its address. */
  const startReady = async (nodes: number, options: WorldOptions = {}, spec: object = {}): Promise<string> => {
    made = await RoutedWorld.create(
      Array.from({ length: nodes }, (_, index) => `n${index + 1}`),
      options,
    );
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, ...spec });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    return ip;
  };
  const settledOn = (node: string) =>
    made.until(`settled on ${node}`, () => {
      const { nodes = [], ports = [] } = made.firewall() ?? {};
      const others = made.world.kubernetes.list("v1", "Node").map(({ metadata }) => metadata.name);
      const tainted = others.filter((name) => made.taints(name).includes(TAINT));
      return made.nodeOf("a") === node && `${nodes} ${ports} ${tainted}` === `${node} 443 ${node}`;
    });

  it("leaves a node that fails, with firewall and taint", async () => {
    await startReady(2);
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
    made.world.setReady("n1", false);
    await settledOn("n2");
    await made.ready("a");
    expect(made.world.complaints).to.deep.equal([]);
  });

  it("tries another node at once when the elected one has no machine", async () => {
    made = await RoutedWorld.create(["n1", "n2", "n3"]);
    const { world } = made;
    made.addIssuer({ routedIPFirewallName: undefined });
    made.addRouted("a", { routedIP: world.digitalocean.state.addAddress().ip });
    made.serve({ node: "n1" });
    world.start();
    await made.ready("a");
    const refused = () => world.logs.filter((line) => line.includes("the provider has no machine")).length;
    world.digitalocean.state.deleteDroplet(world.droplet("n2").id);
    const failedAt = world.clock.now();
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" }, { node: "n3" });
    world.setReady("n1", false);
    await made.until("on n3", () => made.nodeOf("a") === "n3");
    expect(refused(), "the call that showed it").to.equal(1);
    expect(world.clock.now() - failedAt, "the slow retry schedule begins with 60 s").to.be.below(60_000);
  });

  it("puts back what a person takes away: the taint, and the node in the firewall", async () => {
    await startReady(1);
    made.world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: "n1" }, ({ spec, ...node }) => {
      const { taints: _taints, ...rest } = spec as { readonly taints?: unknown };
      return { ...node, spec: rest };
    });
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName("ingress")?.id ?? "", { dropletIds: [] });
    await settledOn("n1");
  });

  for (const [what, on] of [
    ["an assignment", ASSIGN],
    ["a node's joining the firewall", JOIN],
  ] as const) {
    it(`goes on when the answer to ${what} is lost`, async () => {
      await startReady(2);
      made.world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on });
      made.serve({ node: "n1", ready: false }, { node: "n2" });
      await settledOn("n2");
      await made.ready("a");
    });
  }

  it("lets an action run on that the cloud tells nothing of for a while", async () => {
    const ip = await startReady(2);
    const { digitalocean } = made.world;
    const unheard = digitalocean.faults.inject({ kind: "status", status: 400 }, { on: POLL, times: 2 });
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await settledOn("n2");
    await made.ready("a");
    expect(unheard.fired).to.equal(2);
    expect(made.world.events("AssignFailed")).to.deep.equal([]);
    expect(digitalocean.journal.calls({ mutating: true }).filter(({ path }) => path.includes(ip))).to.have.length(2);
  });

  for (const when of ["before", "after"] as const) {
    it(`makes one address when the answer to the creation is lost ${when} it was processed`, async () => {
      made = await RoutedWorld.create(["n1"]);
      made.world.digitalocean.faults.inject({ kind: "reset", when }, { on: CREATE });
      made.addIssuer();
      made.addRouted("a");
      made.serve({ node: "n1" });
      made.world.start();
      await made.ready("a");
      expect(made.world.digitalocean.state.addresses()).to.have.length(1);
      expect(made.status("a")).not.to.have.property("pendingCreation");
    });
  }

  it("opens new ports before it closes old ones, when the Service gets another one", async () => {
    await startReady(1);
    const { digitalocean } = made.world;
    const before = digitalocean.journal.mark;
    made.removePod("n1");
    made.addPod("n1", 8443);
    await made.until("the other port", () => made.firewall()?.ports.join() === "8443");
    const calls = digitalocean.journal.calls({ mutating: true, after: before }).map(({ method }) => method);
    expect(calls.lastIndexOf("DELETE"), `${calls}`).to.be.greaterThan(calls.indexOf("POST"));
  });

  it("opens another firewall before it leaves the former one", async () => {
    const ip = await startReady(1);
    const { digitalocean, kubernetes } = made.world;
    const { firewalls } = digitalocean.state;
    const [previous = "", next] = [firewalls.byName("ingress")?.id, firewalls.add({ name: "next" }).id];
    const machine = made.world.droplet("n1").id;
    const closed: string[] = [];
    const end = digitalocean.journal.subscribe(({ method, path }) => {
      const open = [previous, next].some((id) => {
        const { inbound, dropletIds } = firewalls.get(id).config;
        return dropletIds.includes(machine) && inbound.some(({ ports }) => `${ports}` === "443");
      });
      if (!open) closed.push(`${method} ${path}`);
    });
    kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), routedIPFirewallName: "next" },
    }));
    await made.until("in the next one", () => firewalls.get(next).config.dropletIds.includes(machine));
    await made.until("out of the former one", () => made.firewall()?.nodes.length === 0);
    await made.until("forgotten", () => made.status("a").previousFirewalls === undefined);
    end();
    expect(closed).to.deep.equal([]);
    expect(made.firewall()).to.deep.equal({ nodes: [], ports: [] });
    expect(firewalls.get(next).config.inbound.map(({ ports }) => `${ports}`)).to.deep.equal(["443"]);
    expect(made.status("a").firewall?.name).to.equal("next");
    expect(made.world.holder(ip)).to.equal(`digitalocean://${machine}`);
  });

  it("closes no port while a node is without a pod for a moment", async () => {
    await startReady(1);
    const { digitalocean } = made.world;
    const before = digitalocean.journal.mark;
    made.removePod("n1");
    await made.world.rest();
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    made.addPod("n1", 8443);
    await made.until("the other port", () => made.firewall()?.ports.join() === "8443");
    const calls = digitalocean.journal.calls({ mutating: true, after: before }).map(({ method }) => method);
    expect(calls).to.deep.equal(["POST", "DELETE"]);
  });

  it("says that no address is up only where nothing answers and nothing moves", async () => {
    const ip = await startReady(2, {}, { dnsRecordSet: { zone: "example.com", recordName: "www" } });
    const published = () => made.condition("a", "DNSReady").startsWith("True");
    await made.until("published", published);
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await settledOn("n2");
    await made.ready("a");
    made.serve({ node: "n2", ready: false });
    await made.until("nobody to move to", () => made.condition("a", "Assigned") === "True/NoCandidate");
    await made.world.rest();
    expect(made.world.events("KeptLastKnown"), "neither on its way nor while it answers").to.be.empty;
    expect(published()).to.equal(true);
    made.serve();
    await made.until("down", () => made.condition("a", "DNSReady") === "False/KeptLastKnown");
    await made.until("told", () => made.world.events("KeptLastKnown").length === 1);
    const { dns } = made.world.digitalocean.state;
    expect(dns.records("example.com", "www").map(({ data }) => data)).to.deep.equal([ip]);
  });

  it("says that the provider is out, and goes on when it is back", async () => {
    await startReady(2);
    const down = () => true;
    const outage = made.world.digitalocean.faults.inject(
      { kind: "status", status: 503 },
      { on: down, times: Infinity },
    );
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.until("told", () => made.condition("a", "Assigned") === "True/ProviderUnavailable");
    expect(made.condition("a", "Ready")).to.equal("False/ProviderUnavailable");
    expect(made.status("a").assignedNode).to.equal("n1");
    outage.cancel();
    await settledOn("n2");
    await made.ready("a");
  });

  it("goes on through a rotation of its token, and says what is wrong with one that is refused", async () => {
    made = await RoutedWorld.create(["n1", "n2"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes, digitalocean } = made.world;
    const secret = { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" };
    const data = (token: string) => ({ token: Buffer.from(token).toString("base64") });
    const rotate = (token: string) => kubernetes.change(secret, (object) => ({ ...object, data: data(token) }));
    digitalocean.tokens.add({ name: "first", secret: "dop_v1_first" });
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Secret", data: data("dop_v1_first") },
      metadata: { name: "do", namespace: "default" },
    });
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" } });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    digitalocean.tokens.revoke("dop_v1_first");
    rotate("dop_v1_wrong");
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.until("refused", () => made.condition("a", "Assigned") === "True/Unauthorized");
    await made.until("the issuer, too", () => made.condition("do", "Ready", "RoutedIPIssuer") === "False/Unauthorized");
    digitalocean.tokens.add({ name: "second", secret: "dop_v1_second" });
    rotate("dop_v1_second");
    await settledOn("n2");
    await made.ready("a");
    expect(digitalocean.state.addresses()).to.have.length(1);
    const last = digitalocean.journal.calls({ on: ASSIGN }).at(-1);
    expect(last?.caller).to.equal("second");
  });

  it("changes nothing while it is paused, and catches up afterwards", async () => {
    await startReady(2);
    const pause = (paused: boolean) =>
      made.world.kubernetes.change(made.refTo("a"), (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), paused },
      }));
    pause(true);
    await made.until("paused", () => made.condition("a", "Ready") === "True/Paused");
    const before = made.world.digitalocean.journal.calls({ mutating: true }).length;
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.world.rest();
    expect(made.world.digitalocean.journal.calls({ mutating: true })).to.have.length(before);
    pause(false);
    await settledOn("n2");
  });

  it("shows what it does in its metrics, and takes them away with itself", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    made.serve({ node: "n1" });
    const { operator } = made.world.start();
    await made.ready("a");
    made.world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: ASSIGN });
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await settledOn("n2");
    const conditions = ["Ready", "Assigned", "FirewallReady", "DNSReady"].map((type) => {
      return `flipop_resource_condition{kind="RoutedIP",namespace="default",name="a",type="${type}"} 1`;
    });
    const base = `namespace="default",name="a",provider="digitalocean",dns="www.example.com",ip="${ip}"`;
    const prefix = "flipop_routedipcontroller_ip";
    const wanted = [
      `${prefix}_assignments{${base}} 2`,
      `${prefix}_assignment_errors{${base}} 1`,
      `${prefix}_state{${base},state="active"} 1`,
      `${prefix}_node{${base},provider_id="${made.world.holder(ip)}",node="n2"} 1`,
      ...conditions,
    ];
    const lines = async () => (await operator.registry.text()).split("\n").filter((line) => line.includes('name="a"'));
    await untilLines(lines, (seen) => wanted.every((line) => seen.includes(line)));
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("gone", () => made.object("a") === undefined);
    await untilLines(lines, (seen) => seen.every((line) => line.startsWith("flipop_providers_")));
  });

  it("elects no node of another cloud", async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer();
    made.addRouted("a", { routedIP: made.world.digitalocean.state.addAddress().ip });
    made.world.kubernetes.create({
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: "other" } },
      spec: { providerID: "aws:///us-east-1a/i-0123456789abcdef0" },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    made.serve({ node: "other" });
    made.world.start();
    await made.until("nobody", () => made.condition("a", "Assigned") === "False/NoCandidate");
    made.serve({ node: "other" }, { node: "n1" });
    await made.ready("a");
    expect(made.world.digitalocean.journal.calls({ on: ASSIGN })).to.have.length(1);
  });
});
