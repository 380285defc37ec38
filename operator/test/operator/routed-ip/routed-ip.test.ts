import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const POLL = /^GET .*\/actions\/\d+$/;
const CREATE = /^POST \/v2\/reserved_ips$/;
const JOIN = /^POST \/v2\/firewalls\/[^/]+\/droplets$/;

describe("operator in process: RoutedIP, whole", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("leaves a node that fails, with firewall and taint", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
    made.world.setReady("n1", false);
    await made.settledOn("n2");
    await made.ready("a");
    expect(made.world.complaints).to.deep.equal([]);
  });

  it("serves on a node whose pods are not ready where the Service has publishNotReadyAddresses, and says so", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.serve({ node: "n1", serving: false }, { node: "n2", serving: false });
    const message = () => made.status("a").conditions?.find(({ type }) => type === "Assigned")?.message;
    await made.until("it says so", () => message()?.includes("publishNotReadyAddresses") === true);
    await made.world.rest();
    expect(made.condition("a", "Ready")).to.equal("True/Observed");
    expect(made.nodeOf("a"), "no reason to move").to.equal("n1");
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
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    made.world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: "n1" }, ({ spec, ...node }) => {
      const { taints: _taints, ...rest } = spec as { readonly taints?: unknown };
      return { ...node, spec: rest };
    });
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName("ingress")?.id ?? "", { dropletIds: [] });
    await made.settledOn("n1");
  });

  for (const [what, on] of [
    ["an assignment", ASSIGN],
    ["a node's joining the firewall", JOIN],
  ] as const) {
    it(`goes on when the answer to ${what} is lost`, async () => {
      made = await RoutedWorld.create(["n1", "n2"]);
      await made.readyOnFirst();
      made.world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on });
      made.serve({ node: "n1", ready: false }, { node: "n2" });
      await made.settledOn("n2");
      await made.ready("a");
    });
  }

  it("lets an action run on that the cloud does not show for a while", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const ip = await made.readyOnFirst();
    const { digitalocean } = made.world;
    const unheard = digitalocean.faults.inject({ kind: "status", status: 400 }, { on: POLL, times: 2 });
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.settledOn("n2");
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

  it("changes nothing while it is paused, and catches up afterwards", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    const pause = (paused: boolean) =>
      made.world.kubernetes.change(made.refTo("a"), (object) => ({
        ...object,
        spec: { ...(object["spec"] as object), paused },
      }));
    pause(true);
    await made.until("paused", () => made.condition("a", "Accepted") === "True/Paused");
    const notes = () => made?.world.events("Paused").map(({ type, note, message }) => `${type} ${note ?? message}`);
    await made.until("an Event of the pause", () => notes()?.length === 1);
    const before = made.world.digitalocean.journal.calls({ mutating: true }).length;
    made.serve({ node: "n2" });
    await made.until("the loss shows", () => made?.condition("a", "Ready") === "False/Paused");
    await made.until("an Event of the loss", () => notes()?.length === 2);
    expect(notes()?.[0]).to.match(/^Normal spec.paused is true, .*; fix: set spec.paused to false$/);
    expect(notes()?.[1]).to.match(/^Warning \S+ stays on n1 \(NoPod\), .*; fix: set spec.paused to false$/);
    await made.world.rest();
    expect(made.world.digitalocean.journal.calls({ mutating: true })).to.have.length(before);
    pause(false);
    await made.settledOn("n2");
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
    await made.until("no node is a candidate", () => made.condition("a", "Assigned") === "False/NoCandidate");
    made.serve({ node: "other" }, { node: "n1" });
    await made.ready("a");
    expect(made.world.digitalocean.journal.calls({ on: ASSIGN })).to.have.length(1);
  });
});
