/** A DNS provider in memory: applies step by step, counts calls, and fails where a test says so. */

import type { CallContext } from "../../src/providers/call.js";
import { byType, fullRecordName } from "../../src/providers/diff.js";
import {
  ProviderError,
  type ProviderErrorKind,
  type ProviderErrorProps,
  supersededError,
} from "../../src/providers/errors.js";
import type {
  DnsCapabilities,
  DnsProvider,
  RecordChangeSet,
  RecordFacts,
  RecordSetFacts,
  RecordSetName,
  RecordStep,
} from "../../src/providers/types.js";

/** Asked before each call; what it gives back is what the call comes to. `lost`: done all the same. */
export type Fault = (
  call: "read" | RecordStep["do"],
) => { readonly error: ProviderError; readonly lost?: boolean } | undefined;

export class FakeDns implements DnsProvider {
  capabilities: DnsCapabilities = { ttl: (seconds: number) => Math.max(seconds, 30), owner: false };
  readonly records = new Map<string, RecordFacts[]>();
  /** Calls as DigitalOcean counts them: `read`, `create`, `update`, `delete`, with what they are about. */
  readonly calls: string[] = [];
  /** Runs before each step of a change, as a call waits for the limits of its account. */
  beforeStep: (step: RecordStep) => Promise<void> = () => Promise.resolve();
  /** Asks before each step whether the change is still wanted. */
  asksAgain = false;
  /** Called after each step of a change. */
  afterStep: () => void = () => undefined;
  fault: Fault = () => undefined;
  /** Names with NS records. */
  readonly delegated = new Set<string>();
  /** Domains of zone ids. */
  readonly zones = new Map<string, string>();
  /** Runs while a read is under way. */
  duringRead: () => Promise<void> = () => Promise.resolve();
  /** What reads show of a name, where they lag behind writes. */
  shown: (fqdn: string) => readonly RecordFacts[] = (fqdn) => this.of(fqdn);
  private lastId = 0;

  constructor(readonly name = "digitalocean") {}

  accountKey(): Promise<string> {
    return Promise.resolve("account");
  }

  fqdn(_context: CallContext, { zone, name }: RecordSetName): Promise<string> {
    return Promise.resolve(fullRecordName(this.zones.get(zone) ?? zone, name));
  }

  async read(context: CallContext, name: RecordSetName): Promise<RecordSetFacts> {
    const fqdn = await this.fqdn(context, name);
    this.calls.push(`read ${fqdn} ${name.types.join("+")}`);
    const fault = this.fault("read");
    if (fault !== undefined) throw fault.error;
    const seen = byType(this.shown(fqdn), name.types);
    await this.duringRead();
    return { zone: this.zones.get(name.zone) ?? name.zone, fqdn, types: name.types, ...seen };
  }

  isDelegated(_context: CallContext, { name }: Pick<RecordSetName, "zone" | "name">): Promise<boolean> {
    this.calls.push(`NS ${name}`);
    const fault = this.fault("read");
    return fault === undefined ? Promise.resolve(this.delegated.has(name)) : Promise.reject(fault.error);
  }

  async apply(
    context: CallContext,
    { fqdn, steps }: RecordChangeSet,
    stepped?: (step: RecordStep) => void,
  ): Promise<readonly RecordFacts[]> {
    const written: RecordFacts[] = [];
    for (const step of steps) {
      await this.beforeStep(step);
      const because = this.asksAgain ? context.recheck?.() : undefined;
      if (because !== undefined) throw supersededError({ provider: this.name, subject: fqdn }, because);
      const fault = this.fault(step.do);
      this.calls.push(`${step.do} ${fqdn}`);
      if (fault === undefined || fault.lost === true) written.push(...this.step(fqdn, step));
      if (fault !== undefined) throw fault.error;
      stepped?.(step);
    }
    return written;
  }

  /** Addresses of a name, sorted. */
  values(fqdn: string): readonly string[] {
    return this.of(fqdn)
      .map(({ value }) => value)
      .sort();
  }

  /** As somebody else would write it. */
  set(fqdn: string, values: readonly string[], ttl = 60): void {
    const records = values.map((value) => this.record(value, ttl));
    this.records.set(fqdn, records);
  }

  private step(fqdn: string, step: RecordStep): readonly RecordFacts[] {
    const records = this.of(fqdn);
    if (step.do === "delete") {
      this.put(
        fqdn,
        records.filter(({ id }) => id !== step.id),
      );
      return [];
    }
    if (step.do === "create") {
      const made = this.record(step.to, step.ttl);
      this.put(fqdn, [...records, made]);
      return [made];
    }
    if (!records.some(({ id }) => id === step.id)) throw providerError("Conflict", { seen: "the record is gone" });
    const changed = { ...this.record(step.to, step.ttl), id: step.id };
    this.put(
      fqdn,
      records.map((record) => (record.id === step.id ? changed : record)),
    );
    return [changed];
  }

  private put(fqdn: string, records: RecordFacts[]): void {
    this.records.set(fqdn, records);
    this.afterStep();
  }

  private record(value: string, ttl: number): RecordFacts {
    this.lastId += 1;
    return { id: `id-${this.lastId}`, type: value.includes(":") ? "AAAA" : "A", value, ttl };
  }

  of(fqdn: string): readonly RecordFacts[] {
    return this.records.get(fqdn) ?? [];
  }
}

export function providerError(kind: ProviderErrorKind, more: Partial<ProviderErrorProps> = {}): ProviderError {
  return new ProviderError({ kind, where: "dns: a call", seen: kind, remedy: "wait", outcome: "refused", ...more });
}

export const ASKER: CallContext = {
  requester: { kind: "NodeDNSRecordSet", namespace: "default", name: "game" },
  why: "a test",
  priority: "assignment",
};
