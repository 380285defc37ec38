/** The cached state of the record set in a spec, and the calls of a plan: each record set once, for all tokens. */

import { type DnsRecordSet, type DnsStatus, EXTERNAL_DNS } from "cdk8s-flipop/api";
import { normalName } from "../claims/claimed-names.js";
import type { Claim, Claims, ClaimView } from "../claims/claims.js";
import { ZonesOfTokens } from "../claims/zones-of-tokens.js";
import type { Clock } from "../clock.js";
import type { Owned } from "../messages/claims.js";
import type { CallContext } from "../providers/call.js";
import { isProviderError, type ProviderError } from "../providers/errors.js";
import type { LimitWait } from "../providers/layers/limiter.js";
import { type MissingZone, missingZoneSeconds, RecordAccounts } from "../providers/record-accounts.js";
import type { ProviderRegistry } from "../providers/registry.js";
import type { DnsProvider, RecordSetName, RecordType } from "../providers/types.js";
import { MAX_RECORD_SETS } from "../timings.js";
import { omitUndefined, putLast } from "../values.js";
import { straysOf, typesLeft } from "./begun-records.js";
import { RecordSet, type RecordSetView } from "./cached-record-set.js";
import { Delegations } from "./delegations.js";
import { isDesired } from "./foreign-values.js";
import { type NameRemarks, remarksOn, TYPES_OF_SETS } from "./name-remarks.js";
import type { DnsAction, DnsSnapshot, WhichRecords } from "./record-actions.js";
import { RemarkedSets } from "./remarked-sets.js";
import {
  claimPart,
  failurePart,
  lostPlace,
  NoDnsError,
  type OtherSet,
  otherPart,
  ownersOf,
  ownPart,
  readAgainPart,
  unlessInDoubt,
  viewOf,
  withCname,
} from "./snapshot-parts.js";
import { ZoneDomains } from "./zone-domains.js";
import { ZonesElsewhere } from "./zones-elsewhere.js";

export interface DnsQuestion {
  /** Provider of the records. */
  readonly provider: string;
  /** Absent: only what was written counts. */
  readonly wanted: DnsRecordSet | undefined;
  /** Types that the spec asks for. */
  readonly types: readonly RecordType[];
  /** As the status has it. */
  readonly last: DnsStatus | undefined;
  /** `status.begunRecords`. @default none */
  readonly begun?: readonly DnsStatus[] | undefined;
  /** The resource is being deleted. @default false */
  readonly deleting?: boolean;
  readonly claims: ClaimView;
}

interface Tracked {
  readonly provider: DnsProvider;
  readonly set: RecordSet;
}

type TrackedOther = OtherSet & { readonly provider: string; readonly tracked?: Tracked };

export interface DnsView {
  readonly snapshot: DnsSnapshot;
  /** Types of the question that no other resource has. */
  readonly ours: readonly RecordType[];
  /** Who has the others; each once. */
  readonly lost: readonly Owned[];
  readonly reverts: readonly number[];
  readonly sets: Readonly<Record<WhichRecords, Tracked | undefined>>;
  /** Providers of the record sets, also of one that is not set up. */
  readonly providers: Readonly<Record<WhichRecords, string>>;
}

export interface DnsServiceProps {
  readonly records: RecordRegistry;
  /** `undefined`: no such provider, or it has no DNS. */
  readonly dnsOf: (provider: string) => DnsProvider | undefined;
  readonly claims: Pick<Claims, "mayBeClaimed">;
  /** Providers that may have a zone that another one lacks. @default none is asked */
  readonly others?: () => readonly DnsProvider[];
  /** @default no call waits long */
  readonly longWaitOf?: (provider: string) => LimitWait | undefined;
}

export class DnsService {
  constructor(private readonly props: DnsServiceProps) {}

