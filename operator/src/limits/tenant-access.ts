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
  type TenantLimits,
} from "cdk8s-flipop/api";
import type { CreationRegistry } from "../addresses/creation/creation-registry.js";
import { normalName, type ZoneLookUp } from "../claims/read-claims.js";
import type { ResourceRef } from "../inventory/view.js";
import type { Problem } from "../messages/message.js";
import { accessMessages } from "../messages/routing.js";
import { TENANT_LIMITS, tenantMessages } from "../messages/tenants.js";
import type { DnsSnapshot } from "../records/desired-records.js";
import { isSameName } from "../records/same-name.js";
import {
  type AddressAccess,
  type AskedName,
  addressAccessOf,
  addressRefusals,
  isUndecidedName,
  type NameList,
  refusedName,
} from "../routing/access.js";
import { listed } from "../values.js";
import type { CreatedAddresses } from "./created-addresses.js";

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
}

/** A maximum that holds for the addresses of one namespace, or of all. */
interface Maximum {
  readonly of: string;
  readonly most: number;
  readonly count: number;
  readonly counts: (namespace: string) => boolean;
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
    const { addresses } = this.of(namespace);
    if (addresses.length === 0 || !isIp(ip)) return undefined;
    const canonical = canonicalIp(ip);
    const isCreated = this.counters.created.isCreatedFor(namespace, canonical);
    const refusals = addressRefusals(canonical, addresses, isCreated);
    return refusals.length === 0 ? undefined : accessMessages.addressNotAllowed({ ip: canonical, refusals, namespace });
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
    const { of: limiter, most } = this.of(resource.namespace);
    if (most !== undefined && reclaimPolicy !== "Delete") {
      if (issuer === undefined) return tenantMessages.retainNotCounted({ limiter });
      return tenantMessages.issuerRetains({ limiter, issuer });
    }
    const problem = this.fullProblem(resource, this.maxima(resource.namespace));
    if (problem !== undefined) this.counters.creations.wait(resource);
    return problem;
  }

  /** What limits a namespace, for messages. */
  limiterOf(namespace: string): string {
    return this.of(namespace).of;
  }

  private fullProblem(resource: ResourceRef, maxima: readonly Maximum[]): Problem | undefined {
    if (maxima.length === 0) return undefined;
    const open = this.counters.creations.namespacesBeside(resource);
    if (open === "unread") return tenantMessages.notCounted();
    const full = maxima.find(({ most, count, counts }) => count + open.filter(counts).length >= most);
    if (full === undefined) return undefined;
    const { of: limiter, most, ofAll } = full;
    const { namespace } = resource;
    const { created } = this.counters;
    const holders = created.holdersIn(namespace);
    if (ofAll === undefined) return tenantMessages.tooManyCreated({ limiter, most, holders });
    const inNamespace = open.filter((one) => one === namespace).length;
    const own = created.countIn(namespace) + inNamespace;
    const elsewhere = created.total - created.countIn(namespace) + open.length - inNamespace;
    return tenantMessages.tooManyInAll({ limiter, most, own, namespace, holders, elsewhere });
  }

  private maxima(namespace: string): readonly Maximum[] {
    const { created } = this.counters;
    const { of, most } = this.of(namespace);
    const { maxCreatedAddresses: total } = this.limits;
    const isSame = (other: string) => other === namespace;
    return [
      ...(most === undefined ? [] : [{ of, most, count: created.countIn(namespace), counts: isSame }]),
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
  const of = entryText(all, { namespace, index, names: limits.names });
  const { allowedZones, allowedNames, maxCreatedAddresses: most } = limits;
  const isNameLimited = allowedZones !== undefined || allowedNames !== undefined;
  return {
    of,
    addresses: addressAccessOf([{ of, limits }]),
    names: isNameLimited ? [{ of, limits }] : [],
    ...(most === undefined ? {} : { most }),
  };
}

interface Entry {
  readonly namespace: string;
  readonly index: number;
  readonly names: readonly string[];
}

/** With the namespaces that it is for: a change of it changes theirs, too. */
function entryText(all: TenantLimits, { namespace, index, names }: Entry): string {
  const rest = all.namespaces?.slice(index + 1) ?? [];
  const later = limitsOfNamespace({ namespaces: rest }, namespace);
  const late =
    later === undefined || precision(later.limits.names, namespace) <= precision(names, namespace)
      ? ""
      : `; namespaces[${index + 1 + later.index}], for ${listed(later.limits.names)}, matches ${namespace}, too, but comes later, so it does not apply`;
  return `${TENANT_LIMITS}.namespaces[${index}] (for ${listed(names)}${late})`;
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
