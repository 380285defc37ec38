/** The operator does not create an address that a resource needs. */

import type { PendingCreation, TenantLimits } from "cdk8s-flipop/api";
import type { OtherCreation } from "../../src/addresses/address-set.js";
import type { Snapshot } from "../../src/controllers/floating-ip-pool/snapshot.js";
import type { ModelCloud } from "../controllers/floating-ip-pool/support/model-cloud.js";
import { limitedTo } from "../support/kube/limited-to.js";
import { A, B, creationFailed, DNS, refused, type Scene, seenOf, TEN_PAST } from "./pool-scenes.js";
import { routed, routedSeen } from "./routed-scenes.js";
import { callFailure, type Group, type Situation } from "./situation.js";

const REGION = "topology.kubernetes.io/region";
const OTHER = { kind: "FloatingIPPool", namespace: "default", name: "first", uid: "first" };
const STARTED = "2025-06-01T09:58:20.000Z";
const OPEN: PendingCreation = { startedAt: STARTED, provider: "digitalocean", family: "IPv4", region: "r" };

function creating(row: Omit<Situation, "kind">): Situation {
  return { kind: "FloatingIPPool", ...row };
}

/** The pool wants an address that does not exist. */
function wanting(more: Scene = {}): Scene {
  return { spec: { desiredIPs: 1 }, ...more };
}

/** Another resource of the account creates an address by region, as this one would. */
function beside(other: Partial<OtherCreation>): Scene {
  return wanting({
    nodes: [],
    change: ({ now }) => ({ otherCreations: [{ resource: OTHER, region: "r", startedAt: now, ...other }] }),
  });
}

/** Lists of the account since the answer was lost show these addresses. */
function listing(...unassigned: readonly string[]): NonNullable<Scene["change"]> {
  return ({ now, memory }: Snapshot, cloud: ModelCloud) => {
    for (const ip of unassigned) cloud.addresses.set(ip, undefined);
    const lists = [90_000, 50_000, 0].map((ms) => ({ at: now - ms, unassigned: new Set(unassigned) }));
    return { inventory: cloud.snapshot("web").inventory, memory: { ...memory, lists, intentSeenAt: now - 100_000 } };
  };
}

const NO_MORE: TenantLimits = { namespaces: [{ names: ["default"], maxCreatedAddresses: 0 }] };

function limited(reclaimPolicy: "Delete" | "Retain", limits = NO_MORE): Scene {
  const tenants = limitedTo(limits);
  return wanting({
    change: ({ set }) => ({
      creationProblem: () => tenants.creationProblem({ ...OTHER, uid: set.metadata.uid }, reclaimPolicy),
    }),
  });
}

