/** Pure: what changes in the cluster when this operator takes over from FLIPOP, the Go operator, or gives back to it. */

import {
  API_GROUP,
  type DnsRecordSet,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  isOwnFinalizer,
  KINDS,
  validateSpec,
} from "cdk8s-flipop/api";
import { Claims } from "../../claims/claims.js";
import type { Lease } from "../../kube/write/lease.js";
import { claimantOf } from "../claim-checks.js";
import { type Finding, ok, problem, warning } from "../doctor/finding.js";
import { isHeld } from "../doctor/leases.js";
import type { KindRead, OwnObject } from "../list-objects.js";

const { FloatingIPPool, NodeDNSRecordSet } = KINDS;

/** The kinds of the Go operator. */
export const GO_KINDS = [FloatingIPPool, NodeDNSRecordSet];

interface Resource {
  readonly kind: string;
  readonly object: OwnObject;
}

export function resourcesOf(reads: readonly KindRead[]): readonly Resource[] {
  return reads.flatMap(({ kind, objects }) => objects.map((object) => ({ kind: kind.kind, object })));
}

export function titleOf({ kind, object: { metadata } }: Resource): string {
  return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
}

/** @param leases of the operator's name, in all namespaces */
export function leaseFinding(leases: readonly Lease[], now: number): Finding {
  const check = "Lease";
  if (leases.length === 0) {
    const remedy = "check that this is the right cluster, and stop the Go operator before you start this one";
    return warning(check, "there is none: the Go operator does not run here, or runs without leader election", remedy);
  }
  const held = leases.filter((lease) => isHeld(lease, now));
  const seen = leases.map((lease) => holderText(lease, held.includes(lease))).join("; ");
  if (held.length > 1) return problem(check, seen, "two operators may act: keep only one of them before you go on");
  const [place] = held.length === 1 ? held : leases;
  if (held.length === 1 || leases.length === 1)
    return ok(check, `${seen}: install this operator in namespace ${place?.metadata?.namespace}`);
  return warning(
    check,
    seen,
    "an operator that ends leaves its Lease: install this operator in the namespace of the Go operator",
  );
}

function holderText({ metadata, spec }: Lease, held: boolean): string {
  const holder = spec?.holderIdentity ? `${spec.holderIdentity}${held ? "" : ", expired"}` : "free";
  return `namespace ${metadata?.namespace} (${holder})`;
}

/** Resources of other groups that mean the same. */
export function foreignFinding(definitions: readonly { readonly metadata: { readonly name: string } }[]): Finding {
  const check = "RoutedIP operator";
  const names = definitions.map(({ metadata }) => metadata.name);
  const foreign = names.filter((name) => /routedip/i.test(name) && !name.endsWith(`.${API_GROUP}`));
  if (foreign.length === 0) return ok(check, "no CRD of another RoutedIP operator is installed");
  const remedy = "see docs/how-to/migrate-from-the-routedip-operator.md before you enable feature routedip";
  return warning(check, `CRDs of another operator: ${foreign.join(", ")}`, remedy);
}

/** Specs that the new CRDs reject, which this operator does not serve. */
export function specFindings(resources: readonly Resource[]): readonly Finding[] {
  return resources.flatMap((resource) => {
    const problems = validateSpec(resource.kind as keyof typeof KINDS, resource.object.spec ?? {});
    const texts = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    return texts === ""
      ? []
      : problem(
          titleOf(resource),
          texts,
          "correct the field: until then, Accepted is False (Invalid), or the operator ignores the value",
        );
  });
}

const ONE_ADDRESS =
  "keep it in one resource, and lower desiredIPs of the other; otherwise the operator creates another address for that";
const ONE_NAME = "keep it in one resource: change or remove dnsRecordSet of the other";

/** Addresses and names that two resources contain: this operator serves one of them. */
export function claimFindings(resources: readonly Resource[]): readonly Finding[] {
  const claims = new Claims();
  const claimants = resources.map(({ kind, object }) => claimantOf(kind, object));
  for (const claimant of claimants) claims.put(claimant);
  return claimants.flatMap(({ ref }) => {
    const { addresses, names } = claims.view(ref.uid);
    const lost = [
      ...[...addresses].map(([ip, claim]) => ({ what: ip, claim, remedy: ONE_ADDRESS })),
      ...names.map(({ fqdn, type, claim }) => ({ what: `${fqdn} (${type})`, claim, remedy: ONE_NAME })),
    ];
    return lost.flatMap(({ what, claim, remedy }) => {
      if (claim.ours) return [];
      const { kind, namespace, name } = claim.owned.owner;
      return problem(
        `${ref.kind} ${ref.namespace}/${ref.name}`,
        `${what} belongs to ${kind} ${namespace}/${name}`,
        remedy,
      );
    });
  });
}

