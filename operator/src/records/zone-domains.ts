/** Domains of the zones that resources name by an id, as the providers showed them. */

import type { KnownZone, ZoneLookUp } from "../claims/claimed-names.js";
import { isProviderError } from "../providers/errors.js";
import type { Caller } from "./cached-record-set.js";

/** A domain was found out: claims that name its zone by the id may have to be put again. */
type ZoneListener = (provider: string, zone: string) => void;

export class ZoneDomains {
  private readonly domains = new Map<string, KnownZone>();
  private readonly listeners = new Set<ZoneListener>();

  readonly lookUp: ZoneLookUp = (provider, zone) => this.domains.get(zoneKey(provider, zone));

  /** @returns the function that ends it. */
  listen(listener: ZoneListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Costs no call of its own: a provider that names zones by an id has just looked at it to read its records. */
  async learnDomain({ provider, context }: Caller, zone: string): Promise<void> {
    const key = zoneKey(provider.name, zone);
    if (zone.includes(".") || this.domains.has(key)) return;
    try {
      const domain = await provider.fqdn(context, { zone, name: "@", types: [] });
      this.domains.set(key, { domain });
    } catch (error) {
      // A token that may not read the zone: the id goes on standing for it.
      if (isProviderError(error)) return;
      throw error;
    }
    this.notify(provider.name, zone);
  }

  /** What is known of a zone has changed. */
  notify(provider: string, zone: string): void {
    for (const listener of [...this.listeners]) listener(provider, zone);
  }
}

function zoneKey(provider: string, zone: string): string {
  return `${provider} ${zone.trim().toLowerCase()}`;
}
