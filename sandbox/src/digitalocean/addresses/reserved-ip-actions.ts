/** `/v2/reserved_ips/{ip}/actions`, and the same below `/v2/floating_ips`. */

import type { Route } from "../../http/api.js";
import type { JsonObject } from "../../http/json.js";
import type { SimulatorAnswer, SimulatorRequest } from "../../http/message.js";
import { actionView, findAction, listActions } from "../actions.js";
import type { ActionData, AddressData } from "../data.js";
import { notFound, unprocessable } from "../errors.js";
import { bodyOf, integerField, required, textField } from "../fields.js";
import { page } from "../pagination.js";
import type { World } from "../world.js";
import { assign, unassign } from "./address-store.js";
import { addressOfRoute, type Spelling } from "./address-view.js";

/** `{type: assign, droplet_id}` or `{type: unassign}`. */
export function startRequested(request: SimulatorRequest, world: World, address: AddressData): ActionData {
  const body = bodyOf(request);
  const type = required(request, "type", textField(request, body, "type"));
  if (type === "unassign") return unassign(request, world, address);
  if (type !== "assign") throw unprocessable(request, `${type} is not a valid action type.`);
  const dropletId = required(request, "droplet_id", integerField(request, body, "droplet_id"));
  const droplet = world.data.droplets.get(dropletId);
  if (droplet === undefined) throw notFound(request);
  return assign(request, world, address, droplet);
}

function view(world: World, action: ActionData, { one }: Spelling): JsonObject {
  const projectId = world.data.addresses.get(action.ip ?? "")?.projectId ?? world.data.account.uuid;
  return { ...actionView(action, one), project_id: projectId };
}

function concerns({ ip }: AddressData): (action: ActionData) => boolean {
  return (action) => action.ip === ip;
}

export function reservedIpActionRoutes(spelling: Spelling): readonly Route<World>[] {
  const { one, many } = spelling;
  const path = `/v2/${many}/{${one}}/actions`;
  const answer = (status: number, world: World, action: ActionData): SimulatorAnswer => ({
    status,
    body: { action: view(world, action, spelling) },
  });
  return [
    {
      method: "GET",
      path,
      handle: (request, world) => {
        const actions = listActions(world, concerns(addressOfRoute(request, world, spelling)));
        return page(request, "actions", actions, (action) => actionView(action, one));
      },
    },
    {
      method: "POST",
      path,
      handle: (request, world) =>
        answer(201, world, startRequested(request, world, addressOfRoute(request, world, spelling))),
    },
    {
      method: "GET",
      path: `${path}/{action_id}`,
      handle: (request, world) => {
        const address = addressOfRoute(request, world, spelling);
        return answer(200, world, findAction(request, world, concerns(address)));
      },
    },
  ];
}
