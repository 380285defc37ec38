import { type Termination, timestamp } from "./container-run.js";
import type { Container } from "./pod-types.js";

/** The state of one container of a pod. */
export interface ContainerView {
  readonly container: Container;
  readonly restartCount: number;
  readonly state: ContainerState;
}

/** The states of a container. */
export type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Termination };

/** Facts about the pod that its status contains. */
export interface PodFacts {
  readonly startTime: string;
  readonly podIP: string;
}

/** The status of a pod with these containers. */
export function podStatus(facts: PodFacts, views: readonly ContainerView[]) {
  const phase = phaseOf(views);
  const ready = views.every(({ state }) => "running" in state) ? "True" : "False";
  const conditions = [
    condition("PodScheduled", "True"),
    condition("Initialized", "True"),
    condition("ContainersReady", ready),
    condition("Ready", ready),
  ];
  return {
    phase,
    conditions,
    startTime: facts.startTime,
    hostIP: "127.0.0.1",
    podIP: facts.podIP,
    podIPs: [{ ip: facts.podIP }],
    containerStatuses: views.map(containerStatus),
  };
}

/** Succeeded or Failed once all containers have ended for good. */
export function phaseOf(views: readonly ContainerView[]): "Pending" | "Running" | "Succeeded" | "Failed" {
  const codes = views.map(({ state }) => ("terminated" in state ? state.terminated.exitCode : undefined));
  if (!codes.includes(undefined)) return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
  return views.every(({ state, restartCount }) => "waiting" in state && restartCount === 0) ? "Pending" : "Running";
}

function containerStatus({ container, restartCount, state }: ContainerView) {
  const running = "running" in state;
  const { name, image } = container;
  return { name, image, imageID: "", restartCount, ready: running, started: running, state };
}

function condition(type: string, status: "True" | "False") {
  return { type, status, lastTransitionTime: timestamp() };
}
