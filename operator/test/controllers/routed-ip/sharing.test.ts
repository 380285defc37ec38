import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { omitUndefined } from "../../../src/values.js";
import { RoutedWorld } from "./routed-world.js";

const routedRef = (name: string) => ({ apiVersion: GROUP_VERSION, kind: "RoutedIP", name, namespace: "default" });

describe("operator in process: RoutedIPs and what they share", function () {
  this.timeout(180_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("an address that a pool has stays the pool's", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.world.addPool("pool", { ips: [ip] });
    made.world.start();
    await made.world.fulfilled("pool");
    const holder = made.world.holder(ip);
    made.addIssuer();
    made.addRouted("a", { routedIP: ip });
    made.serve({ node: "n1" }, { node: "n2" });
    await made.until("conflict", () => made.condition("a", "Conflict") === "True/ClaimedByOther");
    await made.world.rest();
    expect(made.world.holder(ip)).to.equal(holder);
    expect(made.firewall()).to.equal(undefined);
  });

  const claimants: readonly (readonly [string, string])[] = [
    ["a RoutedIP", "firewall"],
    ["a FloatingIPPool", "pool"],
  ];
  for (const [owner, kind] of claimants) {
    it(`an address of ${owner} stalls another RoutedIP, though its node serves the same Service`, async () => {
      made = await RoutedWorld.create(["n1"]);
      const { ip } = made.world.digitalocean.state.addAddress();
      made.addIssuer();
      made.serve({ node: "n1" });
      if (kind === "pool") made.world.addPool("pool", { ips: [ip] });
      else made.addRouted("a", { routedIP: ip });
      made.world.start();
      await (kind === "pool" ? made.world.fulfilled("pool") : made.ready("a"));
      const dnsRecordSet = { recordName: "c", zone: "example.com" };
      made.addRouted("c", { routedIP: ip, dnsRecordSet });
      await made.until("it stalls", () => made.condition("c", "Stalled") === "True/ClaimedByOther", 10_000);
      await made.world.rest();
      for (const type of ["Ready", "Assigned"]) {
        expect(made.condition("c", type), type).to.equal("False/ClaimedByOther");
      }
      expect(made.condition("c", "DNSReady")).to.equal("False/NoneActive");
      expect(made.status("c")).not.to.have.any.keys("firewall", "firewallRules", "ports", "assignedNode");
      expect(made.object("c")?.metadata.finalizers ?? []).to.deep.equal([]);
    });
  }

  it("a node that has a pool's address is full", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const [pooled, routed] = [1, 2].map(() => made.world.digitalocean.state.addAddress().ip) as [string, string];
    made.world.addPool("pool", { ips: [pooled] });
    made.world.start();
    await made.world.fulfilled("pool");
    made.addIssuer();
    made.addRouted("a", { routedIP: routed });
    made.serve({ node: "n1" }, { node: "n2" });
    await made.ready("a");
    expect(made.world.holder(routed)).not.to.equal(made.world.holder(pooled));
  });

  const limits: readonly (readonly [reason: string, quota: number | undefined, maxCreatedAddresses: number])[] = [
    ["CreationNotAllowed", undefined, 1],
    ["QuotaExceeded", 1, 9],
  ];
  for (const [reason, quota, maxCreatedAddresses] of limits) {
    it(`an older RoutedIP that gets no address (${reason}) keeps no node from one that fails over`, async () => {
      made = await RoutedWorld.create(["n1", "n2"], omitUndefined({ quota }));
      made.addIssuer({ routedIPFirewallName: undefined, region: undefined });
      for (const name of ["old", "young"]) {
        made.addService(name);
        made.addRouted(name, { serviceRef: { serviceName: name } });
      }
      made.serveAs("young", "n1");
      made.world.start({ "tenant-limits": JSON.stringify({ maxCreatedAddresses }) });
      await made.ready("young", 10_000);
      made.serveAs("old", "n2");
      await made.until("the limit", () => made.condition("old", "Ready") === `False/${reason}`, 10_000);
      made.serveAs("young", "n2");
      await made.until("the move", () => made.nodeOf("young") === "n2", 10_000);
    });
  }

  it("a RoutedIP whose address is of another region keeps no node from a younger one", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { state } = made.world.digitalocean;
    made.addIssuer({ routedIPFirewallName: undefined });
    for (const name of ["old", "young"]) {
      made.addService(name);
      made.serveAs(name, "n1");
    }
    const { ip } = state.addAddress({ region: "sfo3" });
    made.addRouted("old", { serviceRef: { serviceName: "old" }, routedIP: ip });
    made.world.start();
    await made.until("it is refused", () => made.condition("old", "Ready") === "False/WrongRegion", 10_000);
    made.addRouted("young", { serviceRef: { serviceName: "young" }, routedIP: state.addAddress().ip });
    await made.ready("young", 10_000);
    made.addNode("n2");
    made.serveAs("old", "n2");
    made.serveAs("young", "n2");
    await made.until("it fails over", () => made.nodeOf("young") === "n2", 10_000);
  });

  it("a pool keeps as many nodes of a region as it has addresses there", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { state } = made.world.digitalocean;
    const [wrong, right, next] = [{ region: "sfo3" }, {}, {}].map((at) => state.addAddress(at).ip) as [
      string,
      string,
      string,
    ];
    made.addIssuer({ routedIPFirewallName: undefined });
    made.world.addPool("old", { ips: [wrong, right, next], assignmentCoolOffSeconds: 3600 });
    made.world.start();
    await made.until("the cool-off begins", () => made.world.holder(right) !== undefined, 10_000);
    made.addNode("n2");
    made.addNode("n3");
    made.addService("young");
    made.serveAs("young", "n2", "n3");
    made.addRouted("young", { serviceRef: { serviceName: "young" }, routedIP: state.addAddress().ip });
    await made.ready("young", 10_000);
  });

  const freed: readonly (readonly [string, () => void])[] = [
    ["moves away", () => made.serveAs("first", "n2")],
    ["is released", () => made.world.kubernetes.delete(routedRef("first"))],
  ];
  for (const [how, free] of freed) {
    it(`a node whose address ${how} goes to a RoutedIP that waits for it, without a pause`, async () => {
      made = await RoutedWorld.create(["n1", "n2"]);
      const { clock } = made.world;
      made.addIssuer({ routedIPFirewallName: undefined, routedIPReclaimPolicy: "Delete" });
      for (const name of ["first", "waiting"]) {
        made.addService(name);
        made.serveAs(name, "n1");
      }
      made.addRouted("first", { serviceRef: { serviceName: "first" } });
      made.world.start();
      await made.ready("first");
      const { ip } = made.world.digitalocean.state.addAddress();
      made.addRouted("waiting", { serviceRef: { serviceName: "waiting" }, routedIP: ip });
      await made.until("it waits", () => made.condition("waiting", "Ready") === "False/NoCandidate");
      await made.world.rest();
      const at = clock.now();
      free();
      await made.until("the second has the node", () => made.nodeOf("waiting") === "n1");
      expect((clock.now() - at) / 1000, "seconds of the clock").to.be.below(20);
    });
  }

  it("a change of one of many costs calls for that one only", async () => {
    const nodes = Array.from({ length: 20 }, (_, index) => `n${index}`);
    made = await RoutedWorld.create(nodes);
    made.addIssuer({ routedIPFirewallName: undefined });
    for (const node of nodes.slice(0, 10)) {
      made.addService(node);
      made.serveAs(node, node);
      made.addRouted(`of-${node}`, {
        serviceRef: { serviceName: node },
        routedIP: made.world.digitalocean.state.addAddress().ip,
      });
    }
    made.world.start();
    for (const node of nodes.slice(0, 10)) await made.ready(`of-${node}`);
    await made.world.rest();
    const before = made.world.digitalocean.journal.calls({ mutating: true }).length;
    made.serveAs("n3", "n15");
    await made.until("moved", () => made.nodeOf("of-n3") === "n15");
    await made.world.rest();
    const calls = made.world.digitalocean.journal.calls({ mutating: true }).slice(before);
    expect(calls.map(({ path }) => path)).to.deep.equal([`/v2/reserved_ips/${made.status("of-n3").routedIP}/actions`]);
  });
});
