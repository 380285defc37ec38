import type { HealthCheck } from "cdk8s-flipop/api";
import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import { StatusError } from "../../src/kube/client.js";
import { CONTROL_FAULT_MS, IDLE_PROBE_INTERVALS, MAX_LEASE_WATCHES, NODE_LEASE_SECONDS } from "../../src/timings.js";
import { CHECK, HealthRig, node, RENEW_MS } from "./health-rig.js";

const SILENT_MS = NODE_LEASE_SECONDS * 375;

describe("health checks of resources", () => {
  let rig: HealthRig;

  beforeEach(() => {
    rig = new HealthRig();
  });

  it("has no timer, watch or probe without a resource that asks for one", async () => {
    rig.resource.follow(undefined, { holders: [node("node-1")], others: [node("node-2")] });
    await rig.clock.advance(60_000);
    expect([rig.clock.pendingTimers, rig.probes.length, rig.open().length, rig.controls]).to.deep.equal([0, 0, 0, 0]);
  });

  it("leaves nothing behind when the resource is gone, or the process ends", async () => {
    rig.holder("node-1");
    await rig.live("node-1", 5_000);
    expect(rig.open()).to.deep.equal(["node-1"]);
    rig.resource.close();
    await rig.clock.advance(2_000);
    expect([rig.clock.pendingTimers, rig.open().length]).to.deep.equal([0, 0]);
    rig.checks.resource(() => undefined).follow(CHECK, { holders: [node("node-2")], others: [] });
    expect(rig.open()).to.deep.equal(["node-2"]);
    await rig.checks.close();
    expect([rig.clock.pendingTimers, rig.open().length]).to.deep.equal([0, 0]);
  });

  it("probes holders at each interval and others less often", async () => {
    rig.resource.follow(CHECK, { holders: [node("node-1")], others: [node("node-2")] });
    await rig.live("node-1", 20_000);
    const count = (host: string) => rig.probes.filter((probed) => probed === host).length;
    expect(count("10.0.0.1")).to.be.within(19, 21);
    expect(count("10.0.0.2")).to.be.within(20 / IDLE_PROBE_INTERVALS - 1, 20 / IDLE_PROBE_INTERVALS + 1);
  });

  it("probes the pod on a node, and the pod that replaces it", async () => {
    let pod: string | undefined = "10.1.0.1";
    const check: HealthCheck = { ...CHECK, address: "PodIP" };
    rig.resource.follow(check, { holders: [node("node-1")], others: [node("node-2")] }, (name) =>
      name === "node-1" ? pod : undefined,
    );
    await rig.live("node-1", 5_000);
    expect([...new Set(rig.probes)]).to.deep.equal(["10.1.0.1"]);
    rig.mute.add("10.1.0.1");
    pod = "10.1.0.9";
    await rig.live("node-1", 60_000);
    expect(rig.probes.at(-1)).to.equal("10.1.0.9");
    expect(rig.resource.failures(), "of the former pod").to.deep.equal([]);
  });

  it("finds a holder failed when its probes fail and its kubelet is silent, and not before", async () => {
    rig.holder("node-1");
    await rig.live("node-1", 30_000);
    rig.leases.get("node-1")?.renew(rig.clock.now());
    rig.mute.add("10.0.0.1");
    await rig.clock.advance(SILENT_MS - 1);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    expect(rig.resource.doubts()).to.deep.equal([]);
    await rig.clock.advance(1);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(
      "TCP 10.0.0.1:80: connection refused; the kubelet no longer renews its Lease",
    );
    expect(rig.changed).to.include("node-1");
  });

  it("doubts probes that a renewed Lease contradicts, however long they fail", async () => {
    rig.holder("node-1");
    await rig.live("node-1", 30_000);
    rig.mute.add("10.0.0.1");
    await rig.live("node-1", 600_000);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    expect(rig.resource.doubts()).to.deep.equal([
      { node: "node-1", doubt: "LeaseRenewed", detail: "TCP 10.0.0.1:80: connection refused" },
    ]);
    rig.mute.clear();
    await rig.live("node-1", 5_000);
    expect(rig.resource.doubts()).to.deep.equal([]);
  });

  it("does not take a short silence of the API server for silence of the kubelet, when two probes are lost then", async () => {
    rig.holder("node-1");
    await rig.live("node-1", 30_000);
    rig.leases.get("node-1")?.renew(rig.clock.now());
    await rig.clock.advance(RENEW_MS - 1_000);
    // Connections stay, and no byte passes: the kubelet cannot renew its Lease, either.
    rig.control = () =>
      rig.clock.sleep(1_000).then(() => {
        throw new Error("no answer within 1 s");
      });
    await rig.clock.advance(SILENT_MS - RENEW_MS - 1_000);
    rig.mute.add("10.0.0.1");
    await rig.clock.advance(2_500);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    // The API server is back before the kubelet tries again.
    rig.control = () => Promise.resolve({});
    await rig.clock.advance(CONTROL_FAULT_MS + 1_000);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
  });

  it("does not take an outage of the API server for silence of the kubelet", async () => {
    rig.holder("node-1");
    await rig.live("node-1", 30_000);
    rig.mute.add("10.0.0.1");
    rig.control = () => Promise.reject(new Error("connect ECONNREFUSED"));
    const lease = rig.leases.get("node-1");
    if (lease !== undefined) lease.connected = false;
    await rig.clock.advance(10 * SILENT_MS);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    expect(rig.resource.doubts()).to.deep.include({
      ...{ node: "node-1", doubt: "ControlProbeFailed" },
      detail: "TCP 10.0.0.1:80: connection refused",
    });
    // The server is back. The kubelets need a moment until they renew their Leases again.
    rig.control = () => Promise.resolve({});
    if (lease !== undefined) lease.connected = true;
    await rig.clock.advance(CONTROL_FAULT_MS + 2_000);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    await rig.live("node-1", 60_000);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
  });

  it("counts every answer of the API server, also a refusal", async () => {
    rig.holder("node-1");
    rig.control = () => Promise.reject(new StatusError({ code: 403, reason: "Forbidden", message: "no" } as never));
    rig.mute.add("10.0.0.1");
    rig.leases.get("node-1")?.renew(rig.clock.now());
    await rig.clock.advance(SILENT_MS + 2_000);
    expect(rig.controls).to.be.greaterThan(5);
    expect(rig.resource.failureOf(node("node-1"))).to.be.a("string");
  });

  it("relies on no probe while its own node does not answer, which says nothing about the kubelets of others", async () => {
    rig.holder("node-1");
    rig.ownNode = () => Promise.resolve(false);
    rig.mute.add("10.0.0.1");
    rig.leases.get("node-1")?.renew(rig.clock.now());
    await rig.clock.advance(SILENT_MS + 2_000);
    expect(rig.resource.failureOf(node("node-1"))).to.equal(undefined);
    expect(rig.resource.doubts().map(({ doubt }) => doubt)).to.deep.equal(["ControlProbeFailed"]);
    rig.ownNode = () => Promise.resolve(true);
    await rig.clock.advance(CONTROL_FAULT_MS + 1_000);
    expect(rig.resource.failureOf(node("node-1"))).to.include("no longer renews its Lease");
  });

  it("sends a control probe each second while it probes holders, and none otherwise", async () => {
    rig.resource.follow(CHECK, { holders: [], others: [node("node-2")] });
    await rig.clock.advance(30_000);
    expect(rig.controls).to.equal(0);
    rig.holder("node-1");
    await rig.live("node-1", 30_000);
    expect(rig.controls).to.be.within(29, 31);
  });

  it("watches the Leases of holders only, and no more than the limit", async () => {
    const many = Array.from({ length: MAX_LEASE_WATCHES + 20 }, (_, index) => node(`node-${index + 1}`));
    rig.resource.follow(CHECK, { holders: many, others: [node("node-500")] });
    expect(rig.open()).to.have.length(MAX_LEASE_WATCHES);
    expect(rig.open()).not.to.include("node-500");
    const last = node(`node-${MAX_LEASE_WATCHES + 20}`);
    rig.mute.add(last.addresses[0]?.address ?? "");
    await rig.clock.advance(3_000);
    expect(rig.open(), "a suspected node goes first").to.include(last.name);
    expect(rig.open()).to.have.length(MAX_LEASE_WATCHES);
    rig.resource.follow(CHECK, { holders: [node("node-1")], others: [] });
    await rig.clock.flush();
    expect(rig.open()).to.deep.equal(["node-1"]);
  });

  it("judges a node that got an address as a holder from the moment at which the decision sees it", async () => {
    rig.resource.markHolders([node("node-1")]);
    rig.resource.follow(CHECK, { holders: [node("node-1")], others: [node("node-2")] });
    await rig.live("node-1", 30_000);
    for (const host of ["10.0.0.1", "10.0.0.2"]) rig.mute.add(host);
    await rig.live("node-1", 30_000);
    expect(rig.resource.failureOf(node("node-2")), "as candidate").to.be.a("string");
    expect(rig.resource.failureOf(node("node-1")), "as holder").to.equal(undefined);
    rig.changed.length = 0;
    rig.resource.markHolders([node("node-2")]);
    expect(rig.resource.failureOf(node("node-2")), "as the new holder").to.equal(undefined);
    expect(rig.resource.failureOf(node("node-1")), "as the former holder").to.be.a("string");
    expect([...rig.changed].sort(), "the matches hear of it at once").to.deep.equal(["node-1", "node-2"]);
    rig.resource.follow(CHECK, { holders: [], others: [node("node-1")] });
    expect(rig.resource.failureOf(node("node-2")), "the next decision finds it as this one").to.equal(undefined);
  });

  it("leaves the goal of a move a holder, though it has no address yet", async () => {
    rig.resource.follow(CHECK, { holders: [node("node-1"), node("node-2")], others: [] });
    await rig.live("node-2", 30_000);
    rig.mute.add("10.0.0.2");
    await rig.live("node-2", 30_000);
    rig.resource.markHolders([node("node-1")]);
    expect(rig.resource.failureOf(node("node-2"))).to.equal(undefined);
  });
});
