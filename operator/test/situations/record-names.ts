/** The DNS name of a NodeDNSRecordSet is not in place. */

import type { DnsStatus } from "cdk8s-flipop/api";
import { refusal } from "../../src/match/checks.js";
import { leftOutText, tallyOf } from "../../src/match/tally.js";
import { providerMessages } from "../../src/messages/provider.js";
import { facts } from "../match/cluster.js";
import { LOST, WRITES } from "./pool-names.js";
import { A, B } from "./pool-scenes.js";
import { DNS, nodeAt, type RecordScene, recordsSeen } from "./record-scenes.js";
import { type Group, refusedToken, type Situation } from "./situation.js";

function records(row: Omit<Situation, "kind">): Situation {
  return { kind: "NodeDNSRecordSet", ...row };
}

const NODES: RecordScene["nodes"] = [nodeAt("node-1", A)];
const WRITTEN: DnsStatus = {
  ...{ provider: "digitalocean", zone: "example.com", recordName: "nodes" },
  types: ["A"],
  values: [A],
};

/** The pod on node-2 is not ready. */
function leftOutSince(time: string): NonNullable<RecordScene["change"]> {
  const refused = { ...refusal("PodNotReady", "pod game/x is not ready", Date.parse(time)), pod: "game/x" };
  const meant = [{ node: facts("node-2"), refusals: [refused] }];
  return { meant: () => meant, leftOut: () => leftOutText(tallyOf({ nodes: 1, lacking: {} }, meant)) };
}

