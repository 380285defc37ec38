import { Duration } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  AddressType,
  DnsRecord,
  EmptyPolicy,
  IpFamily,
  NodeDNSRecordSet,
  type NodeDNSRecordSetProps,
  NodeMatch,
  PodMatch,
  ReclaimPolicy,
  Toleration,
} from "../src";
import { newChart, only } from "./support/charts";

function recordSet(props: NodeDNSRecordSetProps) {
  const chart = newChart();
  new NodeDNSRecordSet(chart, "nodes", props);
  return only(chart, "NodeDNSRecordSet");
}

describe("NodeDNSRecordSet", () => {
  it("writes only the given props", () => {
    const dnsRecord = DnsRecord.digitalOcean("nodes", "example.com");
    expect(recordSet({ metadata: { name: "nodes", namespace: "dns" }, dnsRecord })).to.deep.equal({
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "NodeDNSRecordSet",
      metadata: { name: "nodes", namespace: "dns" },
      spec: { dnsRecordSet: { provider: "digitalocean", recordName: "nodes", zone: "example.com" } },
    });
  });

  it("writes each prop into its field", () => {
    const { spec } = recordSet({
      dnsRecord: DnsRecord.cloudflare("*.nodes.example.com", "023e105f4ecef8ad9ca31a8372d0c353", {
        ttl: Duration.minutes(1),
        deletionPolicy: ReclaimPolicy.DELETE,
      }),
      addressType: AddressType.INTERNAL_IP,
      ipFamilies: [IpFamily.IPV4, IpFamily.IPV6],
      gracePeriod: Duration.seconds(30),
      emptyPolicy: EmptyPolicy.DELETE,
      pods: PodMatch.inNamespace("ingress"),
      nodes: NodeMatch.doksNodePool("work"),
      tolerations: [Toleration.all()],
      paused: true,
    });
    expect(spec).to.deep.equal({
      dnsRecordSet: {
        provider: "cloudflare",
        recordName: "*.nodes.example.com",
        zone: "023e105f4ecef8ad9ca31a8372d0c353",
        ttl: 60,
        deletionPolicy: "Delete",
      },
      addressType: "InternalIP",
      ipFamilies: ["IPv4", "IPv6"],
      gracePeriodSeconds: 30,
      emptyPolicy: "Delete",
      match: {
        podNamespace: "ingress",
        nodeLabel: "doks.digitalocean.com/node-pool=work",
        tolerations: [{ operator: "Exists" }],
      },
      paused: true,
    });
  });

  it("publishes the address that a pool assigned, from the annotation", () => {
    const dnsRecord = DnsRecord.digitalOcean("@", "example.com");
    const types = [AddressType.RESERVED_IPV4, AddressType.RESERVED_IPV6];
    expect(types.map((addressType) => recordSet({ dnsRecord, addressType }).spec["addressType"])).to.deep.equal([
      "flipop.digitalocean.com/ipv4-reserved-ip",
      "flipop.digitalocean.com/ipv6-reserved-ip",
    ]);
  });
});
