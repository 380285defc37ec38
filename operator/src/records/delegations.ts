/** Names below a zone that it leaves to another one by NS records: resolvers never see what it has of them. */

import type { Clock } from "../clock.js";
import { isProviderError } from "../providers/errors.js";
import type { DnsProvider } from "../providers/types.js";
import { DELEGATION_MAX_AGE_MS, MAX_RECORD_SETS } from "../timings.js";
import { putLast } from "../values.js";
import type { Caller } from "./cached-record-set.js";

/** Where a record set is, as `normalName` writes it. */
interface Place {
  readonly zone: string;
  readonly fqdn: string;
}

export interface Delegation {
  /** That has the NS records. */
  readonly zone: string;
  /** Of the NS records, and so of the zone that resolvers ask. */
  readonly name: string;
}

interface Entry {
  readonly delegated: boolean;
  /** Monotonic ms: when it is read again. */
  readonly until: number;
}

export class Delegations {
  /** By provider, zone and name; record sets of one parent share it. */
  private readonly known = new Map<string, Entry>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** As last read. */
  lookUp({ name: provider }: Pick<DnsProvider, "name">, { zone, fqdn }: Place): Delegation | undefined {
    const name = parentsOf(zone, fqdn).find((parent) => this.known.get(keyOf(provider, zone, parent))?.delegated);
    return name === undefined ? undefined : { zone, name };
  }

  /** Most names are right below their zone, and cost no call; others cost one for each label between, each 10 minutes. */
  async learn(caller: Caller, { zone, fqdn }: Place): Promise<void> {
    for (const parent of parentsOf(zone, fqdn)) {
      if (await this.isDelegated(caller, zone, parent)) return;
    }
  }

  private async isDelegated({ provider, context }: Caller, zone: string, name: string): Promise<boolean> {
    const key = keyOf(provider.name, zone, name);
    const now = this.clock.monotonic();
    const { delegated, until } = this.known.get(key) ?? { delegated: false, until: now };
    if (now < until || provider.isDelegated === undefined) return delegated;
    this.put(key, { delegated, until: now + DELEGATION_MAX_AGE_MS });
    try {
      const found = await provider.isDelegated(context, { zone, name });
      // A person who deletes the NS records need not wait for long.
      this.put(key, { delegated: found, until: found ? now : now + DELEGATION_MAX_AGE_MS });
      return found;
    } catch (error) {
      // The record set itself was read: this is a remark on it, and can wait.
      if (isProviderError(error)) return delegated;
      throw error;
    }
  }

  private put(key: string, entry: Entry): void {
    putLast(this.known, key, entry, MAX_RECORD_SETS);
  }
}

/** The names between the zone and the record set, from the zone on. Of a zone whose domain is not known: none. */
function parentsOf(zone: string, fqdn: string): readonly string[] {
  if (!zone.includes(".") || !fqdn.endsWith(`.${zone}`)) return [];
  const labels = fqdn.slice(0, -zone.length - 1).split(".");
  const parents = labels.map((_, index) => `${labels.slice(index).join(".")}.${zone}`).slice(1);
  return parents.reverse().slice(0, MOST_PARENTS);
}

/** Hardly a name has more labels between. */
const MOST_PARENTS = 3;

function keyOf(provider: string, zone: string, name: string): string {
  return `${provider} ${zone} ${name}`;
}
