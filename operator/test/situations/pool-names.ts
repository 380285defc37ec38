/** The DNS name of a pool is not in place. */

import { REMEDIES } from "../../src/messages/failed-calls.js";
import { limitedTo } from "../support/kube/limited-to.js";
import { A, B, cloudOf, DNS as POOL_DNS, pool, type Scene, seenOf } from "./pool-scenes.js";
import { callFailure, type Group } from "./situation.js";

const OTHER = { kind: "FloatingIPPool", namespace: "ingress", name: "ingress", uid: "other" };
/** Another resource has the name. */
export const LOST = { ours: false, owned: { owner: OTHER, basis: "uses" } } as const;
/** When somebody undid the operator's writes. */
export const WRITES = [9, 8, 7].map((minutes) => Date.parse("2025-06-01T10:00:00Z") - minutes * 60_000);

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

export const POOL_NAMES: readonly Group[] = [
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
              failure: callFailure(
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
        fix: "Create the zone: the operator looks for it about once a minute. Or correct `zone` or the provider of `dnsRecordSet`",
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
            named({ failure: callFailure("Conflict", "cloudflare: create A www.example.com", said, conflict) }),
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
        when: "The name is proxied at Cloudflare",
        shows: "DNSReady Proxied",
        names: ["only HTTP passes", "DNS only"],
        seen: () => remarked({ proxied: true, others: [] }),
        fix: "If clients use anything but HTTP, switch the proxy of the records off at Cloudflare (DNS only)",
      }),
      pool({
        when: "The name has records of the other family, for example of an old server",
        shows: "DNSReady UnmanagedRecords",
        names: ["AAAA 2001:db8:51::20", "delete it at digitalocean"],
        seen: () => remarked({ proxied: false, others: ["2001:db8:51::20"] }),
        fix: "Delete the records at the provider if you do not mean them; or create a pool of the other family for the name",
      }),
      pool({
        when: "The zone has NS records of a name above `recordName`",
        shows: "DNSReady DelegatedName",
        names: ["NS records of eu.example.com", "set dnsRecordSet.zone to eu.example.com"],
        seen: () => delegated(),
        fix: "Set `zone` to the zone of the NS records; the full name in `recordName` stays",
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

/** The records are in place. */
function remarked(remarks: NonNullable<Dns["remarks"]>) {
  const scene = named({});
  const cloud = cloudOf(scene);
  for (let round = 0; round < 3; round++) cloud.run("web");
  return seenOf({ ...named({ remarks }), status: cloud.pool("web").status }, "DNSReady");
}

function delegated() {
  const scene = {
    ...named({
      fqdn: "api.eu.example.com",
      remarks: { proxied: false, others: [], delegation: { zone: "example.com", name: "eu.example.com" } },
    }),
    spec: { ips: [A], dnsRecordSet: { ...POOL_DNS, recordName: "api.eu.example.com" } },
  };
  const cloud = cloudOf(scene);
  for (let round = 0; round < 3; round++) cloud.run("web");
  return seenOf({ ...scene, status: cloud.pool("web").status }, "DNSReady");
}

function elsewhere() {
  const scene = { ...named({}), spec: { ips: [A], dnsRecordSet: { ...POOL_DNS, recordName: "www.example.org" } } };
  const cloud = cloudOf(scene);
  for (let round = 0; round < 3; round++) cloud.run("web");
  return seenOf({ ...scene, status: cloud.pool("web").status }, "DNSReady");
}
