/** `/v2/droplets/{id}/actions`: events of a droplet. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import { actionView, findAction, isBusy, listActions, startAction } from "../actions.js";
import type { ActionData, DropletData } from "../data.js";
import { unprocessable } from "../errors.js";
import { bodyOf, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import type { World } from "../world.js";
import { findDroplet } from "./droplets.js";

type Effect = (world: World, droplet: DropletData) => void;

const off: Effect = (_, droplet) => {
  droplet.status = "off";
};
const on: Effect = (_, droplet) => {
  droplet.status = "active";
};
const nothing: Effect = () => undefined;

/** What is seen of a droplet once the event is over. */
const EFFECTS: Readonly<Record<string, Effect>> = {
  enable_backups: nothing,
  disable_backups: nothing,
  change_backup_policy: nothing,
  reboot: nothing,
  power_cycle: on,
  shutdown: off,
  power_off: off,
  power_on: on,
  restore: nothing,
  password_reset: nothing,
  resize: nothing,
  rebuild: nothing,
  rename: nothing,
  change_kernel: nothing,
  enable_ipv6: (world, droplet) => {
    droplet.publicIpv6 ??= world.numbers.dropletIpv6();
  },
  snapshot: nothing,
};

/** Starts an event. @param ms @default the settings' duration */
export function startEvent(world: World, droplet: DropletData, type: string, ms?: number): ActionData {
  return startWith(world, droplet, { type, ms, effect: EFFECTS[type] ?? nothing });
}

interface Event {
  readonly type: string;
  readonly ms: number | undefined;
  readonly effect: Effect;
}

function startWith(world: World, droplet: DropletData, { type, ms, effect }: Event): ActionData {
  const { id, region } = droplet;
  return startAction(
    world,
    {
      ...{ type, resourceId: id, resourceType: "droplet", region, dropletIds: [id] },
      ms: ms ?? world.settings.durations.event,
    },
    () => effect(world, droplet),
  );
}

function post(request: SimulatorRequest, world: World): SimulatorAnswer {
  const droplet = findDroplet(request, world);
  const body = bodyOf(request);
  const type = required(request, "type", textField(request, body, "type"));
  const known = EFFECTS[type];
  if (known === undefined) throw unprocessable(request, `${type} is not a valid action type.`);
  if (isBusy(world, droplet.id)) throw unprocessable(request, "Droplet already has a pending event.");
  if (type === "power_on" && droplet.status === "active") {
    throw unprocessable(request, "Droplet is already powered on.");
  }
  const effect = effectOf(request, body, type) ?? known;
  return answer(201, startWith(world, droplet, { type, ms: undefined, effect }));
}

/** Events whose effect is in the body. */
function effectOf(request: SimulatorRequest, body: JsonObject, type: string): Effect | undefined {
  const field = type === "rename" ? "name" : type === "resize" ? "size" : undefined;
  if (field === undefined) return undefined;
  const value = required(request, field, textField(request, body, field));
  return (_, droplet) => {
    droplet[field] = value;
  };
}

function answer(status: number, action: ActionData): SimulatorAnswer {
  return { status, body: { action: actionView(action) } };
}

function ofDroplet(id: number): (action: ActionData) => boolean {
  return ({ resourceType, resourceId }) => resourceType === "droplet" && resourceId === id;
}

export const dropletActionRoutes: readonly Route<World>[] = [
  {
    method: "GET",
    path: "/v2/droplets/{droplet_id}/actions",
    handle: (request, world) => {
      const { id } = findDroplet(request, world);
      return page(request, "actions", listActions(world, ofDroplet(id)), (action) => actionView(action));
    },
  },
  { method: "POST", path: "/v2/droplets/{droplet_id}/actions", handle: post },
  {
    method: "GET",
    path: "/v2/droplets/{droplet_id}/actions/{action_id}",
    handle: (request, world) => {
      const { id } = findDroplet(request, world);
      return answer(200, findAction(request, world, ofDroplet(id)));
    },
  },
];
