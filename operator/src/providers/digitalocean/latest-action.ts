/** The newest action on a reserved IPv4 address. The API lists no actions of IPv6 addresses, nor of borrowed ones. */

import { familyOf } from "cdk8s-flipop/api";
import type { Answer } from "../answer.js";
import { CALL, type CallContext } from "../call.js";
import { isProviderError } from "../errors.js";
import type { LatestAction } from "../types.js";
import { readAction } from "./address-change.js";
import { addressPath } from "./address-routes.js";
import type { DigitalOceanClient } from "./client.js";

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
