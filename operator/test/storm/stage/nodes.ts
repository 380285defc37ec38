/** The nodes of a round, their machines and the workload's pods. */

import { type Client, FakeNode, FakePod } from "flipop-testbed";
import type { Clouds } from "../clouds.js";
import type { NodeState } from "../history.js";
import { GROUPS, type LifeAct, type NodeAct, type PodAct, SLOTS } from "../schedule/steps.js";
import { insist, insistDeleted } from "./insist.js";
import { LiveNode } from "./live-node.js";
import type { Recorder } from "./recorder.js";

export const LABEL = "storm";
export const APP = { app: "storm" } as const;

interface Slot {
  readonly name: string;
  node?: FakeNode;
  live?: LiveNode;
  pod?: FakePod;
  state?: NodeState;
  /** Machines that it has had. */
  machines: number;
}

export interface NodesOptions {
  readonly client: Client;
  readonly clouds: Clouds;
  readonly recorder: Recorder;
  /** Of the pods. */
  readonly namespace: string;
  /** Of the service on each node. */
  readonly port: number;
}

export function slotName(slot: number): string {
  return `node-${slot}`;
}

export class Nodes {
  private readonly slots: Slot[] = Array.from({ length: SLOTS }, (_, slot) => ({
    name: slotName(slot),
    machines: 0,
  }));
  private pods = 0;

  constructor(private readonly options: NodesOptions) {}

  async start(): Promise<void> {
    for (const slot of this.slots.keys()) await this.act(slot, "create");
  }

  /** Does nothing where the act makes no sense for the node as it is. */
  async act(place: number, act: NodeAct, group?: string): Promise<void> {
    const slot = this.slots[place];
    if (slot === undefined) return;
    if (act === "create") return this.create(slot, GROUPS[place % GROUPS.length] ?? "a");
    const { state, node } = slot;
    if (state === undefined || node === undefined) return;
    if (act === "delete") return this.remove(slot);
    if (act === "replace") {
      await this.remove(slot);
      return this.create(slot, state.group);
    }
    if (isLifeAct(act)) return this.live(slot, { ...state, ...LIVES[act] });
    const change = changeOf(act, group);
    await this.change(slot, { ...state, ...change.state }, () => change.apply(node));
  }

  /** Lets a node that lives fail. The returned function lets it live again, unless it is another one by then. */
  async strike(place: number, act: LifeAct): Promise<() => Promise<void>> {
    const slot = this.slots[place];
    const live = slot?.live;
    if (slot?.state?.service !== "answers" || !slot.state.kubelet) return async () => undefined;
    await this.live(slot, { ...slot.state, ...LIVES[act] });
    return async () => {
      if (slot.live === live && slot.state !== undefined) await this.live(slot, { ...slot.state, ...LIVES.heal });
    };
  }

  /** Where the service of a node listens. */
  addressOf(place: number): string {
    return `127.78.${place}.${this.slots[place]?.machines}`;
  }

  /** The services and the kubelets end. */
  close(): void {
    for (const { live } of this.slots) live?.close();
  }

  async pod(place: number, act: PodAct): Promise<void> {
    const slot = this.slots[place];
    if (slot?.state === undefined) return;
    const { pod } = slot;
    if (act === "create") return this.createPod(slot, slot.state);
    if (pod === undefined) return;
    if (act === "delete") {
      delete slot.pod;
      return this.change(slot, { ...slot.state, pod: "absent" }, () => ignoreMissing(pod.delete()));
    }
    await this.change(slot, { ...slot.state, pod: act }, () => pod.setReady(act === "ready"));
  }

  /** The slot whose node stands on a machine. */
  slotOf(droplet: number | undefined): number | undefined {
    const slot = this.slots.findIndex(({ state }) => state !== undefined && state.droplet === droplet);
    return slot < 0 ? undefined : slot;
  }

  /** Slots of the nodes that hold an address. */
  get holders(): readonly number[] {
    const held = new Set(this.options.clouds.digitalocean.state.addresses().map(({ dropletId }) => dropletId));
    return [...this.slots.keys()].filter((place) => held.has(this.slots[place]?.state?.droplet ?? null));
  }

  /** The machines that nodes stand on. */
  get droplets(): readonly number[] {
    return this.slots.flatMap(({ state }) => (state === undefined ? [] : [state.droplet]));
  }

  /** Lets a node fail, at once. */
  fail(name: string, act: "unready" | "die"): Promise<void> {
    const place = this.slots.findIndex((slot) => slot.name === name);
    return this.act(place, act);
  }

