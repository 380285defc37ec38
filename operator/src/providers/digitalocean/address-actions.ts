/** The actions that move addresses: starts them, and reads them. */

import { familyOf } from "cdk8s-flipop/api";
import { CALL, type CallContext } from "../call.js";
import { isProviderError } from "../errors.js";
import type { Answer } from "../http.js";
import type { ActionFacts, ActionState, AddressFacts, LatestAction, ProviderId } from "../types.js";
import { addressPath } from "./address-kinds.js";
import type { ApiRequest, DigitalOceanClient } from "./client.js";
import { dropletIdOf } from "./droplets.js";
import { interpretUnprocessable, isUnprocessable } from "./unprocessable.js";

const STATES: readonly ActionState[] = ["in-progress", "completed", "errored"];

export interface AddressChange {
  readonly ip: string;
  /** `undefined`: unassign. */
  readonly wanted: ProviderId | undefined;
}

interface Tools {
  readonly client: DigitalOceanClient;
  read(ip: string): Promise<AddressFacts | undefined>;
}

/**
 * Starts the action. Refused with 422: the address is read, see unprocessable.ts. Answer lost: the address is read
 * too, since it shows whether the action began; where it cannot be read either, the outcome stays unknown.
 */
export async function changeHolder(tools: Tools, context: CallContext, change: AddressChange): Promise<ActionFacts> {
  const { ip, wanted } = change;
  try {
    return await tools.client.request(context, requestOf(change), (answer) => readAction(answer.at("action"), ip));
  } catch (error) {
    if (isUnprocessable(error)) {
      const refused = { error, address: await tools.read(ip), wanted };
      const meaning = await interpretUnprocessable(tools.client, context, refused);
      if (meaning.kind === "done") return { id: "", ip, state: "completed" };
      throw meaning.error;
    }
    if (!isProviderError(error) || error.outcome !== "unknown" || context.signal?.aborted === true) throw error;
    const seen = await seenAfterLoss(tools, change);
    if (seen === undefined) throw error;
    return seen;
  }
}

/** `action` of an answer. */
export function readAction(action: Answer, ip: string): ActionFacts {
  return { id: String(action.at("id").natural()), ip, state: action.at("status").oneOf(STATES) };
}

function requestOf({ ip, wanted }: AddressChange): ApiRequest {
  const path = `${addressPath(ip)}/actions`;
  if (wanted === undefined) {
    return { call: CALL.unassign, subject: `unassign ${ip}`, method: "POST", path, body: { type: "unassign" } };
  }
  const body = { type: "assign", droplet_id: dropletIdOf(wanted) };
  return { call: CALL.assign, subject: `assign ${ip} to ${wanted}`, method: "POST", path, body };
}

/** What the address shows: done, under way, or nothing that proves that the request arrived. */
async function seenAfterLoss({ read }: Tools, { ip, wanted }: AddressChange): Promise<ActionFacts | undefined> {
  const address = await read(ip).catch(() => undefined);
  if (address === undefined) return undefined;
  if (address.action !== undefined) return { id: "", ip, state: "in-progress" };
  // An IPv6 address has no lock to see: not there yet proves nothing.
  return address.holder === wanted ? { id: "", ip, state: "completed" } : undefined;
}

/** One page: it has the newest action, or only actions that are too old to be the one that the caller looks for. */
export async function readLatestAction(
  client: DigitalOceanClient,
  context: CallContext,
  ip: string,
): Promise<LatestAction | undefined> {
  if (familyOf(ip) !== "IPv4") return undefined;
  const path = `${addressPath(ip)}/actions`;
  const request = { call: CALL.listActions, subject: `list the actions of ${ip}`, method: "GET", path } as const;
  try {
    return await client.request(context, request, (answer) => latestVersion(answer.at("actions").items(), ip));
  } catch (error) {
    if (isProviderError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** The description promises no order; ids grow. */
function latestVersion(items: readonly Answer[], ip: string): LatestAction | undefined {
  const actions = items.map((item) => readItem(item, ip));
  return actions.reduce<LatestAction | undefined>(
    (latest, action) => (latest === undefined || Number(action.id) > Number(latest.id) ? action : latest),
    undefined,
  );
}

function readItem(item: Answer, ip: string): LatestAction {
  const startedAt = item.at("started_at").stringThat((text) => !Number.isNaN(Date.parse(text)), "a time");
  return { ...readAction(item, ip), verb: verbOf(item.at("type").string()), startedAt: Date.parse(startedAt) };
}

/** `assign_ip` and `unassign_ip`, in every spelling. */
function verbOf(type: string): LatestAction["verb"] {
  if (type.startsWith("assign")) return "assign";
  return type.startsWith("unassign") ? "unassign" : "other";
}
