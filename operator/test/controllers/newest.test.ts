import { expect } from "chai";
import { describe, it } from "mocha";
import { Newest } from "../../src/controllers/newest.js";
import type { KubeObject } from "../../src/kube/objects.js";

function version(resourceVersion: string, uid = "u"): KubeObject {
  return { metadata: { name: "a", uid, resourceVersion } };
}

describe("the newest version of an object", () => {
  it("is our own last write until the cache has caught up", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("7"), version("9"));
    newest.wrote(version("9"), version("12"));
    for (const stale of ["7", "9", "11"]) expect(newest.of(version(stale))).to.deep.equal(version("12"));
    expect(newest.of(version("13"))).to.deep.equal(version("13"));
    expect(newest.of(version("12"))).to.deep.equal(version("12"));
  });

  it("is gone with the object, and another object of the name is none of ours", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("7"), version("9"));
    expect(newest.of(undefined)).to.equal(undefined);
    expect(newest.of(version("8", "other"))).to.deep.equal(version("8", "other"));
  });

  it("does not go by versions that were replaced before the cache had caught up", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("x1"), version("x2"));
    newest.of(version("x2"));
    newest.of(version("x3"));
    newest.wrote(version("x3"), version("x4"));
    expect(newest.of(version("x1"))).to.deep.equal(version("x1"));
  });

  it("goes by what was replaced where versions are no numbers", () => {
    const newest = new Newest<KubeObject>();
    newest.wrote(version("x1"), version("x2"));
    expect(newest.of(version("x1"))).to.deep.equal(version("x2"));
    expect(newest.of(version("x0"))).to.deep.equal(version("x0"));
  });
});
