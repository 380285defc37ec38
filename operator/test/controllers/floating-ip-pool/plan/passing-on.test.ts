import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../../src/clock.js";
import type { ModelCloud } from "../support/model-cloud.js";
import { cluster, settled } from "../support/pool-plans.js";

describe("the created addresses of a pool that another one gets", () => {
  function stepsOfDeletion(cloud: ModelCloud) {
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    const steps = cloud.plan("web").sequences.flatMap((sequence) => sequence.steps);
    return steps.filter(({ actions: [first] }) => first?.do === "pass-on");
  }

  it("are why a pool with Retain gets a finalizer, which says so", () => {
    const cloud = settled(cluster(["n1"], { desiredIPs: 1 }));
    const [ip = ""] = cloud.addresses.keys();
    const armed = () =>
      cloud.plan("web").sequences.flatMap((sequence) => sequence.steps.flatMap(({ actions }) => actions));
    expect(armed().map((action) => action.do)).to.not.include("add-finalizer");
    cloud.addPool("other", { ips: [ip] });
    const why = armed().find((action) => action.do === "add-finalizer")?.why;
    expect(why).to.equal(`when the pool is deleted, the operator passes ${ip} on to the resource that lists it`);
  });

  it("pass on each for itself: what one waits for holds up no other", () => {
    const cloud = settled(cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete" }));
    const ips = [...cloud.addresses.keys()];
    cloud.addPool("other", { ips });
    const steps = stepsOfDeletion(cloud);
    expect(steps.map(({ retryKey, actions: all }) => [retryKey, all.map((action) => action.do)])).to.deep.equal(
      ips.map((ip) => [`entry ${ip}`, ["pass-on", "annotate-pool", "forget-created"]]),
    );
  });

  it("are those of the other one from its deletion on, also one that it needed no more", () => {
    const cloud = settled(cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete" }));
    const ips = [...cloud.addresses.keys()];
    cloud.addPool("other", { ips });
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, desiredIPs: 1 } });
    expect(stepsOfDeletion(cloud).map(({ actions: [first] }) => first?.why)).to.deep.equal(
      ips.map((ip) => `${ip} belongs to FloatingIPPool default/other from now on, which lists it`),
    );
  });
});
