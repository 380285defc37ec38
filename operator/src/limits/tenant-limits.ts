/**
 * What the operator's configuration allows a namespace: existing addresses of pools, names of pools and record sets, and how
 * many addresses the operator creates.
 */

import {
  canonicalIp,
  type DeletionPolicy,
  type DnsRecordSet,
  type DnsStatus,
  isIp,
  limitsOfNamespace,
  type NamespaceLimits,
  type TenantLimits,
} from "cdk8s-flipop/api";
import type { CreationRegistry } from "../addresses/creation/creation-registry.js";
import { normalName, type ZoneLookUp } from "../claims/claimed-names.js";
import type { ResourceRef } from "../inventory/view.js";
import { accessMessages } from "../messages/issuers-and-classes.js";
import type { Problem } from "../messages/message.js";
import { additionOf, type LateEntry, TENANT_LIMITS, tenantMessages } from "../messages/tenants.js";
import type { DnsSnapshot } from "../records/record-actions.js";
import { isSameName } from "../records/record-equality.js";
import {
  type AddressAccess,
  type AskedName,
  addressAccessOf,
  addressRefusals,
  isUndecidedName,
  type NameList,
  refusedName,
} from "../routing/address-and-name-access.js";
import { listed, omitUndefined } from "../values.js";
import type { CreatedAddresses } from "./addresses-per-namespace.js";

interface Counters {
  readonly created: CreatedAddresses;
  readonly creations: Pick<CreationRegistry, "namespacesBeside" | "wait">;
}

interface NamespaceAccess {
  /** For messages. */
  readonly of: string;
  readonly addresses: AddressAccess;
  readonly names: readonly NameList[];
  /** Absent: no maximum. */
  readonly most?: number;
  readonly late?: LateLimits;
}

/** A more exact entry, which comes too late to apply. */
interface LateLimits extends Pick<LateEntry, "entry" | "first"> {
  readonly limits: NamespaceLimits;
}

interface TakeOver {
  readonly namespace: string;
  readonly ip: string;
  readonly reclaimPolicy: DeletionPolicy;
  /** See `creationProblem`. */
  readonly issuer?: string | undefined;
  /** The status of the resource cannot say that the address was created: it is about another one, or about one of a Job. */
  readonly isOther?: boolean;
}

/** A maximum that holds for the addresses of one namespace, or of all. */
interface Maximum {
  readonly of: string;
  readonly most: number;
  readonly count: number;
  readonly counts: (namespace: string) => boolean;
  readonly late?: LateLimits;
  /** Of all namespaces together. */
  readonly ofAll?: true;
}

export class TenantAccess {
  private readonly known = new Map<string, NamespaceAccess>();

  constructor(
    private readonly limits: TenantLimits,
    private readonly counters: Counters,
  ) {}

  /** Why a pool of the namespace may not use an address that it names; `undefined`: it may. */
  addressProblem(namespace: string, ip: string): Problem | undefined {
    const { addresses, late } = this.of(namespace);
    if (addresses.length === 0 || !isIp(ip)) return undefined;
    const canonical = canonicalIp(ip);
    const isCreated = this.counters.created.isCreatedFor(namespace, canonical);
    const isLacking = (limits: NamespaceLimits) =>
      addressRefusals(canonical, addressAccessOf([{ of: "", limits }]), isCreated).length > 0;
    const moved = lateFor(late, { isLacking, change: additionOf(canonical) });
    const refusals = addressRefusals(canonical, addresses, isCreated).map((refusal) => ({ ...refusal, ...moved }));
    return refusals.length === 0 ? undefined : accessMessages.addressNotAllowed({ ip: canonical, refusals, namespace });
  }

  /** Whether created addresses of the namespace have a maximum of their own. */
  counts(namespace: string): boolean {
    return this.of(namespace).most !== undefined;
  }

