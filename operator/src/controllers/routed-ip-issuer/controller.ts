/** RoutedIPIssuers: the operator tries the credentials of each, and keeps each as long as a RoutedIP uses it. */

import { Finalizer } from "cdk8s-flipop/api";
import { type Basis, objectBasis, recheckOf } from "../../addresses/calls/basis.js";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { namespacedSource } from "../../reconcile/objects/source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { type IssuerObject, readIssuer } from "../../routing/resource.js";
import { ACTIONS, type RoutedIPIssuer } from "./actions.js";
import { conditionEvents, eventsOf } from "./events.js";
import { gather, type IssuerTools, prepare } from "./gather.js";
import { plan } from "./plan.js";

export function createIssuerController(tools: IssuerTools): KindController<RoutedIPIssuer> {
  return new KindController(tools.routing.context, kindOf(tools));
}

function kindOf(tools: IssuerTools): Kind<RoutedIPIssuer> {
  const { routing, accounts } = tools;
  return {
    names: {
      kind: "RoutedIPIssuer",
      plural: "routedipissuers",
      controller: "routed-ip-issuer",
      finalizer: Finalizer.inUse,
    },
    source: namespacedSource(routing.issuers, routing.issuerWriters),
    read: readObject,
    remember: () => ({ firewall: undefined }),
    // RoutedIPs that still name the issuer go on with its last good credentials.
    forget: ({ key }) => (routing.usersOfIssuer(key).length > 0 ? undefined : accounts.forget(key)),
    prepare: (state, contextOf) => prepare(tools, state, contextOf),
    gather: (state, issuer) => gather(tools, state, issuer),
    plan: ({ snapshot }) => plan(snapshot),
    actions: ACTIONS,
    status: (_gathered, { retryAt }) => ({ retryAt }),
    recheckOf: (state, { do: verb }) =>
      verb === "remove-firewall" ? recheckOf(() => basisOf(tools, state)) : undefined,
    priorityOf: ({ do: verb }) => (verb === "remove-firewall" ? "records" : undefined),
    accountOf: ({ access }) => access.account,
    // Its clean-up begins when the last RoutedIP is gone.
    isCleaningUp: ({ key }) => routing.usersOfIssuer(key).length === 0,
    events: (_gathered, _plan, result) => eventsOf(result),
    statusEvents: conditionEvents,
    priority: "check",
    workers: 2,
  };
}

function basisOf({ routing }: IssuerTools, state: ResourceState<RoutedIPIssuer>): Basis {
  const users = routing.usersOfIssuer(state.key).length;
  return { ...objectBasis(state.object()?.metadata), "the number of its RoutedIPs": users };
}

function readObject(object: IssuerObject) {
  const read = readIssuer(object);
  if (read === undefined) throw new Error("a RoutedIPIssuer that is there could not be read");
  return read;
}
