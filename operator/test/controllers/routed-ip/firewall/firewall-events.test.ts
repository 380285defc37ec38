import { expect } from "chai";
import { describe, it } from "mocha";
import { eventsOf } from "../../../../src/controllers/routed-ip/events.js";
import type { FirewallRuleFacts } from "../../../../src/providers/firewall-types.js";

describe("the Event of a change of a firewall", () => {
  it("shows from where a rule lets in, unless it is everywhere", () => {
    const rule = (...sources: readonly string[]): FirewallRuleFacts => ({
      ...{ protocol: "udp", ports: "5060", sources, otherSources: false },
    });
    const change = {
      ...{ id: "1", name: "voice", addNodes: [], removeNodes: [] },
      ...{ addRules: [rule("0.0.0.0/0", "::/0")], removeRules: [rule("192.0.2.0/24", "203.0.113.0/24")] },
    };
    const action = { do: "change-firewall", change, why: "the reason" };
    const results = [{ action, outcome: { is: "done" } }] as unknown as Parameters<typeof eventsOf>[1]["results"];
    const { now = [] } = eventsOf({ verdictOf: () => undefined }, { results } as Parameters<typeof eventsOf>[1]);
    expect(now.map(({ note }) => note)).to.deep.equal([
      'firewall "voice": udp 5060 added; udp 5060 from 192.0.2.0/24, 203.0.113.0/24 removed: the reason',
    ]);
  });
});