  /**
   * Why a resource may not take over an address that the operator created for another one; `undefined`: it may. Beyond the
   * maximum, or where nothing would count or release it, a team could have any number of addresses.
   */
  takeOverProblem(given: TakeOver): Problem | undefined {
    const { most } = this.of(given.namespace);
    const { created } = this.counters;
    if (most === undefined || !isIp(given.ip) || !created.isCreated(canonicalIp(given.ip))) return undefined;
    if (given.isOther === true || given.reclaimPolicy !== "Delete") return this.uncountedProblem(given);
    if (created.isCreatedFor(given.namespace, canonicalIp(given.ip))) return undefined;
    const count = created.countIn(given.namespace);
    if (count < most) return undefined;
    const isLacking = ({ maxCreatedAddresses = Number.POSITIVE_INFINITY }: NamespaceLimits) =>
      count >= maxCreatedAddresses;
    const limited = this.limitedFor(given, { isLacking, change: "raise maxCreatedAddresses" });
    return tenantMessages.fullForTakeOver({ ...limited, most, holders: created.holdersIn(given.namespace) });
  }

  private uncountedProblem(given: TakeOver): Problem {
    const isLacking = ({ maxCreatedAddresses }: NamespaceLimits) => maxCreatedAddresses !== undefined;
    const limited = this.limitedFor(given, { isLacking, change: "remove maxCreatedAddresses" });
    if (given.isOther === true) return tenantMessages.notTakenOver(limited);
    return tenantMessages.retainNotTakenOver({ ...limited, ...omitUndefined({ issuer: given.issuer }) });
  }

  private limitedFor({ namespace, ip }: TakeOver, wanted: Wanted) {
    const { of: limiter, late } = this.of(namespace);
    return { limiter, ip: canonicalIp(ip), ...lateFor(late, wanted) };
  }

  /** Why a pool or record set may not have a DNS name; `undefined`: it may. */
  nameProblem(asked: AskedName): Problem | undefined {
    const { names } = this.of(asked.namespace);
    return names.length === 0 ? undefined : refusedName(asked, names);
  }

  /**
   * Why no address may be created for the resource now; `undefined`: one may. A creation counts from the turn of its
   * decision on, so two resources never pass a maximum together.
   * @param issuer `namespace/name` of the issuer with the policy. Absent: the resource itself has it.
   */
  creationProblem(resource: ResourceRef, reclaimPolicy: DeletionPolicy, issuer?: string): Problem | undefined {
    const { of: limiter, most, late } = this.of(resource.namespace);
    if (most !== undefined && reclaimPolicy !== "Delete") {
      const isLacking = (limits: NamespaceLimits) => limits.maxCreatedAddresses !== undefined;
      const limited = { limiter, ...lateFor(late, { isLacking, change: "remove maxCreatedAddresses" }) };
      if (issuer === undefined) return tenantMessages.retainNotCounted(limited);
      return tenantMessages.issuerRetains({ ...limited, issuer });
    }
    const problem = this.fullProblem(resource, this.maxima(resource.namespace));
    if (problem !== undefined) this.counters.creations.wait(resource);
    return problem;
  }

  /** What limits a namespace, for messages. */
  limiterOf(namespace: string): string {
    const { of, late } = this.of(namespace);
    return late === undefined ? of : `${of}, which comes before ${late.entry},`;
  }

  private fullProblem(resource: ResourceRef, maxima: readonly Maximum[]): Problem | undefined {
    if (maxima.length === 0) return undefined;
    const open = this.counters.creations.namespacesBeside(resource);
    if (open === "unread") return tenantMessages.notCounted();
    const full = maxima.find(({ most, count, counts }) => count + open.filter(counts).length >= most);
    if (full === undefined) return undefined;
    const { of: limiter, most, ofAll, late, count, counts } = full;
    const { namespace } = resource;
    const { created } = this.counters;
    const holders = created.holdersIn(namespace);
    if (ofAll === undefined) {
      const taken = count + open.filter(counts).length;
      const isLacking = ({ maxCreatedAddresses = Number.POSITIVE_INFINITY }: NamespaceLimits) =>
        taken >= maxCreatedAddresses;
      const moved = lateFor(late, { isLacking, change: "raise maxCreatedAddresses" });
      return tenantMessages.tooManyCreated({ limiter, most, holders, ...moved });
    }
    const inNamespace = open.filter((one) => one === namespace).length;
    const own = created.countIn(namespace) + inNamespace;
    const elsewhere = created.total - created.countIn(namespace) + open.length - inNamespace;
    return tenantMessages.tooManyInAll({ limiter, most, own, namespace, holders, elsewhere });
  }

