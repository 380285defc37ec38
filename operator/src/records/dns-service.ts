/** Leads from the record set in a spec to its cached state, and to the calls of a plan. */

import type { DnsRecordSet, DnsStatus } from "cdk8s-flipop/api";
import { refText } from "../claims/claimant.js";
import type { Claim, ClaimView } from "../claims/claims.js";
import { normalName } from "../claims/dns-name.js";
import type { CallContext } from "../providers/call.js";
import type { ProviderRegistry } from "../providers/registry.js";
import type { DnsProvider, RecordSetName, RecordType } from "../providers/types.js";
import { problemOf } from "../reconcile/conditions/problem.js";
import type { DnsAction, WhichRecords } from "./actions.js";
import type { DnsSnapshot } from "./dns-snapshot.js";
import type { RecordRegistry } from "./record-registry.js";
import { isSameName } from "./record-sequence.js";
import type { RecordSet, RecordSetView } from "./record-set.js";

export interface DnsQuestion {
  /** Provider of the records. */
  readonly provider: string;
  /** Absent: only what was written counts. */
  readonly wanted: DnsRecordSet | undefined;
  /** Types that the spec asks for. */
  readonly types: readonly RecordType[];
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
  readonly claims: ClaimView;
}

interface Tracked {
  readonly provider: DnsProvider;
  readonly set: RecordSet;
}

export interface DnsView {
  readonly snapshot: DnsSnapshot;
  /** Types of the question that no other resource has. */
  readonly ours: readonly RecordType[];
  /** Who has the others, in words. */
  readonly lost: readonly string[];
  readonly reverts: readonly number[];
  readonly sets: Readonly<Record<WhichRecords, Tracked | undefined>>;
}

export interface DnsServiceProps {
  readonly records: RecordRegistry;
  /** `undefined`: no such provider, or it has no DNS. */
  readonly dnsOf: (provider: string) => DnsProvider | undefined;
}

export class DnsService {
  constructor(private readonly props: DnsServiceProps) {}

  /** Without I/O and without waiting. */
  evaluate(question: DnsQuestion): DnsView {
    const { wanted, types } = question;
    const claims = types.map((type) => this.claimOfWanted(question, type));
    const ours = types.filter((_, index) => claims[index]?.ours === true);
    const current = wanted && this.track({ ...wanted, provider: question.provider }, ours);
    const { previous, claim: previousClaim } = this.previous(question);
    const decided = claims.filter((claim) => claim !== undefined);
    const [view, previousView] = [viewOf(current), viewOf(previous)];
    return {
      snapshot: {
        ...this.capabilitiesOf(question),
        ...claimPart(decided.find((claim) => claim.ours) ?? decided[0]),
        records: view.records,
        previous: { records: previousView.records, ...claimPart(previousClaim) },
        ...degradedReasonOf([view, previousView]),
        ...(view.readAgainAt === undefined ? {} : { readAgainAt: view.readAgainAt }),
      },
      ours,
      lost: [...new Set(decided.flatMap((claim) => (claim.ours ? [] : [lostText(claim, wanted)])))],
      reverts: view.reverts,
      sets: { current, previous },
    };
  }

  /** What an action asks for. Rejects as the provider does. */
  async carryOut({ sets }: DnsView, action: DnsAction, context: CallContext): Promise<void> {
    const tracked = sets[action.which];
    if (tracked === undefined) throw new NoDnsError(action.which);
    const caller = { provider: tracked.provider, context };
    if (action.do === "apply-records") return tracked.set.apply(caller, action.changes);
    await tracked.set.read(caller);
    await this.props.records.zones.recordOutcome(caller, tracked.set.name.zone);
  }

  /** What was written and is not wanted any more: another name, or types that were dropped. */
  private previous(question: DnsQuestion): {
    readonly previous: Tracked | undefined;
    readonly claim: Claim | undefined;
  } {
    const { last, wanted, provider, types } = question;
    if (last === undefined) return { previous: undefined, claim: undefined };
    const renamed = wanted === undefined || !isSameName(last, { ...wanted, provider });
    const left = renamed ? last.types : last.types.filter((type) => !types.includes(type));
    const claims = left.map((type) => this.claimOn(question, last, type));
    const ours = left.filter((_, index) => claims[index]?.ours !== false);
    return { previous: this.track(last, ours), claim: claims[0] };
  }

  private capabilitiesOf({ provider }: DnsQuestion): Pick<DnsSnapshot, "capabilities"> {
    const dns = this.props.dnsOf(provider);
    return dns === undefined ? {} : { capabilities: dns.capabilities };
  }

  private claimOfWanted(question: DnsQuestion, type: RecordType): Claim | undefined {
    const { wanted, provider } = question;
    return wanted && this.claimOn(question, { ...wanted, provider }, type);
  }

  private track(name: NamedSet, types: readonly RecordType[]): Tracked | undefined {
    const provider = this.props.dnsOf(name.provider);
    if (provider === undefined || types.length === 0) return undefined;
    const asked: RecordSetName = { zone: name.zone, name: name.recordName, types };
    return { provider, set: this.props.records.of(provider, asked) };
  }

  private claimOn(
    { claims }: DnsQuestion,
    { provider, zone, recordName }: NamedSet,
    type: RecordType,
  ): Claim | undefined {
    const wanted = normalName(provider, { zone, name: recordName }, this.props.records.zones.lookUp);
    const found = claims.names.find(
      (name) =>
        name.provider === provider && name.type === type && name.zone === wanted.zone && name.fqdn === wanted.fqdn,
    );
    return found?.claim;
  }
}

/** A plan asked for a call to a provider that has gone meanwhile. */
export class NoDnsError extends Error {
  override readonly name = "NoDnsError";

  constructor(which: WhichRecords) {
    super(`no provider with DNS for the ${which} record set: give the operator its credentials`);
  }
}

/** The DNS provider of that name, where it is set up and has DNS. */
export function dnsOfRegistry(registry: Pick<ProviderRegistry, "names" | "get">): DnsServiceProps["dnsOf"] {
  return (provider) => (registry.names.includes(provider) ? registry.get(provider).dns : undefined);
}

function lostText(
  { winner, text }: Extract<Claim, { readonly ours: false }>,
  wanted: DnsRecordSet | undefined,
): string {
  return `${wanted?.recordName}: ${refText(winner)} has it (${text})`;
}

type NamedSet = Pick<DnsStatus, "provider" | "zone" | "recordName">;

/** An absent set has no cached state. */
function viewOf(tracked: Tracked | undefined): RecordSetView {
  return tracked === undefined ? { records: "unknown", reverts: [] } : tracked.set.view();
}

function claimPart(claim: Claim | undefined): { readonly claim?: Claim } {
  return claim === undefined ? {} : { claim };
}

/** Of the first that has any; none is called before the last of them may be. */
function degradedReasonOf(views: readonly RecordSetView[]): Pick<DnsSnapshot, "failure" | "retryAt"> {
  const failure = views.find((view) => view.failure !== undefined)?.failure;
  const times = views.flatMap(({ retryAt }) => retryAt ?? []);
  return {
    ...(failure === undefined ? {} : { failure: problemOf(failure, "ZoneNotFound") }),
    ...(times.length === 0 ? {} : { retryAt: Math.max(...times) }),
  };
}
