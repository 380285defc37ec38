/** Actions: what takes time in the account. The world changes when one completes, never before. */

import type { Route } from "../http/api.js";
import type { JsonObject } from "../http/json.js";
import type { SimulatorRequest } from "../http/message.js";
import type { ActionData } from "./data.js";
import { notFound } from "./errors.js";
import { page } from "./pagination.js";
import { regionView } from "./regions.js";
import { timestamp } from "./time.js";
import type { World } from "./world.js";

export type ActionStart = Pick<ActionData, "type" | "resourceId" | "resourceType" | "region"> & {
  readonly ip?: string;
  /** Droplets that have a pending event meanwhile. */
  readonly dropletIds?: readonly number[];
  readonly hidden?: boolean;
  /** ms; 0: completed at once. */
  readonly ms: number;
};

/** Starts an action; `complete` changes the world when it has run its time and is not to fail. */
export function startAction(world: World, start: ActionStart, complete: () => void): ActionData {
  const { ms, ip = null, dropletIds = [], hidden = false, ...facts } = start;
  const action: ActionData = {
    ...{ id: world.numbers.nextActionId(), status: "in-progress", completedAt: null },
    ...{ ...facts, ip, dropletIds, hidden, startedAt: world.clock.now() },
  };
  world.data.actions.set(action.id, action);
  world.data.running.add(action.id);
  if (ms <= 0) conclude(world, action, complete);
  else world.scheduler.later(ms, () => conclude(world, action, complete));
  return action;
}

function conclude(world: World, action: ActionData, complete: () => void): void {
  if (action.status !== "in-progress") return;
  const fails = takeFailure(world, action);
  endAction(world, action, fails ? "errored" : "completed");
  if (!fails) complete();
}

/** Ends an action now. */
export function endAction(world: World, action: ActionData, status: "completed" | "errored"): void {
  action.status = status;
  action.completedAt = world.clock.now();
  world.data.running.delete(action.id);
  const address = action.ip === null ? undefined : world.data.addresses.get(action.ip);
  if (address?.actionId === action.id) address.actionId = null;
}

function takeFailure({ failures }: World, { type, ip, dropletIds }: ActionData): boolean {
  const failure = failures.find(
    (candidate) =>
      candidate.times > 0 &&
      (candidate.type === undefined || candidate.type === type) &&
      (candidate.ip === undefined || candidate.ip === ip) &&
      (candidate.dropletId === undefined || dropletIds.includes(candidate.dropletId)),
  );
  if (failure === undefined) return false;
  failure.times--;
  return true;
}

export function runningActions({ data }: World): readonly ActionData[] {
  return [...data.running].flatMap((id) => data.actions.get(id) ?? []);
}

/** Whether the droplet has a pending event, of its own or of an address that comes or goes. */
export function isBusy(world: World, dropletId: number): boolean {
  return runningActions(world).some((action) => action.dropletIds.includes(dropletId));
}

export function actionView(action: ActionData, resourceType: string = action.resourceType): JsonObject {
  const { id, status, type, startedAt, completedAt, resourceId, region } = action;
  return {
    ...{ id, status, type, started_at: timestamp(startedAt) },
    completed_at: completedAt === null ? null : timestamp(completedAt),
    ...{ resource_id: resourceId, resource_type: resourceType, region: regionView(region), region_slug: region },
  };
}

/** `links.actions` of an answer. */
export function actionLink(request: SimulatorRequest, { id, type }: ActionData): JsonObject {
  return { id, rel: type, href: `${request.baseUrl}/v2/actions/${id}` };
}

/** The action that the route names; 404 where it is unknown, hidden, or `belongs` says no. */
export function findAction(
  request: SimulatorRequest,
  { data, settings }: World,
  belongs: (action: ActionData) => boolean,
): ActionData {
  const action = data.actions.get(Number(request.params["action_id"]));
  const visible = action !== undefined && (!action.hidden || settings.switches.byoipActionsVisible);
  if (!visible || !belongs(action)) throw notFound(request);
  return action;
}

/** Newest first. */
export function listActions({ data, settings }: World, belongs: (action: ActionData) => boolean): ActionData[] {
  const visible = (action: ActionData) => !action.hidden || settings.switches.byoipActionsVisible;
  return [...data.actions.values()].filter((action) => visible(action) && belongs(action)).reverse();
}

export const actionRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: "/v2/actions",
    handle: (request, world) =>
      page(
        request,
        "actions",
        listActions(world, () => true),
        (action) => actionView(action),
      ),
  },
  {
    method: "GET",
    path: "/v2/actions/{action_id}",
    handle: (request, world) => ({
      status: 200,
      body: { action: actionView(findAction(request, world, () => true)) },
    }),
  },
];
