import type { RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { FIREWALL, RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

/** Machines that one firewall of the provider takes. */
const PER_FIREWALL = 10;

describe("operator in process: a full firewall", function () {
  this.timeout(180_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  function nodeNames(count: number): readonly string[] {
    return Array.from({ length: count }, (_, index) => `n${index}`);
  }

  /** So many RoutedIPs of one issuer, each with a node of its own and a port that needs a rule. */
  async function start(count: number, spare: readonly string[], issuer: object = {}) {
    const nodes = nodeNames(count);
    made = await RoutedWorld.create([...nodes, ...spare]);
    made.addIssuer(issuer);
    for (const node of nodes) {
      const ports = [{ port: 443, targetPort: 443, nodePort: 443, protocol: "TCP" }];
      made.addService(node, { type: "NodePort", ports });
      made.serveAs(node, node);
      const { ip } = made.world.digitalocean.state.addAddress();
      made.addRouted(`of-${node}`, { serviceRef: { serviceName: node }, routedIP: ip });
    }
    return { nodes, running: made.world.start() };
  }

  it("lets ten RoutedIPs of one issuer fail over: the failed node leaves it before the new one joins", async () => {
    const { nodes } = await start(PER_FIREWALL, ["spare"]);
    for (const node of nodes) await made.ready(`of-${node}`);
    expect(made.firewall()?.nodes).to.have.length(PER_FIREWALL);
    await made.world.rest();
    const after = made.world.digitalocean.journal.mark;
    made.world.setReady("n3", false);
    made.serveAs("n3", "spare");
    await made.until("moved", () => made.nodeOf("of-n3") === "spare");
    await made.ready("of-n3");
    const calls = made.world.digitalocean.journal.calls({ mutating: true, after }).map(({ method, path }) => {
      return `${method} ${path.includes("/firewalls/") ? "firewall" : "address"}`;
    });
    expect(calls).to.deep.equal(["DELETE firewall", "POST firewall", "POST address"]);
    expect(made.firewall()?.nodes).to.include("spare").and.not.include("n3");
    expect(made.world.events("FirewallFull")).to.deep.equal([]);
  });

  function additional(): readonly string[] {
    const status = (made.object("do", "RoutedIPIssuer")?.["status"] ?? {}) as RoutedIPIssuerStatus;
    return (status.additionalFirewalls ?? []).map(({ name }) => name);
  }

  function portsOf(name: string): readonly string[] {
    const { inbound = [] } = made.world.digitalocean.state.firewalls.byName(name)?.config ?? {};
    return inbound.map(({ ports }) => `${ports}`);
  }

  function machinesIn(name: string): number {
    return made.world.digitalocean.state.firewalls.byName(name)?.config.dropletIds.length ?? 0;
  }

  it("gets an additional one with the same rules when all its nodes serve, found after a restart, removed when empty", async () => {
    const { nodes, running } = await start(2 * PER_FIREWALL + 1, []);
    for (const node of nodes) await made.ready(`of-${node}`);
    expect([FIREWALL, `${FIREWALL}-2`, `${FIREWALL}-3`].map(machinesIn)).to.deep.equal([10, 10, 1]);
    expect(portsOf(`${FIREWALL}-2`)).to.deep.equal(portsOf(FIREWALL));
    expect(additional()).to.deep.equal([`${FIREWALL}-2`, `${FIREWALL}-3`]);
    await made.world.rest();
    await running.stop();
    made.world.start();
    await made.world.rest();
    expect(additional()).to.deep.equal([`${FIREWALL}-2`, `${FIREWALL}-3`]);
    // Which nodes got into the first one depends on the order of their starts.
    const [kept = ""] = made.firewall()?.nodes ?? [];
    for (const node of nodes) if (node !== kept) made.world.kubernetes.delete(made.refTo(`of-${node}`));
    await made.until("the additional ones are gone", () => additional().length === 0);
    expect([`${FIREWALL}-2`, `${FIREWALL}-3`].map(machinesIn)).to.deep.equal([0, 0]);
    expect(made.world.digitalocean.state.firewalls.byName(`${FIREWALL}-2`)).to.equal(undefined);
    expect(machinesIn(FIREWALL)).to.equal(1);
  });

  it("moves no address to a node whose ports are still closed, however many start at once", async () => {
    const nodes = nodeNames(2 * PER_FIREWALL + 1);
    made = await RoutedWorld.create(nodes);
    made.addIssuer();
    for (const [index, node] of nodes.entries()) {
      const port = 8000 + index;
      made.addService(node, { ports: [{ port, targetPort: port, nodePort: port, protocol: "TCP" }], type: "NodePort" });
      made.serveAs(node, node);
      const { ip } = made.world.digitalocean.state.addAddress();
      made.addRouted(`of-${node}`, { serviceRef: { serviceName: node }, routedIP: ip });
    }
    const closed: string[] = [];
    const { state, journal } = made.world.digitalocean;
    journal.subscribe(({ route, body }) => {
      if (route !== "POST /v2/reserved_ips/{reserved_ip}/actions") return;
      const { droplet_id: id = 0 } = body as { readonly droplet_id?: number };
      const { name = "" } = state.droplet(id) ?? {};
      const port = `${8000 + nodes.indexOf(name)}`;
      const ours = state.firewalls.all().filter(({ config }) => config.name.startsWith(FIREWALL));
      const isOpen = ours.some(
        ({ config }) => config.dropletIds.includes(id) && config.inbound.some(({ ports }) => ports === port),
      );
      if (!isOpen) closed.push(name);
    });
    made.world.start();
    for (const node of nodes) await made.ready(`of-${node}`);
    expect(journal.count({ on: "POST /v2/reserved_ips/{reserved_ip}/actions" })).to.be.at.least(nodes.length);
    expect(closed).to.deep.equal([]);
  });

  describe("with an additional one", () => {
    const SECOND = `${FIREWALL}-2`;

    async function extended(issuer: object = {}) {
      const { nodes } = await start(PER_FIREWALL + 1, [], issuer);
      for (const node of nodes) await made.ready(`of-${node}`);
      expect([FIREWALL, SECOND].map(machinesIn)).to.deep.equal([PER_FIREWALL, 1]);
      await made.world.rest();
      return nodes;
    }

    it("opens a new port in both, and closes an old one in both", async () => {
      await extended();
      const ports = [{ port: 8443, targetPort: 8443, nodePort: 8443, protocol: "TCP" }];
      const ref = { apiVersion: "v1", kind: "Service", namespace: "default", name: "n1" };
      made.world.kubernetes.change(ref, (object) => ({ ...object, spec: { ...(object["spec"] as object), ports } }));
      await made.until("the port is open", () => portsOf(SECOND).includes("8443"));
      await made.ready("of-n1");
      expect([...portsOf(SECOND)].sort()).to.deep.equal([...portsOf(FIREWALL)].sort());
    });

    it("opens all ports in the firewall that its issuer names then, and in an additional one, before it leaves these", async () => {
      const nodes = await extended();
      const { state, journal } = made.world.digitalocean;
      const ids = nodes.map((name) => made.world.droplet(name).id);
      const closed = new Set<number>();
      const end = journal.subscribe(() => {
        const ours = state.firewalls.all().filter(({ config }) => /^(ingress|next)/.test(config.name));
        const open = ours.filter(({ config }) => config.inbound.some(({ ports }) => `${ports}` === "443"));
        for (const id of ids) if (!open.some(({ config }) => config.dropletIds.includes(id))) closed.add(id);
      });
      made.world.kubernetes.change(made.refTo("do", "RoutedIPIssuer"), (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), routedIPFirewallName: "next" },
      }));
      await made.until("all are in the next ones", () => machinesIn("next") + machinesIn("next-2") === nodes.length);
      await made.until("only those are left", () => additional().join() === "next-2" && machinesIn(FIREWALL) === 0);
      for (const node of nodes) await made.ready(`of-${node}`);
      end();
      expect([...closed]).to.deep.equal([]);
      expect([portsOf(FIREWALL), portsOf("next"), portsOf("next-2")]).to.deep.equal([[], ["443"], ["443"]]);
      expect(state.firewalls.byName(SECOND), "the additional one of the previous name is gone").to.equal(undefined);
    });

    it("puts back the rule that a person removes from it, and the firewall that a person deletes", async () => {
      const nodes = await extended();
      const { firewalls } = made.world.digitalocean.state;
      const { id = "" } = firewalls.byName(SECOND) ?? {};
      const rules = portsOf(FIREWALL);
      firewalls.change(id, { inbound: [] });
      await made.until("the rule is back", () => portsOf(SECOND).length === rules.length);
      firewalls.remove(id);
      await made.until("it is back", () => machinesIn(SECOND) === 1);
      for (const node of nodes) await made.ready(`of-${node}`);
      expect(firewalls.byName(SECOND)?.id).not.to.equal(id);
      expect(additional()).to.deep.equal([SECOND]);
    });

    for (const policy of ["Delete", "Retain"] as const) {
      it(`removes it with the issuer under ${policy}`, async () => {
        const nodes = await extended({ routedIPReclaimPolicy: policy });
        made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
        for (const node of nodes) made.world.kubernetes.delete(made.refTo(`of-${node}`));
        await made.until("the issuer is gone", () => made.object("do", "RoutedIPIssuer") === undefined);
        expect(made.world.digitalocean.state.firewalls.byName(SECOND)).to.equal(undefined);
        expect(made.firewall() === undefined, "the first one").to.equal(policy === "Delete");
        expect(made.world.events("CleanupAbandoned")).to.deep.equal([]);
      });
    }
  });

  it("keeps a port open whose clients change while it has no room, and says which other port does not fit", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst({ serviceRef: { serviceName: "web" } });
    await made.world.rest();
    const { state, journal } = made.world.digitalocean;
    const { id = "", config } = state.firewalls.byName(FIREWALL) ?? {};
    const { inbound = [], outbound = [] } = config ?? {};
    const [own] = inbound;
    if (own === undefined) throw new Error("the test needs the rule of the operator");
    const partners = Array.from({ length: 50 - inbound.length - outbound.length }, (_, index) => ({
      ...own,
      ...{ ports: "22", target: { ...own.target, addresses: [`192.0.2.${index}/32`] } },
    }));
    state.firewalls.change(id, { inbound: [...inbound, ...partners] });
    const seen: string[] = [];
    const end = journal.subscribe(({ method, route }) => {
      const rules = state.firewalls.byName(FIREWALL)?.config.inbound ?? [];
      const open = rules.some(({ ports }) => `${ports}` === "443") ? "open" : "closed";
      if (route?.endsWith("/rules")) seen.push(`${method} leaves it ${open}`);
    });
    const ref = { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" };
    const ports = [443, 8443].map((port) => ({ name: `p${port}`, port, targetPort: port, protocol: "TCP" }));
    made.world.kubernetes.change(ref, (object) => ({
      ...object,
      spec: {
        ...(object["spec"] as object),
        ...{ type: "NodePort", loadBalancerSourceRanges: ["198.51.100.0/24"] },
        ports: ports.map((each) => ({ ...each, nodePort: each.port })),
      },
    }));
    await made.until("the new clients get through", () => {
      const rules = state.firewalls.byName(FIREWALL)?.config.inbound ?? [];
      return JSON.stringify(rules).includes("198.51.100.0/24");
    });
    await made.world.rest();
    end();
    expect(portsOf(FIREWALL).filter((each) => each !== "22")).to.deep.equal(["443"]);
    expect(seen.slice(-2), "one follows the other").to.deep.equal(["DELETE leaves it closed", "POST leaves it open"]);
    expect(seen.filter((call) => call.endsWith("closed"))).to.have.length(1);
    const { reason, message } = made.status("a").conditions?.find(({ type }) => type === "FirewallReady") ?? {};
    expect(reason).to.equal("FirewallFull");
    expect(message).to.include("has no room for 8443/TCP").and.include("443/TCP");
  });

  it("says FirewallFull with the remedy where the operator may not create another one", async () => {
    const { nodes } = await start(PER_FIREWALL, []);
    for (const node of nodes) await made.ready(`of-${node}`);
    made.world.digitalocean.faults.inject(
      { kind: "status", status: 403 },
      { on: "POST /v2/firewalls", times: Number.POSITIVE_INFINITY },
    );
    made.addNode("late");
    made.addService("late", {
      type: "NodePort",
      ports: [{ port: 443, targetPort: 443, nodePort: 443, protocol: "TCP" }],
    });
    made.serveAs("late", "late");
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addRouted("of-late", { serviceRef: { serviceName: "late" }, routedIP: ip });
    await made.until("full", () => made.condition("of-late", "FirewallReady") === "False/FirewallFull");
    const { message } = made.status("of-late").conditions?.find(({ type }) => type === "FirewallReady") ?? {};
    expect(message).to.contain("give the token the right to create firewalls");
    for (const node of nodes) expect(made.condition(`of-${node}`, "FirewallReady")).to.equal("True/Observed");
    expect(additional()).to.deep.equal([]);
    made.world.digitalocean.faults.clear();
    await made.ready("of-late");
    expect(additional()).to.deep.equal([`${FIREWALL}-2`]);
  });
});
