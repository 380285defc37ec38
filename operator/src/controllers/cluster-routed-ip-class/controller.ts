/** ClusterRoutedIPClasses: each says whether it can work, and stays as long as a RoutedIP uses it. */

import { Finalizer } from "cdk8s-flipop/api";
import type { Kind } from "../../reconcile/kind.js";
import { KindController } from "../../reconcile/kind-controller.js";
import { clusterSource } from "../../reconcile/objects/source.js";
import type { ResourceState } from "../../reconcile/resource-state.js";
import { classRules } from "../../routing/resolved-class.js";
import { type ClassObject, readClass } from "../../routing/resource.js";
import { actions, type RoutedClass } from "./actions.js";
import { conditionEvents, eventsOf } from "./events.js";
import { type ClassTools, gather, prepare, type Snapshot } from "./gather.js";
import { type Plan, plan } from "./plan.js";

export function createClassController(tools: ClassTools): KindController<RoutedClass> {
  return new KindController(tools.routing.context, kindOf(tools));
}

function kindOf(tools: ClassTools): Kind<RoutedClass> {
  const { routing, jobs } = tools;
  return {
    names: {
      kind: "ClusterRoutedIPClass",
      plural: "clusterroutedipclasses",
      controller: "cluster-routed-ip-class",
      finalizer: Finalizer.inUse,
    },
    source: clusterSource(routing.classes, routing.classWriters),
    read: readObject,
    remember: () => ({ firewall: undefined }),
    forget: ({ key }) => jobs?.firewalls.drop(key),
    prepare: (state) => prepare(tools, state),
    gather: (_state, read) => gather(tools, read),
    plan,
    publish: (state, snapshot, made) => publish(tools, state, snapshot, made),
    actions: actions(tools),
    status: (_snapshot, { retryAt }) => ({ retryAt }),
    events: (_snapshot, _plan, result) => eventsOf(result),
    statusEvents: conditionEvents,
    workers: 1,
  };
}

function readObject(object: ClassObject) {
  const read = readClass(object);
  if (read === undefined) throw new Error("a ClusterRoutedIPClass that is there could not be read");
  return read;
}

/** RoutedIPs of the class run again when the state of its firewall has changed. */
function publish(
  { routing, jobs, onFirewall }: ClassTools,
  { memory }: ResourceState<RoutedClass>,
  { metadata: { name }, spec }: Snapshot,
  { firewall }: Plan,
): void {
  if (jobs === undefined || firewall === undefined) return;
  if (firewall.do === "wait" && firewall.problem !== undefined) jobs.firewalls.failed(name, firewall.problem);
  const before = memory.firewall;
  memory.firewall = JSON.stringify(jobs.firewalls.of(name, routing.membersOf(name), classRules(spec)));
  if (before !== undefined && before !== memory.firewall) onFirewall();
}