  private async create(slot: Slot, group: string): Promise<void> {
    const { client, clouds, recorder } = this.options;
    if (slot.state !== undefined) return;
    slot.machines += 1;
    const address = this.addressOf(this.slots.indexOf(slot));
    const droplet = recorder.byHand(() => clouds.digitalocean.state.addDroplet({ name: slot.name }), "cluster");
    const state: NodeState = {
      ...{ droplet: droplet.id, ready: true, cordoned: false, taint: "none", group, pod: "absent" },
      ...{ externalIp: droplet.publicIp, service: "answers", kubelet: true },
    };
    const { port } = this.options;
    const live = new LiveNode({ client, name: slot.name, address, port });
    slot.live = live;
    const spec = {
      ...{ name: slot.name, providerID: `digitalocean://${droplet.id}`, labels: { [LABEL]: group } },
      addresses: [
        { type: "InternalIP" as const, address },
        { type: "ExternalIP" as const, address: droplet.publicIp },
      ],
    };
    await this.change(slot, state, async () => {
      // A former attempt may have got half-way.
      await client.delete(`/api/v1/nodes/${slot.name}`);
      await live.become(state);
      slot.node = await FakeNode.create(client, spec);
    });
    await this.createPod(slot, state);
  }

  /** The node goes, its pod with it, and its machine is destroyed. */
  private async remove(slot: Slot): Promise<void> {
    const { client, clouds, recorder } = this.options;
    const { state, pod } = slot;
    if (state === undefined) return;
    await recorder.change(recorder.nodes, slot.name, undefined, () =>
      insistDeleted(client, `/api/v1/nodes/${slot.name}`),
    );
    if (pod !== undefined) await insist(() => ignoreMissing(pod.delete()));
    recorder.byHand(() => destroy(clouds, state.droplet), "cluster");
    slot.live?.close();
    delete slot.live;
    delete slot.state;
    delete slot.node;
    delete slot.pod;
  }

  private async createPod(slot: Slot, state: NodeState): Promise<void> {
    const { client, namespace } = this.options;
    if (slot.pod !== undefined) return;
    const name = `web-${++this.pods}`;
    await this.change(slot, { ...state, pod: "ready" }, async () => {
      await client.delete(`/api/v1/namespaces/${namespace}/pods/${name}`, { gracePeriodSeconds: 0 });
      slot.pod = await FakePod.create(client, { namespace, name, nodeName: slot.name, labels: APP });
    });
  }

  private live(slot: Slot, state: NodeState): Promise<void> {
    return this.change(slot, state, async () => slot.live?.become(state));
  }

  private async change(slot: Slot, state: NodeState, apply: () => Promise<unknown>): Promise<void> {
    const { recorder } = this.options;
    await recorder.change(recorder.nodes, slot.name, state, () => insist(apply));
    slot.state = state;
  }
}

export function destroy({ digitalocean }: Clouds, droplet: number): void {
  try {
    digitalocean.state.deleteDroplet(droplet);
  } catch {
    // A person has destroyed it before.
  }
}

const LIVES: Readonly<Record<LifeAct, Partial<NodeState>>> = {
  die: { service: "closed", kubelet: false },
  close: { service: "closed" },
  hang: { service: "hangs" },
  silence: { kubelet: false },
  heal: { service: "answers", kubelet: true },
};

function isLifeAct(act: NodeAct): act is LifeAct {
  return act in LIVES;
}

interface Change {
  readonly state: Partial<NodeState>;
  readonly apply: (node: FakeNode) => Promise<void>;
}

const PRESSURE = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;
const HARD = { key: "example.com/reserved", value: "others", effect: "NoSchedule" } as const;

function changeOf(act: Exclude<NodeAct, "create" | "delete" | "replace" | LifeAct>, group = "a"): Change {
  const changes: Readonly<Record<typeof act, Change>> = {
    unready: { state: { ready: false }, apply: (node) => node.setReady(false) },
    ready: { state: { ready: true }, apply: (node) => node.setReady(true) },
    cordon: { state: { cordoned: true }, apply: (node) => node.cordon() },
    uncordon: { state: { cordoned: false }, apply: (node) => node.uncordon() },
    taint: { state: { taint: "hard" }, apply: (node) => node.setTaints([HARD]) },
    pressure: { state: { taint: "pressure" }, apply: (node) => node.setTaints([PRESSURE]) },
    untaint: { state: { taint: "none" }, apply: (node) => node.setTaints([]) },
    regroup: { state: { group }, apply: (node) => node.setLabels({ [LABEL]: group }) },
  };
  return changes[act];
}

async function ignoreMissing(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!String(error).includes("404")) throw error;
  });
}
