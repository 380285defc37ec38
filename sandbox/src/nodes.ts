/** Nodes of the sandbox: each is a droplet of the simulated account, so that both APIs tell the same. */

import type { DigitalOceanSimulator } from "./digitalocean/simulator.js";
import type { Emulator, JsonObject } from "./kubernetes/index.js";

/** The two sides of a node. */
export interface NodeHosts {
  readonly kubernetes: Emulator;
  readonly digitalocean: Pick<DigitalOceanSimulator, "state">;
}

export interface NewNode {
  readonly name: string;
  /** @default nyc3 */
  readonly region?: string;
  /** Beside those that a cloud controller manager sets. @default none */
  readonly labels?: Readonly<Record<string, string>>;
  /** @default v1.35.4 */
  readonly kubeletVersion?: string;
  /** Of the droplet. @default none */
  readonly tags?: readonly string[];
  /** False: it still boots. @default true */
  readonly ready?: boolean;
}

/** The facts of a droplet that its node contains. */
export interface Machine {
  readonly id: number;
  readonly publicIp: string;
  readonly privateIp: string;
  readonly region: string;
}

const DEFAULT_VERSION = "v1.35.4";

/** A droplet that is a node. Returns its provider id. Throws for a name that is taken. */
export function addNode({ kubernetes, digitalocean }: NodeHosts, node: NewNode): string {
  const { name, region, tags = [] } = node;
  if (kubernetes.get(refTo(name)) !== undefined)
    throw new Error(`there is a node ${name} already: choose another name`);
  const droplet = digitalocean.state.addDroplet({ name, tags, ...(region === undefined ? {} : { region }) });
  putNode(kubernetes, node, droplet);
  return providerIdOf(droplet);
}

/** A node for a machine, wherever that is. */
export function putNode(kubernetes: Emulator, node: NewNode, machine: Machine): void {
  kubernetes.create(nodeObject(node, machine, kubernetes.timestamp()));
  if (node.ready === false) return;
  // Admission taints a new node until it is ready, and no node controller runs here that would take the taint away.
  kubernetes.change(refTo(node.name), (object) => {
    const { taints: _, ...spec } = object["spec"] as JsonObject;
    return { ...object, spec };
  });
}

/** Deletes node and droplet, as an autoscaler does. Throws for a name that is unknown. */
export function removeNode({ kubernetes, digitalocean }: NodeHosts, name: string): void {
  const node = kubernetes.get(refTo(name));
  if (node === undefined) throw new Error(`there is no node ${name}: add it first`);
  const { providerID } = node["spec"] as { readonly providerID: string };
  kubernetes.delete(refTo(name));
  digitalocean.state.deleteDroplet(Number(providerID.replace("digitalocean://", "")));
}

/** What a condition of a node says, without its times. */
export interface ConditionContent {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/**
 * The Ready condition of a node. A kubelet renews the heartbeat, the node controller that speaks for a silent one does not.
 * @param at time of the change, as the API writes it
 */
export function readyCondition(content: ConditionContent, at: string, before: JsonObject = {}): JsonObject {
  const { status } = content;
  return {
    type: "Ready",
    ...content,
    lastHeartbeatTime: status === "Unknown" ? (before["lastHeartbeatTime"] ?? at) : at,
    lastTransitionTime: before["status"] === status ? (before["lastTransitionTime"] ?? at) : at,
  };
}

/** A kubelet sets all of these, and clients expect non-empty strings. */
function nodeInfo({ id }: Machine, kubeletVersion: string): JsonObject {
  const uuid = `00000000-0000-4000-8000-${id.toString(16).padStart(12, "0")}`;
  return {
    ...{ machineID: uuid.replaceAll("-", ""), systemUUID: uuid, bootID: uuid },
    ...{ operatingSystem: "linux", architecture: "amd64", osImage: "Simulated Linux", kernelVersion: "6.12.0" },
    ...{ containerRuntimeVersion: "containerd://2.1.0", kubeletVersion, kubeProxyVersion: "" },
  };
}

function nodeObject(
  { name, labels, kubeletVersion = DEFAULT_VERSION, ready = true }: NewNode,
  machine: Machine,
  at: string,
): object {
  const usual = { "kubernetes.io/hostname": name, "topology.kubernetes.io/region": machine.region };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { ...usual, ...labels } },
    spec: { providerID: providerIdOf(machine) },
    status: {
      conditions: [
        ready
          ? readyCondition({ status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }, at)
          : readyCondition({ status: "False", reason: "KubeletNotReady", message: "the node boots" }, at),
      ],
      addresses: [
        { type: "InternalIP", address: machine.privateIp },
        { type: "ExternalIP", address: machine.publicIp },
      ],
      nodeInfo: nodeInfo(machine, kubeletVersion),
    },
  };
}

function providerIdOf({ id }: Machine): string {
  return `digitalocean://${id}`;
}

function refTo(name: string) {
  return { apiVersion: "v1", kind: "Node", name };
}
