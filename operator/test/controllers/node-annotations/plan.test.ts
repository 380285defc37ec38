import { expect } from "chai";
import { describe, it } from "mocha";
import type { AnnotationFacts } from "../../../src/controllers/node-annotations/gather.js";
import { plan } from "../../../src/controllers/node-annotations/plan.js";

const NOW = 1_000_000;
const FACTS: AnnotationFacts = { family: "IPv4", ip: "203.0.113.7", claimed: false, place: "elsewhere" };

function removed(facts: Partial<AnnotationFacts>): readonly string[] {
  const { sequences } = plan({ node: "n1", now: NOW, annotations: [{ ...FACTS, ...facts }], leftMarks: [] });
  return sequences.flatMap(({ steps }) => steps.flatMap(({ actions }) => actions.map((action) => action.do)));
}

describe("the plan for address annotations of a node", () => {
  it("removes the annotation of an owner that is gone, wherever the address is", () => {
    expect(removed({ owner: "gone", claimed: true, place: "on the node" })).to.deep.equal(["remove-annotation"]);
  });

  it("leaves the annotation of an owner that exists, and that of one out of sight unless the address is elsewhere", () => {
    expect(removed({ owner: "exists" })).to.deep.equal([]);
    const unseen = { owner: "out of sight", claimed: true } as const;
    expect(removed({ ...unseen, place: "on the node" })).to.deep.equal([]);
    expect(removed({ ...unseen, place: "unknown" })).to.deep.equal([]);
    expect(removed({ ...unseen, place: "elsewhere" })).to.deep.equal(["remove-annotation"]);
    const { place: _place, ...unasked } = FACTS;
    const made = plan({ node: "n1", now: NOW, annotations: [{ ...unasked, ...unseen }], leftMarks: [] });
    expect(made.sequences, "no provider can say it").to.deep.equal([]);
  });

  it("removes an annotation without owner where the provider shows the address elsewhere", () => {
    expect(removed({})).to.deep.equal(["remove-annotation"]);
    expect(removed({ place: "on the node" })).to.deep.equal([]);
  });

  it("leaves an annotation whose address a resource claims", () => {
    expect(removed({ claimed: true })).to.deep.equal([]);
  });

  it("looks again where the account cannot be read, and removes nothing", () => {
    const made = plan({ node: "n1", now: NOW, annotations: [{ ...FACTS, place: "unknown" }], leftMarks: [] });
    expect(made.sequences).to.deep.equal([]);
    expect(made.requeueAt).to.equal(NOW + 30_000);
  });

  it("decides on each family by itself", () => {
    const ipv6 = { ...FACTS, family: "IPv6", ip: "2001:db8::7", owner: "gone" } as const;
    const annotations = [{ ...FACTS, claimed: true }, ipv6];
    const { sequences } = plan({ node: "n1", now: NOW, annotations, leftMarks: [] });
    expect(sequences.map(({ lockKey }) => lockKey)).to.deep.equal(["annotation IPv6"]);
  });

  it("removes labels and taints whose resources are gone, each by itself", () => {
    const leftMarks = ["holder-of-a", "until-assigned-a"];
    const { sequences, explanation } = plan({ node: "n1", now: NOW, annotations: [], leftMarks });
    expect(sequences.map(({ lockKey }) => lockKey)).to.deep.equal(leftMarks);
    expect(explanation).to.include("until-assigned-a: no resource has this label or taint");
  });
});
