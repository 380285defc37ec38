/** What health checks and mass failures leave open at rest: which nodes are candidates for sure, and which moves may wait. Pure. */

import type { Fact, History, ResourceState } from "../history.js";
import { matches } from "../truth.js";
import { BOUNDS } from "./bounds.js";
import { candidateAfterMs } from "./health.js";
import type { Picture, PictureNode, PictureResource } from "./picture.js";

/** A node that no probe and no former failure keeps from being a candidate any more. */
export function isFit(picture: Picture, history: History, state: ResourceState, node: PictureNode): boolean {
  if (!matches(state, node.state, node.name)) return false;
  const { check } = state;
  if (check === undefined) return true;
  const { at } = picture;
  return (
    at - sinceWhen(picture, history, { state, node: node.name }) > candidateAfterMs(history, node.name, { check, at })
  );
}

interface Pair {
  readonly state: ResourceState;
  readonly node: string;
}

/** The last change that may have let the probes of a node begin anew: a node that is refused otherwise is not probed. */
function sinceWhen({ resources }: Picture, history: History, { state, node }: Pair): number {
  const resource = resources.find((one) => one.state === state)?.name;
  const cuts = history.cutOff.filter(({ what }) => what === node).map(({ to }) => to);
  return Math.max(0, lastChange(history.nodes, node), lastChange(history.resources, resource), ...cuts);
}

function lastChange<T>(facts: readonly Fact<T>[], name: string | undefined): number {
  return facts.findLast((fact) => fact.name === name)?.by ?? 0;
}

function conditionOf({ object }: PictureResource, name: string) {
  return object.status?.conditions?.find(({ type, status }) => type === name && status === "True");
}

/** Moves off failed holders wait: the rest of the resource is as it was. */
export function waitsForMassFailure(resource: PictureResource): boolean {
  return conditionOf(resource, "MassFailure") !== undefined;
}

/** A mass failure needs failures; a doubt needs a contradiction between replicas, and there is none once faults have ended. */
export function healthProblems(picture: Picture, history: History, resource: PictureResource): readonly string[] {
  const { message } = conditionOf(resource, "ProbesDoubted") ?? {};
  const doubts = message === undefined ? [] : [`its probes are doubted, though both replicas see the same: ${message}`];
  return [...doubts, ...massFailureProblems(picture, history, resource)];
}

function massFailureProblems(picture: Picture, history: History, resource: PictureResource): readonly string[] {
  if (!waitsForMassFailure(resource)) return [];
  if (resource.state.ignoresMassFailure) return ["it waits for a mass failure, which its annotation overrides"];
  const failed = mayHaveFailed(picture, history).length;
  const { least } = BOUNDS.massFailure;
  return failed >= least
    ? []
    : [`it waits for a mass failure, and ${failed} nodes have failed; ${least} are the least`];
}

/** Nodes that count as failed, or may do so. */
export function mayHaveFailed(picture: Picture, history: History): readonly PictureNode[] {
  const checked = picture.resources.filter(({ state }) => state.check !== undefined);
  return picture.nodes.filter((node) => {
    const { ready, taint, service } = node.state;
    if (!ready || taint === "pressure" || service !== "answers") return true;
    const isWaiting = ({ state }: PictureResource) =>
      matches(state, node.state, node.name) && !isFit(picture, history, state, node);
    return checked.some(isWaiting);
  });
}
