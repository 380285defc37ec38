import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { jsonEqual } from "../../../src/kube/objects.js";
import {
  type Condition,
  finalizerPatch,
  isObject,
  mergeConditions,
  mergePatch,
  nodeAnnotationPatch,
  ownAnnotationPatch,
  specPatch,
  statusPatch,
  taintPatch,
} from "../../../src/kube/write/patch.js";

const seen = (status: unknown) => ({ metadata: { resourceVersion: "7" }, status });

function condition(type: string, status: Condition["status"], time = "t1", message = ""): Condition {
  return { type, status, reason: "R", message, lastTransitionTime: time };
}

/** RFC 7386, as the server applies it. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = apply(result[key], value);
  }
  return result;
}

describe("merge patch", () => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.nat(3),
      fc.constantFrom("a", "b"),
      fc.array(fc.nat(2), { maxLength: 2 }),
      tie("object"),
    ),
    object: fc.dictionary(fc.constantFrom("x", "y", "z"), tie("value")),
  })).object;

  it("turns any object into any other, and is nothing where they are equal", () => {
    fc.assert(
      fc.property(json, json, (from, to) => {
        const patch = mergePatch(from, to);
        expect(patch === undefined).to.equal(jsonEqual(from, to));
        if (patch !== undefined) expect(apply(from, patch)).to.deep.equal(to);
      }),
    );
  });
});

describe("status patch", () => {
  it("sends our changed fields with the version, and null for vanished map keys", () => {
    const status = { ips: { "1.1.1.1": { state: "active", nodeName: "n" }, "2.2.2.2": {} }, error: "x", foreign: 1 };
    const desired = { ips: { "1.1.1.1": { state: "idle" }, "3.3.3.3": { state: "new" } }, error: undefined };
    expect(statusPatch(seen(status), desired)?.body).to.deep.equal({
      metadata: { resourceVersion: "7" },
      status: {
        ips: { "1.1.1.1": { state: "idle", nodeName: null }, "2.2.2.2": null, "3.3.3.3": { state: "new" } },
        error: null,
      },
    });
  });

  it("sends nothing where nothing has changed", () => {
    const status = { ips: { a: { state: "x" } }, conditions: [condition("Ready", "True")] };
    expect(statusPatch(seen(status), { ips: { a: { state: "x", error: undefined } } })).to.equal(undefined);
    expect(statusPatch(seen(status), { conditions: [condition("Ready", "True", "t9")] })).to.equal(undefined);
    expect(statusPatch(seen(undefined), { error: undefined })).to.equal(undefined);
  });

  it("merges conditions by type into the whole list and keeps those of others", () => {
    const before = [condition("Ready", "True"), condition("Foreign", "True"), condition("Old", "False")];
    const merged = mergeConditions(before, [condition("New", "True", "t2"), condition("Ready", "False", "t2")]);
    expect(merged).to.deep.equal([
      condition("Ready", "False", "t2"),
      condition("Foreign", "True"),
      condition("Old", "False"),
      condition("New", "True", "t2"),
    ]);
  });

  it("keeps the transition time while a condition's status stays", () => {
    const merged = mergeConditions(
      [condition("Ready", "True", "t1")],
      [condition("Ready", "True", "t2", "other words")],
    );
    expect(merged).to.deep.equal([condition("Ready", "True", "t1", "other words")]);
  });
});

describe("other patches", () => {
  it("spec: a list as a whole, with the version", () => {
    const object = { metadata: { resourceVersion: "7" }, spec: { ips: ["a"], desiredIPs: 2 } };
    expect(specPatch(object, { ips: ["a"] })).to.equal(undefined);
    expect(specPatch(object, { ips: ["a", "b"] })?.body).to.deep.equal({
      metadata: { resourceVersion: "7" },
      spec: { ips: ["a", "b"] },
    });
  });

  it("finalizers: one in, one out, the others untouched", () => {
    const object = { metadata: { resourceVersion: "7", finalizers: ["other"] } };
    expect(finalizerPatch(object, "ours", false)).to.equal(undefined);
    expect(finalizerPatch(object, "ours", true)?.body).to.deep.equal({
      metadata: { resourceVersion: "7", finalizers: ["other", "ours"] },
    });
    expect(finalizerPatch(object, "other", false)?.body).to.deep.equal({
      metadata: { resourceVersion: "7", finalizers: [] },
    });
  });

  it("annotations of our own kinds are guarded by version, those of nodes by uid", () => {
    const annotations = { a: "1", b: "2" };
    expect(
      ownAnnotationPatch({ metadata: { resourceVersion: "7", annotations } }, { a: "1", b: undefined })?.body,
    ).to.deep.equal({
      metadata: { resourceVersion: "7", annotations: { b: null } },
    });
    expect(nodeAnnotationPatch({ uid: "u", annotations }, { a: "3", b: "2", c: undefined })?.body).to.deep.equal({
      metadata: { uid: "u", annotations: { a: "3" } },
    });
    expect(nodeAnnotationPatch({ uid: "u", annotations }, { a: "1", c: undefined })).to.equal(undefined);
  });

  it("taints: tested as seen, then replaced as a whole", () => {
    const taint = { key: "k", effect: "NoSchedule", timeAdded: "t" };
    expect(taintPatch({ uid: "u", taints: [taint] }, [taint])).to.equal(undefined);
    expect(taintPatch({ uid: "u", taints: undefined }, [])).to.equal(undefined);
    expect(taintPatch({ uid: "u", taints: undefined }, [taint])?.body).to.deep.equal([
      { op: "test", path: "/metadata/uid", value: "u" },
      { op: "test", path: "/spec/taints", value: null },
      { op: "add", path: "/spec/taints", value: [taint] },
    ]);
  });
});
