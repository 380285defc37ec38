/** Zones by id or by name. Each is read once an hour, however many record sets it has. */

import { domainToASCII } from "node:url";
import { CORRECT_ZONE } from "../../messages/failed-calls.js";
import { ZONE_MAX_AGE_MS, ZONE_NAME_RETRY_MS } from "../../timings.js";
import { CALL, type CallContext, sharedRead, Urgency } from "../call.js";
import { tokenHash } from "../credentials.js";
import { checkZoneName } from "../diff.js";
import { isProviderError, ProviderError, unlessAborted } from "../errors.js";
import type { Answer } from "../http.js";
import { CLOUDFLARE, type CloudflareClient } from "./client.js";

export interface Zone {
  readonly id: string;
  /** In lower case. Absent: the token may not read the zone itself, as FLIPOP never had to. */
  readonly name?: string;
}

/** For the error of a caller that gives up. */
const FINDING = `${CLOUDFLARE}: find a zone`;

interface Entry {
  readonly zone: Promise<Zone>;
  readonly urgency: Urgency;
  readonly until: number;
}

export class Zones {
  private entries = new Map<string, Entry>();
  private hash = "";

  /** @param now wall clock, ms */
  constructor(
    private readonly client: CloudflareClient,
    private readonly now: () => number,
  ) {}

  /** @param zone as in the resource: an id, or a name in any spelling. */
  find(context: CallContext, zone: string): Promise<Zone> {
    if (!isZoneId(zone)) checkZoneName(zone);
    this.dropOthers();
    // A late answer stays with the token that asked.
    const { entries } = this;
    const key = isZoneId(zone) ? zone.trim().toLowerCase() : zoneName(zone);
    const known = entries.get(key);
    known?.urgency.raise(context.priority);
    if (known !== undefined && this.now() < known.until) return unlessAborted(context.signal, FINDING, known.zone);
    const urgency = new Urgency(context.priority);
    const asked = this.ask(sharedRead(context.why, urgency), key);
    entries.set(key, { zone: asked, urgency, until: Number.POSITIVE_INFINITY });
    asked.then(
      ({ name }) => {
        const maxAgeMs = name === undefined ? ZONE_NAME_RETRY_MS : ZONE_MAX_AGE_MS;
        entries.set(key, { zone: asked, urgency, until: this.now() + maxAgeMs });
      },
      () => entries.delete(key),
    );
    return unlessAborted(context.signal, FINDING, asked);
  }

  /** The API does not know the id any more: the zone was removed, and may have come back under another. */
  forget(id: string): void {
    for (const [key, { zone }] of this.entries) {
      zone.then(
        (found) => {
          if (found.id === id) this.entries.delete(key);
        },
        () => undefined,
      );
    }
  }

  /** Another token may see other zones. */
  private dropOthers(): void {
    const hash = tokenHash(this.client.token());
    if (hash !== this.hash) this.entries = new Map();
    this.hash = hash;
  }

  private ask(context: CallContext, key: string): Promise<Zone> {
    return isZoneId(key) ? this.byId(context, key) : this.byName(context, key);
  }

  private async byId(context: CallContext, id: string): Promise<Zone> {
    try {
      return await this.client.zone(context, { call: CALL.zone, subject: `read zone ${id}` }, id, readZone);
    } catch (error) {
      if (isProviderError(error, "Unauthorized") && error.status === 403) return { id };
      throw error;
    }
  }

  private async byName(context: CallContext, name: string): Promise<Zone> {
    const asked = { call: CALL.zone, subject: `find zone ${name}` };
    const found = await this.client.zones(context, asked, { name }, (zone) => ({
      ...readZone(zone),
      active: !zone.at("status").empty && zone.at("status").string() === "active",
    }));
    const named = found.filter((zone) => zone.name === name);
    const active = named.filter((zone) => zone.active);
    const [only, ...others] = active.length > 0 ? active : named;
    if (only !== undefined && others.length === 0) return { id: only.id, name };
    throw only === undefined ? noZone(name) : severalZones(name);
  }
}

/** Cloudflare's ids have 32 hexadecimal digits, and no dot as domains have. */
export function isZoneId(zone: string): boolean {
  return /^[0-9a-f]{32}$/i.test(zone.trim());
}

/** The name as the API has it: lower case, punycode, without the final dot. */
export function zoneName(name: string): string {
  const trimmed = name.trim().toLowerCase().replace(/\.$/, "");
  const ascii = [...trimmed].every((character) => character.charCodeAt(0) < 0x80);
  return ascii ? trimmed : domainToASCII(trimmed) || trimmed;
}

function readZone(zone: Answer): Required<Zone> {
  const id = zone.at("id").stringThat(isZoneId, "a zone's id");
  return { id, name: zone.at("name").string().toLowerCase() };
}

function noZone(name: string): ProviderError {
  return new ProviderError({
    kind: "NotFound",
    where: `${CLOUDFLARE}: find zone ${name}`,
    seen: "the token sees no zone of this name",
    remedy: `${CORRECT_ZONE}; or write the id of the zone there, or have the owner of the DNS account give the token the right Zone:Read on the zone`,
    outcome: "refused",
    retrySafe: false,
  });
}

function severalZones(name: string): ProviderError {
  return new ProviderError({
    kind: "Conflict",
    where: `${CLOUDFLARE}: find zone ${name}`,
    seen: "the token sees several zones of this name",
    remedy: "name the zone by its id in dnsRecordSet.zone",
    outcome: "refused",
    retrySafe: false,
    reason: "Ambiguous",
  });
}
