/**
 * Cloudflare DNS for node addresses.
 *
 * This example creates no addresses: two names follow the existing addresses of the nodes. Monitoring resolves
 * nodes.example.com to get all public addresses; the database's firewall resolves workers.internal.example.com to get
 * the private ones.
 */
import { App, Chart, Duration } from "cdk8s";
import { AddressType, DnsRecord, EmptyPolicy, IpFamily, LabelQuery, NodeDNSRecordSet, NodeMatch } from "cdk8s-flipop";

// You can give a zone by name or by id. The id saves a look-up, and works with a token that may not list zones.
const ZONE = "023e105f4ecef8ad9ca31a8372d0c353";

const app = new App();
const chart = new Chart(app, "node-records", { namespace: "default" });

new NodeDNSRecordSet(chart, "public", {
  metadata: { name: "nodes-public" },
  // Without pods and nodes, every ready node matches.
  dnsRecord: DnsRecord.cloudflare("nodes.example.com", ZONE, { ttl: Duration.minutes(5) }),
  addressType: AddressType.EXTERNAL_IP,
  // Only A records, although the nodes also have IPv6 addresses.
  ipFamilies: [IpFamily.IPV4],
  // A restarted kubelet is not ready for some seconds. DNS should not change for that.
  gracePeriod: Duration.minutes(2),
});

new NodeDNSRecordSet(chart, "workers", {
  metadata: { name: "nodes-workers" },
  // All of these must hold: worker or batch nodes, but no spot nodes.
  nodes: NodeMatch.query([LabelQuery.in("pool", ["worker", "batch"]), LabelQuery.doesNotExist("example.com/spot")]),
  dnsRecord: DnsRecord.cloudflare("workers.internal.example.com", ZONE),
  addressType: AddressType.INTERNAL_IP,
  // When no node is left, the records are deleted: a firewall must not trust an address that someone else may have by
  // then.
  emptyPolicy: EmptyPolicy.DELETE,
});

app.synth();
