/**
 * Cloudflare DNS for node addresses.
 *
 * No addresses are bought here: two names follow the addresses that the nodes have anyway. Monitoring asks
 * nodes.example.com for all public ones; the database's firewall asks workers.internal.example.com for the private ones.
 */
import { App, Chart, Duration } from "cdk8s";
import { AddressType, DnsRecord, EmptyPolicy, IpFamily, LabelQuery, NodeDNSRecordSet, NodeMatch } from "cdk8s-flipop";

// Zones can be given by name or by id. The id saves a look-up, and works with a token that may not list zones.
const ZONE = "023e105f4ecef8ad9ca31a8372d0c353";

const app = new App();
const chart = new Chart(app, "node-records", { namespace: "default" });

new NodeDNSRecordSet(chart, "public", {
  metadata: { name: "nodes-public" },
  // Neither pods nor nodes are given: every node that is ready.
  dnsRecord: DnsRecord.cloudflare("nodes.example.com", ZONE, { ttl: Duration.minutes(5) }),
  addressType: AddressType.EXTERNAL_IP,
  // A records only, though the nodes have IPv6 addresses as well.
  ipFamilies: [IpFamily.IPV4],
  // A kubelet that is restarted is not ready for some seconds. That is no reason to change DNS.
  gracePeriod: Duration.minutes(2),
});

new NodeDNSRecordSet(chart, "workers", {
  metadata: { name: "nodes-workers" },
  // All of these must hold: workers and batch nodes, but none that may vanish at any time.
  nodes: NodeMatch.query(LabelQuery.in("pool", ["worker", "batch"]), LabelQuery.doesNotExist("example.com/spot")),
  dnsRecord: DnsRecord.cloudflare("workers.internal.example.com", ZONE),
  addressType: AddressType.INTERNAL_IP,
  // When no node is left the record set goes too: a firewall must not trust an address that somebody else has by then.
  emptyPolicy: EmptyPolicy.DELETE,
});

app.synth();
