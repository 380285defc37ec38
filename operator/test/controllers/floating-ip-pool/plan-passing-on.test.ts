import { expect } from "chai";
import { describe, it } from "mocha";
import { timestamp } from "../../../src/clock.js";
import { cluster } from "./support/pool-plans.js";

describe("the created addresses of a pool that another one gets", () => {
  it("pass on each for itself: what one waits for holds up no other", () => {
    const cloud = cluster(["n1", "n2"], { desiredIPs: 2, reclaimPolicy: "Delete" });
    for (let round = 0; round < 10; round++) cloud.run("web");
    const ips = [...cloud.addresses.keys()];
    cloud.addPool("other", { ips });
    const { metadata } = cloud.pool("web");
    cloud.edit("web", { metadata: { ...metadata, deletionTimestamp: timestamp(cloud.now) } });
    const { sequences } = cloud.plan("web");
    const steps = sequences
      .flatMap((sequence) => sequence.steps)
      .filter(({ actions: [first] }) => first?.do === "pass-on");
    expect(steps.map(({ retryKey, actions: all }) => [retryKey, all.map((action) => action.do)])).to.deep.equal(
      ips.map((ip) => [`entry ${ip}`, ["pass-on", "annotate-pool", "forget-created"]]),
    );
  });
});
