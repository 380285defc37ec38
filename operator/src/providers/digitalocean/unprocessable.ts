/**
 * The only place that interprets DigitalOcean's 422, whose text is not part of the API's contract. So the address is read
 * again first, and the droplet only if the words say nothing:
 *
 * 1. it is where it should be            -> done: assigning again to the holder is refused, too
 * 2. it does not exist any more          -> NotFound
 * 3. it is locked                        -> Conflict/AddressBusy
 * 4. the words name a pending event, a taken droplet, a region, a limit
 * 5. the droplet is gone, elsewhere, busy, not running, or has an address: a public IPv4 beside its own
 * 6. none of these                       -> Terminal, with the API's words
 */

import { OCCUPIED_NODE, REMEDIES, type Remedy, startMachine } from "../../messages/failed-calls.js";
import type { CallContext } from "../call.js";
import {
  isProviderError,
  ProviderError,
  type ProviderErrorKind,
  type ProviderErrorReason,
  withProps,
} from "../errors.js";
import type { AddressFacts, ProviderId } from "../types.js";
import type { DigitalOceanClient } from "./client.js";
import { dropletIdOf, findDroplet, providerIdOf } from "./droplets.js";

/** What was attempted when the API answered 422. */
export interface RefusedChange {
  readonly error: ProviderError;
  /** The address as it was read after the refusal; `undefined`: it is gone. */
  readonly address: AddressFacts | undefined;
  /** The holder that was wanted; `undefined`: none. */
  readonly wanted: ProviderId | undefined;
}

/** `done`: the world is as the call wanted it. */
export type Interpretation = { readonly kind: "done" } | { readonly kind: "refused"; readonly error: ProviderError };

/** What a refused assign or unassign means. */
export async function interpretUnprocessable(
  client: DigitalOceanClient,
  context: CallContext,
  change: RefusedChange,
): Promise<Interpretation> {
  const { error, address, wanted } = change;
  if (address === undefined) return refused(error, { kind: "NotFound" });
  if (address.holder === wanted && address.action === undefined) return { kind: "done" };
  if (address.action !== undefined) return refused(error, { kind: "Conflict", reason: "AddressBusy" });
  const said = inWords(error.seen, address);
  if (said !== undefined) return refused(error, said);
  return refused(error, wanted === undefined ? UNKNOWN : await fromDroplet(client, context, { address, wanted }));
}

/** What a refused creation means. It stays a refusal, whatever becomes of the look at the droplet. */
export async function interpretRefusedCreation(
  client: DigitalOceanClient,
  context: CallContext,
  refusal: { readonly error: ProviderError; readonly node: ProviderId | undefined },
): Promise<ProviderError> {
  const { error, node } = refusal;
  const said = creationInWords(error.seen, node);
  if (said !== undefined || node === undefined) return classified(error, said ?? UNKNOWN);
  const meaning = await fromDroplet(client, context, { address: undefined, wanted: node }).catch(ifUnread);
  return classified(error, meaning);
}

/** There is no address yet that could be of another region. A lack of addresses ends by itself: nothing is wrong with the spec. */
function creationInWords(seen: string, node: ProviderId | undefined): Meaning | undefined {
  const said = inWords(seen, undefined);
  if (said?.kind === "QuotaExceeded") return said;
  if (NONE_LEFT.test(seen)) return NO_CAPACITY;
  if (said?.reason !== "WrongRegion") return said;
  return { kind: "Terminal", remedy: node === undefined ? BAD_REGION : BAD_REGION_OF_NODE };
}

/** The droplet could not be read: the API said no, and nothing more is known. */
function ifUnread(error: unknown): Meaning {
  if (!isProviderError(error)) throw error;
  return {
    kind: "Conflict",
    remedy: { operator: "the droplet could not be read to find out why; the operator tries the creation again" },
  };
}

/** What a refused release means. @param address as it was read after the refusal */
export function interpretRefusedRelease(error: ProviderError, address: AddressFacts | undefined): ProviderError {
  if (address?.holder !== undefined) {
    return classified(error, { kind: "Conflict", reason: "HeldElsewhere", remedy: "unassign it first" });
  }
  const said = inWords(error.seen, address);
  const busy = address?.action !== undefined || said?.kind === "Conflict";
  if (busy) return classified(error, { kind: "Conflict", reason: "AddressBusy" });
  return classified(error, { kind: "Terminal", remedy: "release it in the provider's console, or leave it" });
}

/** What a refused record means. */
export function interpretRefusedRecord(error: ProviderError): ProviderError {
  if (/exist|duplicate|cname/i.test(error.seen)) {
    return classified(error, { kind: "Conflict", reason: "RecordExists", remedy: REMEDIES.RecordExists });
  }
  return classified(error, { kind: "Terminal", remedy: "correct dnsRecordSet (zone, recordName, ttl)" });
}