export const CREATION: readonly Group[] = [
  {
    heading: "The operator creates no address",
    situations: [
      creating({
        when: "The account has reached its quota of addresses",
        shows: "Fulfilled QuotaExceeded",
        names: ["limit", "FloatingIPPool default/ingress has 2, and 1 is of no resource", "owner of the account"],
        seen: () =>
          seenOf(
            wanting({
              others: { ingress: { ips: [B, "203.0.113.9"] } },
              held: { [A]: undefined },
              change: creationFailed(
                callFailure("QuotaExceeded", "digitalocean: create reserved IP", "you have reached your limit of 3"),
              ),
            }),
          ),
        fix: "`flipop orphans` shows unused addresses; release them, or ask the provider for a higher limit",
      }),
      creating({
        when: "The provider allows no more new addresses in this minute",
        shows: "Fulfilled RateLimited",
        names: ["12 new addresses in 60 s", "2025-06-01T10:10:00Z"],
        seen: () =>
          seenOf(wanting({ change: () => ({ creationTurn: () => ({ calls: 12, seconds: 60, until: TEN_PAST }) }) })),
        fix: "Wait until the time in the message",
      }),
      creating({
        when: "All nodes are in another region than `region`",
        shows: "Fulfilled WrongRegion",
        names: ["nyc33", "nyc3"],
        seen: () =>
          seenOf(
            wanting({
              nodes: [{ name: "node-1", more: { labels: { [REGION]: "nyc3" } } }],
              spec: { desiredIPs: 1, region: "nyc33" },
            }),
          ),
        fix: "Correct `region`",
      }),
      creating({
        when: "`region` is empty, and no node is free",
        shows: "Fulfilled NoCandidate",
        names: ["label a node"],
        seen: () => refused({ match: { nodeLabel: "pool=edge" } }, { spec: { desiredIPs: 1, region: "" } }),
        fix: "Let a node match: [no node matches](#a-pool-has-no-address-because-no-node-matches). Or set `region`",
      }),
      creating({
        when: "An IPv6 address is to be created, and `region` is empty",
        shows: "Fulfilled NoCandidate",
        names: ["IPv6", "region of FloatingIPPool default/web", "set region to the region of the nodes"],
        seen: () => seenOf(wanting({ spec: { desiredIPs: 1, ipFamily: "IPv6", region: "" } })),
        fix: "Set `region`: DigitalOcean creates only IPv4 addresses on a Droplet",
      }),
      creating({
        when: "The cloud does not know the region",
        shows: "Accepted Invalid",
        names: ["atlantis"],
        seen: () => {
          const failure = callFailure("Terminal", "digitalocean: create reserved IP", 'region "atlantis" is invalid');
          return seenOf(wanting({ change: creationFailed({ ...failure, ofSpec: true }) }), "Accepted");
        },
        fix: "Correct `region`",
      }),
      creating({
        when: "The API server drops fields of the status",
        shows: "Fulfilled CRDTooOld",
        names: ["CRDs"],
        seen: () => seenOf(wanting({ change: () => ({ crdTooOld: true }) })),
        fix: "Apply the CRDs of the operator's release",
      }),
      creating({
        when: "Another resource owns the pool's DNS name",
        shows: "Fulfilled ClaimedByOther",
        names: ["www.example.com", "FloatingIPPool default/first"],
        seen: () =>
          seenOf(
            wanting({
              spec: { desiredIPs: 1, dnsRecordSet: DNS },
              change: ({ dns }) => ({
                ...(dns && { dns: { ...dns, claim: { ours: false, owned: { owner: OTHER, basis: "uses" } } } }),
              }),
            }),
          ),
        fix: "Give one of the two another `recordName`",
      }),
      creating({
        when: "Another resource of the account creates an address at the moment",
        shows: "Fulfilled UnderWay",
        names: ["another creation in the same account"],
        seen: () => seenOf(beside({ running: true })),
        fix: "Wait some seconds",
      }),
      creating({
        when: "The answer to a creation of another resource was lost",
        shows: "Fulfilled CreationUnsettled",
        names: ["FloatingIPPool default/first", "forget-creation of FloatingIPPool default/first"],
        seen: () => seenOf(beside({})),
        fix: "Wait until the time in the message; see [below](#a-creation-with-an-unknown-outcome)",
      }),
      creating({
        when: "The answer to the creation was lost",
        shows: "Fulfilled CreationUnsettled",
        names: ["2025-06-01T09:58:20Z", "70 s", "forget-creation of FloatingIPPool default/web"],
        seen: () => seenOf(wanting({ nodes: [], status: { pendingCreation: OPEN } })),
        fix: "Wait about 70 s; see [below](#a-creation-with-an-unknown-outcome)",
      }),
      creating({
        when: "The answer was lost, and the account has several new addresses",
        shows: "Fulfilled CreationUnsettled",
        names: [A, B, "list the right one in ips", "FloatingIPPool default/web"],
        seen: () => seenOf(wanting({ nodes: [], status: { pendingCreation: OPEN }, change: listing(A, B) })),
        fix: "List the right one in `ips`; see [below](#a-creation-with-an-unknown-outcome)",
      }),
      creating({
        when: "The answer was lost, and `provider` is another one since",
        shows: "Fulfilled CreationUnsettled",
        names: ["other-cloud", "FloatingIPPool default/web"],
        seen: () => seenOf(wanting({ nodes: [], status: { pendingCreation: { ...OPEN, provider: "other-cloud" } } })),
        fix: "Look in the former account for a new address and release it, then set the annotation; see [below](#a-creation-with-an-unknown-outcome)",
      }),
      creating({
        when: "The namespace has as many created addresses as its limits allow",
        shows: "Fulfilled CreationNotAllowed",
        names: ["tenantLimits.namespaces[0]", "maxCreatedAddresses"],
        seen: () => seenOf(limited("Delete")),
        fix: "Delete a resource with created addresses, or ask for a higher limit",
      }),
      creating({
        when: "All namespaces together have as many created addresses as the limits allow",
        shows: "Fulfilled CreationNotAllowed",
        names: ["tenantLimits", "in all namespaces together", "maxCreatedAddresses"],
        seen: () => seenOf(limited("Delete", { maxCreatedAddresses: 0 })),
        fix: "Delete a resource with created addresses, or ask for a higher limit",
      }),
      creating({
        when: "The limits of the namespace have a maximum, and `reclaimPolicy` is not Delete",
        shows: "Fulfilled CreationNotAllowed",
        names: ["tenantLimits.namespaces[0]", "reclaimPolicy"],
        seen: () => seenOf(limited("Retain")),
        fix: "Set `reclaimPolicy: Delete`",
      }),
      routed({
        when: "The limits of the namespace have a maximum, and the issuer's policy is not Delete",
        shows: "Assigned CreationNotAllowed",
        names: ["tenantLimits.namespaces[0]", "RoutedIPIssuer default/do", "routedIPReclaimPolicy"],
        seen: () => {
          const limits = { namespaces: [{ names: ["default"], maxCreatedAddresses: 1 }] };
          const problem = limitedTo(limits).creationProblem({ ...OTHER, kind: "RoutedIP" }, "Retain", "default/do");
          return routedSeen({ spec: {}, change: () => ({ creationProblem: () => problem }) });
        },
        fix: "Ask the author of the issuer for policy Delete, or set `routedIP` to an address that the class and the issuer allow",
      }),
    ],
  },
];
