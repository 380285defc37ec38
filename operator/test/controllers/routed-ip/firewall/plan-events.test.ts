import { expect } from "chai";
import { describe, it } from "mocha";
import { eventsOf } from "../../../../src/controllers/routed-ip/events.js";
import type { FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";

/** Of actions that are done. */
function notesOf(...actions: readonly object[]): readonly string[] {
  const results = actions.map((action) => ({ action, outcome: { is: "done" } })) as unknown;
  const { now = [] } = eventsOf({ verdictOf: () => undefined }, { results } as Parameters<typeof eventsOf>[1]);
  return now.map(({ note }) => note);
}

describe("the Event of a record set", () => {
  it("says which records stay of one that the spec has no more", () => {
    const left = { recordName: "www", zone: "example.com", provider: "digitalocean", types: ["A"] };
    const forget = { do: "record-dns", written: undefined, why: "spec.dnsRecordSet is gone; the records stay" };
    const [note, ...more] = notesOf({ ...forget, left: { ...left, values: ["203.0.113.7"] } });
    expect(note).to.contain("www").and.contain("203.0.113.7");
    expect(more).to.deep.equal([]);
    expect(notesOf({ ...forget, left: { ...left, values: [] } }, forget), "none stay").to.deep.equal([]);
  });
});

describe("the Event of a change of a firewall", () => {
  it("shows from where a rule lets in, unless it is everywhere", () => {
    const rule = (...sources: readonly string[]): FirewallRuleFacts => ({
      ...{ protocol: "udp", ports: "5060", sources, otherSources: false },
    });
    const change = {
      ...{ id: "1", name: "voice", addNodes: [], removeNodes: [] },
      ...{ addRules: [rule("0.0.0.0/0", "::/0")], removeRules: [rule("192.0.2.0/24", "203.0.113.0/24")] },
    };
    expect(notesOf({ do: "change-firewall", change, why: "the reason" })).to.deep.equal([
      'firewall "voice": udp 5060 added; udp 5060 from 192.0.2.0/24, 203.0.113.0/24 removed: the reason',
    ]);
  });

  it("names what somebody else had removed, and says how to close a port", () => {
    const rule = { protocol: "tcp", ports: "8443", sources: ["0.0.0.0/0"], otherSources: false } as const;
    const change = { id: "1", name: "voice", addRules: [], removeRules: [], addNodes: [], removeNodes: [] };
    const [ofRule = "", ofNode = ""] = notesOf(
      { do: "change-firewall", change: { ...change, addRules: [rule] }, restoredRules: [rule], why: "the reason" },
      {
        do: "change-firewall",
        change: { ...change, addNodes: ["cloud://a"] },
        restoredNodes: ["cloud://a"],
        why: "the reason",
      },
    );
    expect(ofRule).to.include("somebody else has probably removed or changed tcp 8443");
    expect(ofRule).to.include("loadBalancerSourceRanges").and.to.include("allowedPorts");
    expect(ofNode).to.include("somebody else had removed cloud://a");
  });
});