  /** Without I/O and without waiting. */
  evaluate(question: DnsQuestion): DnsView {
    const { wanted, types } = question;
    const claims = types.map((type) => this.claimOfWanted(question, type));
    const ours = types.filter((_, index) => claims[index]?.ours === true);
    const current = wanted && this.track({ ...wanted, provider: question.provider }, ours);
    const [previous, begun] = [this.written(question, question.last), this.begun(question)];
    const decided = claims.filter((claim) => claim !== undefined);
    const remarks = this.remarksOn(question, current);
    const goodForMs = current && remarks && this.props.records.remarked.goodForMs(current.set, remarks);
    const wantedView = this.viewOfWanted(current, goodForMs);
    const view = unlessInDoubt(wantedView, isDesired(question.last, question) ? question.last : undefined, ours);
    const views = { view, previousView: previous.view, begunView: begun.view };
    return {
      snapshot: {
        ...this.capabilitiesOf(question),
        ...(wanted && { fqdn: this.normalName({ ...wanted, provider: question.provider }).fqdn }),
        ...claimPart(decided.find((claim) => claim.ours) ?? decided[0]),
        records: view.records,
        previous: { ...otherPart(previous), ...omitUndefined({ retryAt: previous.view.retryAt }) },
        begun: otherPart(begun),
        ...failurePart(question, views),
        ...readAgainPart(views, this.props.records.clock.now()),
        ...ownPart(view),
        ...omitUndefined({ readAt: view.readAt, remarks, longWait: this.props.longWaitOf?.(question.provider) }),
      },
      ours,
      lost: ownersOf(decided),
      reverts: view.reverts,
      sets: { current, previous: previous.tracked, begun: begun.tracked },
      providers: { current: question.provider, previous: previous.provider, begun: begun.provider },
    };
  }

  /** What an action asks for. Rejects as the provider does. */
  async carryOut({ sets, providers }: DnsView, action: DnsAction, context: CallContext): Promise<void> {
    const tracked = sets[action.which];
    if (tracked === undefined) throw new NoDnsError(providers[action.which]);
    const caller = { provider: tracked.provider, context };
    if (action.do === "apply-records") {
      await tracked.set.apply(caller, action.changes);
      if (action.cause !== undefined) tracked.set.lookAgain();
      return;
    }
    const { zone } = this.placeOf(tracked);
    await tracked.set.read(caller).catch(async (error: unknown) => {
      this.props.records.shown.note(tracked.provider, zone, error);
      if (action.which !== "current" || !isProviderError(error, "NotFound")) throw error;
      await this.props.records.elsewhere.learn(context, this.othersThan(tracked), tracked.set.name.zone);
      throw this.withOther(tracked, error);
    });
    this.props.records.shown.note(tracked.provider, zone);
    await this.props.records.zones.learnDomain(caller, tracked.set.name.zone);
    await this.props.records.delegations.learn(caller, this.placeOf(tracked));
  }

  private viewOfWanted(current: Tracked | undefined, goodForMs: number | undefined): RecordSetView {
    const view = viewOf(current, goodForMs);
    const failure = current && view.failure && this.withOther(current, view.failure);
    return failure === undefined ? withCname(current?.provider.name ?? "", view) : { ...view, failure };
  }

  /** If another account has the zone that this one lacks, that is the remedy. */
  private withOther(tracked: Tracked, error: ProviderError): ProviderError {
    return this.props.records.elsewhere.nameIn(error, this.othersThan(tracked), tracked.set.name.zone);
  }

  private othersThan({ provider }: Tracked): readonly DnsProvider[] {
    if (provider.name === EXTERNAL_DNS) return []; // It has no zones that another account could have instead.
    return (this.props.others?.() ?? []).filter(({ name }) => name !== provider.name);
  }

  /** What was written and is not wanted any more: another name, or types that were dropped. */
  private written(question: DnsQuestion, was: DnsStatus | undefined): TrackedOther {
    if (was === undefined) return { provider: question.provider, view: viewOf(undefined) };
    const left = typesLeft(was, specOf(question));
    const claims = left.map((type) => this.claimOn(question, was, type));
    const ours = left.filter((_, index) => claims[index]?.ours !== false);
    const tracked = this.track(was, ours);
    const view = unlessInDoubt(viewOf(tracked), was, ours);
    const lost = ours.length === 0 ? undefined : lostPlace(tracked, view);
    const claim = claims.find((each) => each?.ours) ?? claims[0];
    return { provider: was.provider, view, ...omitUndefined({ tracked, claim, lost }) };
  }

  /** Of a resource that goes, also what the spec names. */
  private begun(question: DnsQuestion): TrackedOther {
    const { begun, deleting = false } = question;
    const asked = deleting ? { ...question, wanted: undefined } : question;
    return this.written(asked, straysOf(begun, specOf(asked))[0]);
  }

