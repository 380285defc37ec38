/** A DNS name is not in place. */

import { REMEDIES } from "../../src/messages/failed-calls.js";
import { providerMessages } from "../../src/messages/provider.js";
import { limitedTo } from "../support/kube/limited-to.js";
import { A, B, cloudOf, DNS as POOL_DNS, type Scene, seenOf } from "./pool-scenes.js";
import { DNS, nodeAt, type RecordScene, recordsSeen } from "./record-scenes.js";
import { callFailure, type Group, refusedToken, type Situation } from "./situation.js";

const OTHER = { kind: "FloatingIPPool", namespace: "ingress", name: "ingress", uid: "other" };
const LOST = { ours: false, owned: { owner: OTHER, basis: "uses" } } as const;
const WRITES = [9, 8, 7].map((minutes) => Date.parse("2025-06-01T10:00:00Z") - minutes * 60_000);

function pool(row: Omit<Situation, "kind">): Situation {
  return { kind: "FloatingIPPool", ...row };
}

function records(row: Omit<Situation, "kind">): Situation {
  return { kind: "NodeDNSRecordSet", ...row };
}

type Dns = NonNullable<ReturnType<NonNullable<Scene["change"]>>["dns"]>;

/** The pool's address is active, and its record set is this. */
function named(dns: Partial<Dns>, ttl?: number): Scene {
  return {
    spec: { ips: [A], dnsRecordSet: { ...POOL_DNS, ...(ttl === undefined ? {} : { ttl }) } },
    held: { [A]: "node-1" },
    change: (snapshot) => (snapshot.dns === undefined ? {} : { dns: { ...snapshot.dns, ...dns } }),
  };
}

function refusedName() {
  const tenants = limitedTo({ namespaces: [{ names: ["default"], allowedZones: ["example.org"] }] });
  const normal = { fqdn: "www.example.com", zone: "example.com" };
  const refused = tenants.nameProblem({ zone: "example.com", normal, namespace: "default" });
  if (refused === undefined) throw new Error("the limits allow the name");
  return refused;
}

const failure = callFailure;
const NODES: RecordScene["nodes"] = [nodeAt("node-1", A)];