/** What a refused change of a firewall means. @param joining the droplets that it adds */
export function interpretRefusedFirewall(error: ProviderError, joining: readonly ProviderId[] = []): ProviderError {
  if (/limit|maximum|too many|more than/i.test(error.seen)) {
    return classified(error, { kind: "QuotaExceeded", remedy: FIREWALL_LIMIT });
  }
  if (/duplicate|exist|taken/i.test(error.seen)) return classified(error, { kind: "Conflict" });
  return classified(error, {
    kind: "Terminal",
    remedy: joining.length === 0 ? REFUSED_RULES : refusedDroplets(joining),
  });
}

const REFUSED_RULES = "correct routedIPFirewallName or the service's ports";

/** The API does not say whether it refuses the droplet or the firewall. */
function refusedDroplets(droplets: readonly ProviderId[]): string {
  return `have the owner of the account check ${droplets.join(", ")}; if the firewall refuses other machines, too, check the firewall`;
}

/** Whether an error is one that must be interpreted here. */
export function isUnprocessable(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.status === 422;
}

interface Meaning {
  readonly kind: ProviderErrorKind;
  readonly reason?: ProviderErrorReason;
  readonly remedy?: Remedy;
}

const FIREWALL_LIMIT =
  "open fewer ports, run the Services on fewer nodes, or have the owner of the account ask the provider for a higher limit";
const UNKNOWN: Meaning = {
  kind: "Terminal",
  remedy: "correct in the resource or in the account what the answer names",
};
const BAD_REGION =
  "correct region (if the resource has none, match nodes of another region): the provider must offer new addresses in it";
const BAD_REGION_OF_NODE = "match nodes of a region in which the provider offers new addresses";
/** Such as "There are no reserved IPs available", and not "the region is not available". */
const NONE_LEFT =
  /\bno\b[^.;]*\b(ips?|addresses)\b[^.;]*\bavailable\b|\bno available\b[^.;]*\b(ips?|addresses)\b|\b(no|not enough|insufficient|out of) capacity\b/i;
const NO_CAPACITY: Meaning = {
  kind: "Conflict",
  remedy: {
    operator: "the provider has no new address to give there now, and the operator tries again",
    person: "if this lasts, match nodes of another region, or list addresses that the account already has",
  },
};
const OCCUPIED: Meaning = {
  kind: "Conflict",
  reason: "NodeOccupied",
  remedy: OCCUPIED_NODE,
};
const BUSY: Meaning = {
  kind: "Conflict",
  reason: "NodeBusy",
  remedy: { operator: "the operator tries again once the droplet's event is over" },
};

/** Pure: the texts that the API is known to use. */
function inWords(seen: string, address: AddressFacts | undefined): Meaning | undefined {
  const text = seen.toLowerCase();
  if (/(floating|reserved) ip.*pending event/.test(text)) return { kind: "Conflict", reason: "AddressBusy" };
  if (/pending event/.test(text)) return BUSY;
  if (/limit|quota|maximum number/.test(text)) return { kind: "QuotaExceeded" };
  if (/region|datacenter/.test(text)) return wrongRegion(address);
  if (/must be unassigned|unassign .*first|assigned to another/.test(text)) {
    const remedy = { operator: "the operator unassigns it first, then assigns it" };
    return { kind: "Conflict", reason: "HeldElsewhere", remedy };
  }
  if (/droplet already has|already has an? .*(ip|address)/.test(text)) return OCCUPIED;
  if (/not enabled on/.test(text)) {
    return {
      kind: "Conflict",
      reason: "NodeUnfit",
      remedy: "have the owner of the account enable IPv6 on the droplet, or match other nodes",
    };
  }
  return undefined;
}

async function fromDroplet(
  client: DigitalOceanClient,
  context: CallContext,
  { address, wanted }: { readonly address: AddressFacts | undefined; readonly wanted: ProviderId },
): Promise<Meaning> {
  const droplet = await findDroplet(client, context, dropletIdOf(wanted));
  if (droplet === undefined)
    return { kind: "NotFound", remedy: { operator: `droplet ${wanted} is gone; the operator chooses another node` } };
  if (address !== undefined && droplet.region !== address.region) return wrongRegion(address);
  if (droplet.locked) return BUSY;
  if (droplet.status !== "active") {
    const remedy = startMachine(providerIdOf(droplet.id), droplet.status);
    return { kind: "Conflict", reason: "NodeUnfit", remedy };
  }
  return droplet.publicIpv4.length > 1 && address?.family !== "IPv6" ? OCCUPIED : UNKNOWN;
}

function wrongRegion(address: AddressFacts | undefined): Meaning {
  const from = address === undefined ? "" : ` (${address.ip} belongs to ${address.region})`;
  return {
    kind: "Conflict",
    reason: "WrongRegion",
    remedy: `use an address of the region of the nodes, or match only nodes of its own region${from}`,
  };
}

function refused(error: ProviderError, meaning: Meaning): Interpretation {
  return { kind: "refused", error: classified(error, meaning) };
}

function classified(error: ProviderError, { kind, reason, remedy }: Meaning): ProviderError {
  return withProps(error, { kind, remedy: remedy ?? REMEDIES[kind], ...(reason === undefined ? {} : { reason }) });
}
