import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import type { SlimNode } from "../../src/kube/cache/slim-objects.js";
import { inPreference, newerFirst } from "../../src/match/node-preference.js";
import { facts, taint } from "./cluster.js";

function order(nodes: Readonly<Record<string, Partial<SlimNode>>>, preference: "Stable" | "Name" = "Stable") {
  const all = Object.entries(nodes).map(([name, more]) => facts(name, more));
  return inPreference(all, preference).map(({ name }) => name);
}

describe("the order of waiting candidates", () => {
  it("puts nodes last that are cordoned or about to be removed, even newer ones", () => {
    const newer = { kubeletVersion: "v1.33.0" };
    const leaving = [
      "ToBeDeletedByClusterAutoscaler",
      "DeletionCandidateOfClusterAutoscaler",
      "karpenter.sh/disrupted",
      "karpenter.sh/disruption",
    ];
    const nodes = leaving.map((key, at) => [`b${at}`, { ...newer, taints: [taint(key)] }] as const);
    const rest = { a: { ...newer, unschedulable: true }, z: {} };
    expect(order({ ...rest, ...Object.fromEntries(nodes) })).to.deep.equal(["z", "a", "b0", "b1", "b2", "b3"]);
  });

  it("prefers the newest kubelet, then the youngest node, then the name", () => {
    const nodes = {
      d: { kubeletVersion: "v1.9.0", creationTimestamp: "2025-06-01T00:00:00Z" },
      c: { kubeletVersion: "v1.10.0" },
      b: { kubeletVersion: "v1.10.0" },
      a: { kubeletVersion: "v1.10.0", creationTimestamp: "2024-06-01T00:00:00Z" },
    };
    expect(order(nodes)).to.deep.equal(["b", "c", "a", "d"]);
  });

  it("is by name alone where that is asked for", () => {
    expect(order({ b: { kubeletVersion: "v1.99.0" }, a: { unschedulable: true } }, "Name")).to.deep.equal(["a", "b"]);
  });

  it("does not depend on the order of arrival", () => {
    const node = fc.record({
      kubeletVersion: fc.constantFrom("v1.9.0", "v1.10.0", "v1.10.0-rc.1", "v1.10.0+k3s2", "v1.10.0-eks-1a2b", "", "?"),
      creationTimestamp: fc.constantFrom("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"),
      unschedulable: fc.boolean(),
    });
    const nodes = fc.array(node, { maxLength: 7 }).chain((list) => {
      const all = list.map((more, at) => facts(`n${at}`, more));
      return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
    });
    fc.assert(
      fc.property(nodes, ([all, shuffled]) => {
        expect(inPreference(shuffled, "Stable")).to.deep.equal(inPreference(all, "Stable"));
      }),
    );
  });
});

describe("kubelet versions", () => {
  const rising = [
    "",
    "1.9",
    "v1.31.9",
    "v1.32.0-alpha.3",
    "v1.32.0-beta.1",
    "v1.32.0-rc.1",
    "v1.32.0-rc.2",
    "v1.32.0",
    "v1.32.0-gke.0",
    "v1.32.0-gke.99",
    "v1.32.0-gke.1014001",
    "v1.32.1+k3s1",
    "v1.32.1+k3s2",
    "v1.32.10",
    "v2.0.0",
  ];
  it("compare by number, pre-releases before their release, build numbers last", () => {
    for (const [at, older] of rising.entries()) {
      for (const newer of rising.slice(at + 1)) {
        expect(newerFirst(newer, older), `${newer} is newer than ${older}`).to.be.lessThan(0);
        expect(newerFirst(older, newer), `${older} is older than ${newer}`).to.be.greaterThan(0);
      }
    }
  });

  it("are alike where only a vendor's hash differs, or where neither is a version", () => {
    expect(newerFirst("v1.30.4-eks-a737599", "v1.30.4-eks-036c24b")).to.equal(0);
    expect(newerFirst("unknown", "")).to.equal(0);
  });
});
