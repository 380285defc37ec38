import { expect } from "chai";
import { describe, it } from "mocha";
import { creationMessages } from "../../src/messages/creation.js";
import { deletionMessages } from "../../src/messages/summary.js";

describe("a message that pools and RoutedIPs share", () => {
  const KINDS = ["FloatingIPPool", "RoutedIP"] as const;

  it("names the policy of the resource's own kind, and spells a long TTL", () => {
    const until = Date.parse("2026-01-01T10:02:11Z");
    const [pool, routed] = KINDS.map((kind) =>
      deletionMessages.underWay({ kind, left: ["address 203.0.113.7"], until, ttl: 86_400 }),
    );
    const text = (way: string) => `(their TTL is 86400 s, 24h); to end the wait, ${way}`;
    expect(pool?.message).to.include(
      text("and to keep the addresses in the account, set reclaimPolicy to Retain, unless"),
    );
    expect(routed?.message).to.include(text("set dnsRecordSet.deletionPolicy to Retain"));
  });

  it("names the region field of the resource's own kind", () => {
    const fixes = KINDS.map((kind) => {
      const values = { kind, region: "nyc33", regions: "nyc3", matches: true };
      return creationMessages.nodesElsewhere(values).message.split("; fix: ")[1]?.split(",")[0];
    });
    expect(fixes).to.deep.equal(["set region to nyc3", "set region of the issuer to nyc3"]);
  });
});