  private remarksOn({ types, provider }: DnsQuestion, current: Tracked | undefined): NameRemarks | undefined {
    if (current === undefined) return undefined;
    const { claims, records } = this.props;
    const named = this.placeOf(current);
    const isManaged = (type: RecordType) => types.includes(type) || claims.mayBeClaimed({ provider, ...named, type });
    const delegation = records.delegations.lookUp(current.provider, named);
    const remarks = remarksOn(records.allOf(current.provider, current.set.name), { own: types, isManaged });
    return { ...remarks, ...omitUndefined({ delegation }) };
  }

  private placeOf({ provider, set: { name } }: Tracked) {
    return this.normalName({ provider: provider.name, zone: name.zone, recordName: name.name });
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

  private claimOn({ claims }: DnsQuestion, named: NamedSet, type: RecordType): Claim | undefined {
    const wanted = this.normalName(named);
    const found = claims.names.find(
      (name) =>
        name.provider === named.provider &&
        name.type === type &&
        name.zone === wanted.zone &&
        name.fqdn === wanted.fqdn,
    );
    return found?.claim;
  }

  private normalName({ provider, zone, recordName }: NamedSet) {
    return normalName(provider, { zone, name: recordName }, this.props.records.zones.lookUp);
  }
}

/** The DNS provider of a name, where it is set up and has DNS. */
export function ofRegistry(
  registry: Pick<ProviderRegistry, "names" | "get">,
): Pick<DnsServiceProps, "dnsOf" | "longWaitOf" | "others"> {
  const setOf = (provider: string) => (registry.names.includes(provider) ? registry.get(provider, "dns") : undefined);
  return {
    dnsOf: (provider) => setOf(provider)?.dns,
    longWaitOf: (provider) => setOf(provider)?.longWait?.("records"),
    others: () => registry.names.flatMap((provider) => setOf(provider)?.dns ?? []),
  };
}

function specOf({ wanted, provider, types: asked }: DnsQuestion) {
  return { wanted, provider, types: { asked } };
}

type NamedSet = Pick<DnsStatus, "provider" | "zone" | "recordName">;

export class RecordRegistry {
  readonly zones = new ZoneDomains();
  readonly remarked: RemarkedSets;
  private readonly sets = new Map<string, RecordSet>();
  readonly delegations: Delegations;
  readonly elsewhere: ZonesElsewhere;
  readonly shown: ZonesOfTokens;
  readonly accounts: RecordAccounts;

  /**
   * @param driftMs what others change is restored within this.
   * @param onZoneFound names of a zone that was missing may be tried.
   */
  constructor(
    readonly clock: Clock,
    private readonly driftMs: number,
    onZoneFound?: () => void,
  ) {
    this.delegations = new Delegations(clock);
    this.elsewhere = new ZonesElsewhere(clock);
    this.shown = new ZonesOfTokens(clock, (provider, zone) => this.zones.notify(provider, zone));
    this.remarked = new RemarkedSets(clock);
    this.accounts = new RecordAccounts(clock, onZoneFound);
  }

  /** Those that were asked for on a name, of whatever types. */
  allOf(provider: Pick<DnsProvider, "name">, name: RecordSetName): readonly RecordSet[] {
    return TYPES_OF_SETS.flatMap((types) => this.sets.get(recordKey(provider.name, { ...name, types })) ?? []);
  }

  /** The same object as long as provider, zone, name and types mean the same. */
  of(provider: Pick<DnsProvider, "name">, name: RecordSetName): RecordSet {
    const key = recordKey(provider.name, name);
    const { clock, driftMs, accounts } = this;
    const missing = () => [...this.sets.values()].flatMap((one) => one.missingZone ?? []);
    const zonelessSeconds = (zone: MissingZone) => missingZoneSeconds(missing(), zone);
    const set = this.sets.get(key) ?? new RecordSet(name, clock, { driftMs, accounts, zonelessSeconds });
    set.handTo(provider);
    putLast(this.sets, key, set, MAX_RECORD_SETS);
    return set;
  }
}

function recordKey(provider: string, name: RecordSetName): string {
  const { zone, fqdn } = normalName(provider, name);
  return `${provider} ${zone} ${fqdn} ${[...name.types].sort().join("+")}`;
}
