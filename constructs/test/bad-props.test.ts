import { Duration } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { DnsRecord, FloatingIPPool, NodeMatch, PodMatch, PortRange, RoutedIPIssuer } from "../src";
import type { BadProps } from "./data/bad-props/case";
import { BAD_CLASSES } from "./data/bad-props/classes";
import { BAD_ISSUERS } from "./data/bad-props/issuers";
import { BAD_JOBS } from "./data/bad-props/jobs";
import { BAD_MATCHES } from "./data/bad-props/matches";
import { BAD_POOLS } from "./data/bad-props/pools";
import { BAD_RECORDS } from "./data/bad-props/records";
import { BAD_ROUTED_IPS } from "./data/bad-props/routed-ips";
import { newChart, refusals } from "./support/charts";

const CASES = {
  "a FloatingIPPool": BAD_POOLS,
  "a match": BAD_MATCHES,
  "a NodeDNSRecordSet": BAD_RECORDS,
  "a RoutedIP": BAD_ROUTED_IPS,
  "a RoutedIPIssuer": BAD_ISSUERS,
  "a ClusterRoutedIPClass": BAD_CLASSES,
  "a Job": BAD_JOBS,
};

describe("bad props", () => {
  for (const [where, cases] of Object.entries(CASES)) {
    describe(`of ${where} are reported at synthesis, and the constructor does not throw`, () => reportsEach(cases));
  }

  it("are all reported at once, each with its construct", () => {
    const chart = newChart();
    new FloatingIPPool(chart, "a", {
      ips: ["192.0.2.1", "192.0.2.1", "::1"],
      desiredIps: -1,
      gracePeriod: Duration.millis(1),
      pods: PodMatch.labels({ "a b": "c d" }, { namespace: "X" }),
      nodes: NodeMatch.selector("="),
      dnsRecord: DnsRecord.cloudflare("a b", "", { ttl: Duration.seconds(2) }),
      metadata: { name: "A" },
    });
    new RoutedIPIssuer(chart, "b", { firewallName: "" });
    expect(refusals(chart).map((line) => line.replace(/: .*/, ""))).to.deep.equal([
      "[test/a] metadata.name",
      "[test/a] ips[1]",
      "[test/a] dnsRecord.recordName",
      "[test/a] gracePeriod",
      "[test/a] pods",
      "[test/a] pods",
      "[test/a] desiredIps",
      "[test/a] ips",
      "[test/a] dnsRecord.zone",
      "[test/a] pods.namespace",
      "[test/a] nodes",
      "[test/b] firewallName",
    ]);
  });

  it("of unused values are ignored", () => {
    PortRange.parse("x");
    DnsRecord.digitalOcean("", "");
    expect(refusals(newChart())).to.deep.equal([]);
  });
});

function reportsEach(cases: readonly BadProps[]): void {
  for (const { name, make, says } of cases) {
    it(name, () => {
      const chart = newChart({ namespace: "web" });
      make(chart);
      expect(refusals(chart)).to.deep.equal([`[test/bad] ${says}`]);
    });
  }
}
