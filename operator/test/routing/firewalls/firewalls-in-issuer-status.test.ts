import { expect } from "chai";
import { describe, it } from "mocha";
import { withCreated, withoutCreated } from "../../../src/routing/firewalls/firewalls-in-issuer-status.js";

describe("the firewalls that the operator created for an issuer", () => {
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, id: `id-${name}`, createdTime: "2025-01-01T00:00:00Z" }));
  if (a === undefined || b === undefined || c === undefined) throw new Error("no firewalls");

  it("are those of earlier names, the oldest first, and the one of the name now", () => {
    expect(withCreated({}, a)).to.deep.equal({ createdFirewall: a, formerFirewalls: undefined });
    expect(withCreated({ createdFirewall: b, formerFirewalls: [a] }, c)).to.deep.equal({
      ...{ createdFirewall: c, formerFirewalls: [a, b] },
    });
  });

  it("have one of each name: the id of one that is created replaces its intent, and an earlier name comes back", () => {
    const intent = { ...b, id: "" };
    expect(withCreated({ createdFirewall: intent, formerFirewalls: [a] }, b)).to.deep.equal({
      ...{ createdFirewall: b, formerFirewalls: [a] },
    });
    expect(withCreated({ createdFirewall: b, formerFirewalls: [a] }, a)).to.deep.equal({
      ...{ createdFirewall: a, formerFirewalls: [b] },
    });
  });

  it("lose the one that is removed, and no other", () => {
    const records = { createdFirewall: c, formerFirewalls: [a, b] };
    expect(withoutCreated(records, "a")).to.deep.equal({ createdFirewall: c, formerFirewalls: [b] });
    expect(withoutCreated(records, "c")).to.deep.equal({ createdFirewall: undefined, formerFirewalls: [a, b] });
    expect(withoutCreated({ createdFirewall: c, formerFirewalls: [a] }, "a")).to.deep.equal({
      ...{ createdFirewall: c, formerFirewalls: undefined },
    });
  });
});
