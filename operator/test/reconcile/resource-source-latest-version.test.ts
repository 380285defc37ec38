import { expect } from "chai";
import { describe, it } from "mocha";
import type { KubeObject } from "../../src/kube/objects.js";
import { LatestVersion } from "../../src/reconcile/object-writer.js";
import { OWN_WRITE_MS } from "../../src/timings.js";
import { FakeClock } from "../support/time/fake-clock.js";

function version(resourceVersion: string, uid = "u"): KubeObject {
  return { metadata: { name: "a", uid, resourceVersion } };
}

describe("the newest version of an object", () => {
  it("is our own last write until the cache has caught up", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("7"), version("9"));
    latestVersion.wrote(version("9"), version("12"));
    for (const stale of ["7", "9", "11"]) expect(latestVersion.of(version(stale))).to.deep.equal(version("12"));
    expect(latestVersion.of(version("13"))).to.deep.equal(version("13"));
    expect(latestVersion.of(version("12"))).to.deep.equal(version("12"));
  });

  it("is the cached version again when the cache has not caught up within the bound", async () => {
    for (const [before, after, cached] of [
      ["7", "9", "7"],
      ["x1", "x2", "x1"],
    ] as const) {
      const clock = new FakeClock();
      const latestVersion = new LatestVersion<KubeObject>(clock);
      latestVersion.wrote(version(before), version(after));
      await clock.advance(OWN_WRITE_MS - 1);
      expect(latestVersion.of(version(cached))).to.deep.equal(version(after));
      expect(latestVersion.untilCachedMs(version(cached))).to.equal(1);
      await clock.advance(1);
      expect(latestVersion.untilCachedMs(version(cached))).to.equal(undefined);
      expect(latestVersion.of(version(cached))).to.deep.equal(version(cached));
    }
  });

  it("is gone with the object, and another object of the name is none of ours", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("7"), version("9"));
    expect(latestVersion.of(undefined)).to.equal(undefined);
    expect(latestVersion.of(version("8", "other"))).to.deep.equal(version("8", "other"));
  });

  it("does not go by versions that were replaced before the cache had caught up", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("x1"), version("x2"));
    latestVersion.of(version("x2"));
    latestVersion.of(version("x3"));
    latestVersion.wrote(version("x3"), version("x4"));
    expect(latestVersion.of(version("x1"))).to.deep.equal(version("x1"));
  });

  it("goes by what was replaced where versions are no numbers", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("x1"), version("x2"));
    expect(latestVersion.of(version("x1"))).to.deep.equal(version("x2"));
    expect(latestVersion.of(version("x0"))).to.deep.equal(version("x0"));
  });
});
