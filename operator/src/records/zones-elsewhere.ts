/** Zones that the provider of a record set does not have, and that the account of another provider has. */

import { EXTERNAL_DNS } from "cdk8s-flipop/api";
import type { Clock } from "../clock.js";
import { zoneElsewhere } from "../messages/failed-calls.js";
import type { CallContext } from "../providers/call.js";
import { isProviderError, type ProviderError, withProps } from "../providers/errors.js";
import type { DnsProvider } from "../providers/types.js";
import { MAX_RECORD_SETS, ZONE_NAME_RETRY_MS } from "../timings.js";
import { putLast } from "../values.js";
import type { Caller } from "./cached-record-set.js";

interface Entry {
  readonly found: boolean;
  /** Monotonic ms: when it is asked again. */
  readonly until: number;
}

export class ZonesElsewhere {
  /** By provider and zone. */
  private readonly known = new Map<string, Entry>();

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** The remedy of a missing zone is the one of these providers whose account has it, as last read. */
  nameIn(error: ProviderError, providers: readonly DnsProvider[], zone: string): ProviderError {
    if (error.kind !== "NotFound") return error;
    const other = providers.find(({ name }) => this.known.get(keyOf(name, zone))?.found);
    return other === undefined ? error : withProps(error, { remedy: zoneElsewhere(other.name, zone) });
  }

  /** While the zone is missing: one call to each of these providers, each 10 minutes. */
  async learn(context: CallContext, providers: readonly DnsProvider[], zone: string): Promise<void> {
    // Other providers do not know the id of a zone, and external-dns has no zones of its own.
    const asked = zone.includes(".") ? providers.filter(({ name }) => name !== EXTERNAL_DNS) : [];
    for (const provider of asked) {
      const key = keyOf(provider.name, zone);
      const now = this.clock.monotonic();
      const { found, until } = this.known.get(key) ?? { found: false, until: now };
      if (now < until) continue;
      const entry = { found, until: now + ZONE_NAME_RETRY_MS };
      this.put(key, entry);
      this.put(key, { ...entry, found: await hasZone({ provider, context }, zone) });
    }
  }

  private put(key: string, entry: Entry): void {
    putLast(this.known, key, entry, MAX_RECORD_SETS);
  }
}

async function hasZone({ provider, context }: Caller, zone: string): Promise<boolean> {
  try {
    await provider.read(context, { zone, name: "@", types: ["A"] });
    return true;
  } catch (error) {
    if (isProviderError(error)) return false;
    throw error;
  }
}

function keyOf(provider: string, zone: string): string {
  return `${provider} ${zone.trim().toLowerCase()}`;
}