/** What this operator does at once, and the Go operator does not. */
export function changeFindings(resources: readonly Resource[]): readonly Finding[] {
  return resources.filter(({ kind }) => kind === FloatingIPPool.kind).flatMap(poolFindings);
}

const TTL_SECONDS = 60;

function poolFindings(resource: Resource): readonly Finding[] {
  const { desiredIPs = 0, ips = [], dnsRecordSet } = (resource.object.spec ?? {}) as Partial<FloatingIPPoolSpec>;
  const title = titleOf(resource);
  const { size: listed } = new Set(ips);
  const missing = desiredIPs - listed;
  const unset = dnsRecordSet !== undefined && !dnsRecordSet.ttl;
  return [
    ...(missing > 0
      ? [
          warning(
            title,
            `it creates ${missing} ${missing === 1 ? "address" : "addresses"}, which the provider bills`,
            `set desiredIPs to ${listed} to prevent that`,
          ),
        ]
      : []),
    ...(unset
      ? [
          warning(
            title,
            `its records get a TTL of ${TTL_SECONDS} s`,
            "set dnsRecordSet.ttl if they should keep another one",
          ),
        ]
      : []),
  ];
}

/** Finalizers of other programs, which this operator leaves where they are. */
export function foreignFinalizerFindings(resources: readonly Resource[]): readonly Finding[] {
  const remedy = "this operator removes only its own finalizers: find out whose these are";
  return finalizerFindings(resources, remedy, (finalizer) => !isOwnFinalizer(finalizer));
}

/** What keeps a resource from deletion, now or after the change of operators. */
function finalizerFindings(
  resources: readonly Resource[],
  remedy: string,
  isMeant: (finalizer: string) => boolean = () => true,
): readonly Finding[] {
  return resources.flatMap((resource) => {
    const { finalizers: all = [], deletionTimestamp } = resource.object.metadata;
    const finalizers = all.filter(isMeant);
    if (finalizers.length === 0) return [];
    const state = deletionTimestamp === undefined ? "it has" : `its deletion began at ${deletionTimestamp}, and it has`;
    return warning(titleOf(resource), `${state} ${finalizers.join(", ")}`, remedy);
  });
}

/** Fields of a spec that the Go operator drops when it writes a resource, with the value that loses nothing. */
const UNKNOWN_TO_GO: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  FloatingIPPool: {
    ...{ ipFamily: "IPv4", gracePeriodSeconds: 0, nodePreference: "Stable", reclaimPolicy: "Retain", paused: false },
    ...{ healthCheck: undefined, maxMovesPerMinute: undefined, publishTo: undefined },
    ...{ holderLabel: false, untilAssigned: undefined },
  },
  NodeDNSRecordSet: {
    ipFamilies: undefined,
    gracePeriodSeconds: 0,
    emptyPolicy: "Keep",
    paused: false,
    healthCheck: undefined,
  },
};

/** Whether the Go operator can take the resources back. */
export function backFindings(resources: readonly Resource[]): readonly Finding[] {
  const remedy =
    "set the reclaim policy (reclaimPolicy; of an issuer: routedIPReclaimPolicy) and dnsRecordSet.deletionPolicy to Retain, remove publishTo, holderLabel and untilAssigned, and delete RoutedIPs: the Go operator removes no finalizers";
  return [
    ...finalizerFindings(resources, remedy).map((one) => ({ ...one, result: "problem" as const })),
    ...resources.flatMap(droppedIn),
  ];
}

function droppedIn(resource: Resource): readonly Finding[] {
  const { kind, object } = resource;
  const title = titleOf(resource);
  const spec = (object.spec ?? {}) as Readonly<Record<string, unknown>>;
  const { deletionPolicy = "Retain" } = (spec["dnsRecordSet"] ?? {}) as DnsRecordSet;
  const known = Object.entries(UNKNOWN_TO_GO[kind] ?? {});
  const dropped = known.filter(([name, usual]) => Object.hasOwn(spec, name) && spec[name] !== usual);
  const fields = [
    ...dropped.map(([name]) => name),
    ...(deletionPolicy === "Retain" ? [] : ["dnsRecordSet.deletionPolicy"]),
  ];
  const { pendingCreation } = (object.status ?? {}) as FloatingIPPoolStatus;
  const open =
    pendingCreation === undefined
      ? []
      : [
          problem(
            title,
            `the creation of ${pendingCreation.startedAt} is open`,
            "wait until status.pendingCreation is gone",
          ),
        ];
  if (fields.length === 0) return open;
  const seen = `the Go operator drops ${fields.join(", ")}`;
  return [...open, warning(title, seen, "see what that means in docs/how-to/migrate-from-the-go-operator.md")];
}