  private maxima(namespace: string): readonly Maximum[] {
    const { created } = this.counters;
    const { of, most, late } = this.of(namespace);
    const { maxCreatedAddresses: total } = this.limits;
    const isSame = (other: string) => other === namespace;
    return [
      ...(most === undefined
        ? []
        : [{ of, most, count: created.countIn(namespace), counts: isSame, ...omitUndefined({ late }) }]),
      ...(total === undefined
        ? []
        : [{ of: TENANT_LIMITS, most: total, count: created.total, counts: () => true, ofAll: true as const }]),
    ];
  }

  private of(namespace: string): NamespaceAccess {
    const known = this.known.get(namespace) ?? accessOf(this.limits, namespace);
    this.known.set(namespace, known);
    return known;
  }
}

function accessOf(all: TenantLimits, namespace: string): NamespaceAccess {
  const found = limitsOfNamespace(all, namespace);
  if (found === undefined) return { of: "", addresses: [], names: [] };
  const { limits, index } = found;
  const late = omitUndefined({ late: lateEntry(all, namespace, { limits, index }) });
  const of = `${TENANT_LIMITS}.${entryText({ limits, index })}`;
  const { allowedZones, allowedNames, maxCreatedAddresses: most } = limits;
  const isNameLimited = allowedZones !== undefined || allowedNames !== undefined;
  return {
    of,
    addresses: addressAccessOf([{ of, limits }]),
    names: isNameLimited ? [{ of, limits, ...late }] : [],
    ...late,
    ...omitUndefined({ most }),
  };
}

interface Entry {
  readonly limits: NamespaceLimits;
  readonly index: number;
}

/** With the namespaces that it is for: a change of it changes theirs, too. */
function entryText({ limits: { names }, index }: Entry): string {
  return `namespaces[${index}] (for ${listed(names)})`;
}

function lateEntry(all: TenantLimits, namespace: string, applied: Entry): LateLimits | undefined {
  const start = applied.index + 1;
  const later = limitsOfNamespace({ namespaces: all.namespaces?.slice(start) ?? [] }, namespace);
  if (later === undefined) return undefined;
  const { limits, index } = later;
  if (precision(limits.names, namespace) <= precision(applied.limits.names, namespace)) return undefined;
  return { entry: entryText({ limits, index: start + index }), first: entryText(applied), limits };
}

interface Wanted {
  /** Whether limits refuse what was asked, too. */
  readonly isLacking: (limits: NamespaceLimits) => boolean;
  /** That would allow it. */
  readonly change: string;
}

/** What to do about a late entry; nothing where there is none. */
function lateFor(late: LateLimits | undefined, { isLacking, change }: Wanted): { readonly late?: LateEntry } {
  if (late === undefined) return {};
  const { entry, first, limits } = late;
  return { late: { entry, first, ...(isLacking(limits) && { lacks: change }) } };
}

/** Letters of the longest of the names that matches: more in `team-*` than in `*`. */
function precision(names: readonly string[], namespace: string): number {
  const matching = names.filter(
    (name) => limitsOfNamespace({ namespaces: [{ names: [name] }] }, namespace) !== undefined,
  );
  return Math.max(...matching.map((name) => name.replaceAll("*", "").length));
}

export interface LimitedRecords {
  readonly namespace: string;
  /** Of the records. */
  readonly provider: string;
  readonly wanted: DnsRecordSet | undefined;
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
}

/** A name that the operator has written for the resource stays served: a tightened limit is no outage. */
export function recordLimits(
  tenants: TenantAccess,
  zones: ZoneLookUp,
  { namespace, provider, wanted, last }: LimitedRecords,
): Pick<DnsSnapshot, "refused" | "kept"> {
  if (!wanted?.zone || !wanted.recordName) return {};
  const { zone, recordName: name } = wanted;
  const normal = normalName(provider, { zone, name }, zones);
  const problem = tenants.nameProblem({ zone, normal, namespace });
  if (problem === undefined) return {};
  if (last === undefined || !isSameName(last, { ...wanted, provider })) return { refused: problem };
  if (isUndecidedName(problem)) return {};
  return { kept: tenantMessages.nameKept({ name: normal.fqdn, limiter: tenants.limiterOf(namespace) }) };
}

/** It may not have its DNS name, so it does not keep others from it. */
export function isUnnamed(...given: Parameters<typeof recordLimits>): boolean {
  const { refused } = recordLimits(...given);
  return refused !== undefined && !isUndecidedName(refused);
}