export const NAMES: readonly Group[] = [
  {
    heading: "The DNS name of a pool is not in place",
    situations: [
      pool({
        when: "Another resource owns the name",
        shows: "DNSReady ClaimedByOther",
        names: ["www.example.com", "FloatingIPPool ingress/ingress"],
        seen: () => seenOf(named({ claim: LOST }), "DNSReady"),
        fix: "Give one of the two another `recordName`",
      }),
      pool({
        when: "The account has no such zone",
        shows: "DNSReady ZoneNotFound",
        names: ["example.com", "correct dnsRecordSet.zone", "owner of the DNS account"],
        seen: () =>
          seenOf(
            named({
              failure: failure(
                "NotFound",
                "digitalocean: read records of www.example.com",
                'the account has no domain "example.com"',
                {
                  missing: "ZoneNotFound",
                  remedy:
                    'correct dnsRecordSet.zone, or have the owner of the DNS account add the domain "example.com" to it',
                },
              ),
            }),
            "DNSReady",
          ),
        fix: "Create the zone, or correct `zone` or the provider of `dnsRecordSet`",
      }),
      pool({
        when: "The operator has no token for the DNS provider",
        shows: "DNSReady UnknownProvider",
        names: ["cloudflare"],
        seen: () => {
          const scene = named({});
          const dnsRecordSet = { ...POOL_DNS, provider: "cloudflare" };
          return seenOf(
            {
              ...scene,
              spec: { ...scene.spec, dnsRecordSet },
              change: ({ dns }) => {
                const { capabilities: _none, ...without } = dns ?? {};
                return { dns: without as Dns };
              },
            },
            "DNSReady",
          );
        },
        fix: "Give the operator the provider's token, or correct `dnsRecordSet.provider`",
      }),
      pool({
        when: "The limits of the namespace do not allow the name",
        shows: "DNSReady NameNotAllowed",
        names: ["www.example.com", "tenantLimits.namespaces[0]"],
        seen: () => seenOf(named({ refused: refusedName() }), "DNSReady"),
        fix: "Use a name in an allowed zone",
      }),
      pool({
        when: "A CNAME of the name exists",
        shows: "DNSReady RecordExists",
        names: ["www.example.com", "CNAME", "owner of the DNS account delete"],
        seen: () => {
          const said = "a CNAME of that name exists";
          const conflict = { reason: "RecordExists", remedy: REMEDIES.RecordExists } as const;
          return seenOf(
            named({ failure: failure("Conflict", "cloudflare: create A www.example.com", said, conflict) }),
            "DNSReady",
          );
        },
        fix: "Delete the CNAME, or use another `recordName`",
      }),
      pool({
        when: "No address of the pool is active",
        shows: "DNSReady KeptLastKnown",
        names: ["www", B],
        seen: () => {
          const { spec } = named({});
          const dns = {
            provider: "digitalocean",
            zone: "example.com",
            recordName: "www",
            types: ["A" as const],
            values: [B],
          };
          return seenOf({ nodes: [], ...(spec && { spec }), status: { dns } }, "DNSReady");
        },
        fix: "Look at `Fulfilled`: [no node matches](#a-pool-has-no-address-because-no-node-matches) or [one address does not become active](#one-address-of-a-pool-does-not-become-active). The name keeps the last addresses",
      }),
      pool({
        when: "Something else changes the record set again and again",
        shows: "DNSReady ForeignWriter",
        names: ["outside of this operator", "2025-06-01T10:03:00Z"],
        seen: () =>
          seenOf(
            {
              ...named({}),
              change: ({ memory }) => ({ memory: { ...memory, reverts: new Map([["records", WRITES]]) } }),
            },
            "DNSReady",
          ),
        fix: "Look for a second operator, external-dns or Terraform that manages the same name",
      }),
      pool({
        when: "The provider allows no TTL this short",
        shows: "DNSReady TTLRaised",
        names: ["30", "60"],
        seen: () => shortTtl(),
        fix: "Set `ttl: 60`",
      }),
      pool({
        when: "`recordName` is a full name of another zone",
        shows: "DNSReady Invalid",
        names: ["www.example.org.example.com", "correct zone"],
        seen: () => elsewhere(),
        fix: "Correct `zone`; or, if you mean the record, write its full name in `recordName`",
      }),
    ],
  },
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
        names: ["2025-06-01T10:04:00Z", A],
        seen: () =>
          recordsSeen({
            spec: { emptyPolicy: "Delete" },
            values: [A],
            status: {
              addresses: [{ address: A, nodeName: "node-1" }],
              dns: {
                provider: "digitalocean",
                zone: "example.com",
                recordName: "nodes",
                types: ["A" as const],
                values: [A],
              },
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
          const place = "entry CLOUDFLARE_TOKEN of its own Secret (by default flipop), and only when it starts";
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
        when: "A node that matches has no public address",
        shows: "DNSReady Observed",
        names: ["node-2", "ExternalIP"],
        seen: () => {
          const dns = {
            provider: "digitalocean",
            zone: "example.com",
            recordName: "nodes",
            types: ["A" as const],
            values: [A],
          };
          const second = nodeAt("node-2", B, { addresses: [] });
          return recordsSeen({ nodes: [nodeAt("node-1", A), second], values: [A], status: { dns } });
        },
        fix: "Give the node a public address, or exclude it with `match`",
      }),
    ],
  },
];

function shortTtl() {
  const scene = named({}, 30);
  const cloud = cloudOf(scene);
  for (let round = 0; round < 3; round++) cloud.run("web");
  const capabilities = { ttl: (seconds: number) => Math.max(60, seconds), owner: false };
  const { status } = cloud.pool("web");
  return seenOf(
    { ...scene, status, change: ({ dns }) => (dns === undefined ? {} : { dns: { ...dns, capabilities } }) },
    "DNSReady",
  );
}

function elsewhere() {
  const scene = { ...named({}), spec: { ips: [A], dnsRecordSet: { ...POOL_DNS, recordName: "www.example.org" } } };
  const cloud = cloudOf(scene);
  for (let round = 0; round < 3; round++) cloud.run("web");
  return seenOf({ ...scene, status: cloud.pool("web").status }, "DNSReady");
}