export const RECORD_NAMES: readonly Group[] = [
  {
    heading: "The DNS name of a NodeDNSRecordSet is not in place",
    situations: [
      records({
        when: "No node matches, and the name was never written",
        shows: "DNSReady NoCandidate",
        names: ["node-1", "Cordoned"],
        seen: () =>
          recordsSeen({ nodes: [nodeAt("node-1", A, { conditions: [], unschedulable: true, addresses: [] })] }),
        fix: "Correct `match`, or repair the node",
      }),
      records({
        when: "No node matches any more",
        shows: "DNSReady KeptLastKnown",
        names: ["record nodes.example.com keeps 203.0.113.7", "pool=edge", "kubectl label node"],
        seen: () => recordsSeen({ nodes: [nodeAt("node-1", A, { labels: {} })], values: [A] }),
        fix: "Label a node, or correct `match.nodeLabel`",
      }),
      records({
        when: "No node has the labels, and `emptyPolicy` is Delete",
        shows: "DNSReady KeptLastKnown",
        names: ["2025-06-01T10:04:00Z", A, "kubectl label node NODE pool=edge --overwrite"],
        seen: () =>
          recordsSeen({
            nodes: [nodeAt("node-1", A, { labels: { pool: "work" } })],
            spec: { emptyPolicy: "Delete" },
            values: [A],
            status: {
              addresses: [{ address: A, nodeName: "node-1" }],
              dns: WRITTEN,
            },
          }),
        fix: "Label a node before the time in the message",
      }),
      records({
        when: "The nodes have no address of the type",
        shows: "DNSReady NoCandidate",
        names: ["node-1", "ExternalIP"],
        seen: () =>
          recordsSeen({ nodes: [nodeAt("node-1", A, { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] })] }),
        fix: "Publish another `addressType`",
      }),
      records({
        when: "`addressType` is a reserved IP, and no resource assigns one to the nodes",
        shows: "DNSReady NoCandidate",
        names: [
          "node-1",
          "flipop.digitalocean.com/ipv4-reserved-ip",
          "let a FloatingIPPool or a RoutedIP assign an address",
        ],
        seen: () => {
          const dnsRecordSet = { zone: "example.com", recordName: "nodes" };
          const addressType = "flipop.digitalocean.com/ipv4-reserved-ip";
          return recordsSeen({ nodes: [nodeAt("node-1", A)], spec: { dnsRecordSet, addressType } });
        },
        fix: "Assign reserved IPs to the nodes with a pool, or publish another `addressType`",
      }),
      records({
        when: "A pool owns the name",
        shows: "DNSReady ClaimedByOther",
        names: ["nodes.example.com", "FloatingIPPool ingress/ingress"],
        seen: () => recordsSeen({ nodes: NODES, change: { lost: [LOST.owned] } }),
        fix: "Give one of the two another `recordName`",
      }),
      records({
        when: "The provider has no DNS, or the operator has no token for it",
        shows: "DNSReady UnknownProvider",
        names: ["acme"],
        seen: () => recordsSeen({ nodes: NODES, change: { problem: providerMessages.noDns({ provider: "acme" }) } }),
        fix: "Correct `dnsRecordSet.provider`, or give the operator the token",
      }),
      records({
        when: "The DNS provider rejects the token",
        shows: "DNSReady Unauthorized",
        names: ["401", "CLOUDFLARE_TOKEN", "flipop"],
        seen: () => {
          const place =
            "entry CLOUDFLARE_TOKEN of its own Secret (by default flipop; restart the operator after a change)";
          const refused = refusedToken(place, "cloudflare: read records of nodes.example.com");
          return recordsSeen({ nodes: NODES, change: { dns: { ...DNS, records: "unknown", failure: refused } } });
        },
        fix: "Put a valid token into the operator's Secret and [restart the operator](install.md#the-token)",
      }),
      records({
        when: "The record set is paused",
        shows: "DNSReady Paused",
        names: ["spec.paused"],
        seen: () => recordsSeen({ nodes: NODES, spec: { paused: true } }),
        fix: "Set `paused: false`",
      }),
      records({
        when: "Something else changes the record set again and again",
        shows: "Conflict ForeignWriter",
        names: ["record set", "outside of this operator"],
        seen: () => recordsSeen({ nodes: NODES, change: { reverts: WRITES } }, "Conflict"),
        fix: "Look for a second operator, external-dns or Terraform that manages the same name",
      }),
      records({
        when: "The records had a long TTL before the resource, and its spec sets none",
        shows: "DNSReady LongTTL",
        names: ["86400 s", "24 h", "dnsRecordSet.ttl"],
        seen: () => {
          const remarks = { proxied: false, others: [], ttl: 86_400 };
          return recordsSeen({ nodes: NODES, values: [A], status: { dns: WRITTEN }, remarks });
        },
        fix: "Set `ttl: 60`",
      }),
      records({
        when: "A node that matches has no public address",
        shows: "DNSReady Observed",
        names: ["node-2", "ExternalIP"],
        seen: () => {
          const second = nodeAt("node-2", B, { addresses: [] });
          return recordsSeen({ nodes: [nodeAt("node-1", A), second], values: [A], status: { dns: WRITTEN } });
        },
        fix: "Give the node a public address, or exclude it with `match`. Addresses that no client reaches, such as 0.0.0.0 or those of the loopback, link-local and multicast ranges, count as none",
      }),
      records({
        when: "A pod has not become ready for a long time, so its node is left out of the name",
        shows: "DNSReady UnreadyPods",
        names: ["left out: 1 PodNotReady (node-2", "since 2025-06-01T09:00:00Z", "kubectl -n game describe pod x"],
        seen: () =>
          recordsSeen({
            nodes: NODES,
            values: [A],
            status: { dns: WRITTEN },
            change: leftOutSince("2025-06-01T09:00:00Z"),
          }),
        fix: "`flipop explain` shows what the kubelet says of the pod: a container that is not ready, or a readiness gate",
      }),
      records({
        when: "Nodes with the labels have a taint that `match` does not tolerate, so they are left out of the name",
        shows: "DNSReady TaintedNodes",
        names: ["left out: 1 Tainted (node-2: it has taint burst=true:PreferNoSchedule", "spec.match.tolerations"],
        seen: () => {
          const taints = [{ key: "burst", value: "true", effect: "PreferNoSchedule" }];
          const nodes = [nodeAt("node-1", A), nodeAt("node-2", B, { taints })];
          return recordsSeen({ nodes, values: [A], status: { dns: WRITTEN } });
        },
        fix: "Tolerate the taint in `match.tolerations`, if these nodes are meant",
      }),
      records({
        when: "Two nodes name the same address",
        shows: "DNSReady SharedAddress",
        names: ["nodes node-1, node-2 all name 203.0.113.1 in ExternalIP", "behind one NAT"],
        seen: () => {
          const [zone, ip] = ["example.com", "203.0.113.1"];
          const dns = { provider: "digitalocean", zone, recordName: "nodes", types: ["A" as const], values: [ip] };
          const nodes = ["node-1", "node-2"].map((name) => nodeAt(name, ip));
          return recordsSeen({ nodes, values: [ip], status: { dns } });
        },
        fix: "Correct what sets the addresses of the nodes; if they share one address on purpose, nothing",
      }),
      records({
        when: "No node has an IPv6 address, and `ipFamilies` asks for both families",
        shows: "DNSReady MissingFamily",
        names: [
          "no node that matches has an IPv6 address in ExternalIP, so the name has no AAAA record",
          "remove IPv6",
        ],
        seen: () => {
          const types = ["A" as const, "AAAA" as const];
          const dns = { provider: "digitalocean", zone: "example.com", recordName: "nodes", types, values: [A] };
          return recordsSeen({
            ...{ nodes: [nodeAt("node-1", A)], values: [A], status: { dns } },
            spec: { dnsRecordSet: { zone: "example.com", recordName: "nodes" }, ipFamilies: ["IPv4", "IPv6"] },
          });
        },
        fix: "Give the nodes IPv6 addresses, or leave the family out",
      }),
      records({
        when: "`addressType` is InternalIP, and clients come from the internet",
        shows: "DNSReady PrivateAddresses",
        names: ["private networks", "spec.addressType is InternalIP", "set spec.addressType to ExternalIP"],
        seen: () => {
          const [zone, ip] = ["example.com", "10.0.0.1"];
          const dns = { provider: "digitalocean", zone, recordName: "nodes", types: ["A" as const], values: [ip] };
          const node = nodeAt("node-1", A, { addresses: [{ type: "InternalIP", address: ip }] });
          return recordsSeen({
            ...{ nodes: [node], values: [ip], status: { dns } },
            spec: { dnsRecordSet: { zone, recordName: "nodes" }, addressType: "InternalIP" },
          });
        },
        fix: "Set `addressType: ExternalIP`; if only clients of the private networks use the name, nothing",
      }),
    ],
  },
];
