/** The custom resources of a round: created, edited, deleted; and the Services of RoutedIPs. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { type Client, createEndpointSlice, createService } from "flipop-testbed";
import type { Clouds } from "../clouds.js";
import type { Presence, ResourceState } from "../history.js";
import type { PodAct, ResourceAct, Template } from "../schedule/steps.js";
import { insist, insistDeleted } from "./insist.js";
import { slotName } from "./nodes.js";
import type { Recorder } from "./recorder.js";
import { type AnyResource, ISSUER_MANIFEST, initialState, manifest, matchOf, PLURALS } from "./specs.js";

export interface ResourcesOptions {
  readonly client: Client;
  readonly clouds: Clouds;
  readonly recorder: Recorder;
  /** Of pools and record sets. */
  readonly namespace: string;
  /** The operator's own: of the RoutedIPs, their issuer and their Services. */
  readonly ownNamespace: string;
  readonly templates: readonly Template[];
  /** Of the service on each node. */
  readonly port: number;
}

interface Edit {
  readonly act: ResourceAct;
  readonly value?: number;
  readonly groups?: readonly string[];
}

/** Endpoints of each Service at the start. */
const FIRST_ENDPOINTS = 3;
/** How long a resource that is being deleted is waited for before its next life. */
const GONE_MS = 4_000;

export class Resources {
  private readonly states = new Map<string, ResourceState>();
  private readonly endpoints = new Map<string, Record<string, Presence>>();
  /** Addresses reserved for each template; they survive the resource. */
  private readonly reserved = new Map<string, readonly string[]>();

  constructor(private readonly options: ResourcesOptions) {}

  async start(): Promise<void> {
    const { client, ownNamespace, templates } = this.options;
    await client.must.create(`/apis/${GROUP_VERSION}/namespaces/${ownNamespace}/routedipissuers`, ISSUER_MANIFEST);
    for (const template of templates) {
      this.reserve(template);
      if (template.kind === "routed") await this.createService(template.name);
      await this.create(template);
    }
  }

  collection(kind: ResourceState["kind"]): string {
    const { namespace, ownNamespace } = this.options;
    return `/apis/${GROUP_VERSION}/namespaces/${kind === "routed" ? ownNamespace : namespace}/${PLURALS[kind]}`;
  }

  async act(place: number, edit: Edit): Promise<void> {
    const template = this.options.templates[place];
    if (template === undefined) return;
    if (edit.act === "create") return this.create(template);
    const state = this.states.get(template.name);
    if (state === undefined) return;
    if (edit.act === "delete") return this.remove(template);
    const next = { ...state, ...EDITORS[edit.act](state, edit, this.reserved.get(template.name) ?? []) };
    await this.write(template, state, next);
  }

  /** An endpoint of a RoutedIP's Service comes, goes, fails or recovers. */
  async endpoint(place: number, slot: number, act: PodAct): Promise<void> {
    const template = this.options.templates[place];
    const known = this.endpoints.get(template?.name ?? "");
    if (template === undefined || known === undefined) return;
    known[slotName(slot)] = presenceAfter(act);
    const state = this.states.get(template.name);
    if (state === undefined) return this.writeEndpoints(template.name);
    const next = { ...state, endpoints: { ...known } };
    const { recorder } = this.options;
    await recorder.change(recorder.resources, template.name, next, () => this.writeEndpoints(template.name));
    this.states.set(template.name, next);
  }

  private reserve({ name, family, listed }: Template): void {
    const { clouds, recorder } = this.options;
    const add = () => recorder.byHand(() => clouds.digitalocean.state.addAddress({ family })).ip;
    this.reserved.set(name, Array.from({ length: listed }, add));
  }

  private async create(template: Template): Promise<void> {
    const { client, recorder } = this.options;
    const { name, kind } = template;
    if (this.states.has(name) || !(await this.isGone(template))) return;
    const endpoints = { ...this.endpoints.get(name) };
    const state = { ...initialState(template, this.reserved.get(name) ?? []), endpoints };
    const path = this.collection(kind);
    await recorder.change(recorder.resources, name, state, () =>
      insist(async () => {
        const { status } = await client.get(`${path}/${name}`);
        if (status !== 200) await client.must.create(path, manifest(name, state, this.options));
      }),
    );
    this.states.set(name, state);
  }

  private async isGone({ kind, name }: Template): Promise<boolean> {
    const end = Date.now() + GONE_MS;
    const path = `${this.collection(kind)}/${name}`;
    for (;;) {
      const { status } = await insist(() => this.options.client.get(path));
      if (status === 404) return true;
      if (Date.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  private async remove({ kind, name }: Template): Promise<void> {
    const { client, recorder } = this.options;
    const path = `${this.collection(kind)}/${name}`;
    await recorder.change(recorder.resources, name, undefined, () => insistDeleted(client, path));
    this.states.delete(name);
  }

  private async write({ kind, name }: Template, before: ResourceState, state: ResourceState): Promise<void> {
    const { client, recorder, namespace } = this.options;
    const path = `${this.collection(kind)}/${name}`;
    const patch = async () => {
      const { metadata, spec } = await client.must.get<AnyResource & { apiVersion: string; kind: string }>(path);
      const change = { ...changeOf(state, namespace), ...listChange(before, state, spec.ips ?? []) };
      await client.must.patch(path, { metadata: { resourceVersion: metadata.resourceVersion }, spec: change });
    };
    await recorder.change(recorder.resources, name, state, () => insist(patch));
    this.states.set(name, state);
  }

  private async createService(name: string): Promise<void> {
    const { client, ownNamespace: namespace } = this.options;
    await createService(client, { namespace, name, selector: { app: name }, spec: { type: "NodePort" } });
    const endpoints: Record<string, Presence> = {};
    for (let slot = 0; slot < FIRST_ENDPOINTS; slot++) endpoints[slotName(slot)] = "ready";
    this.endpoints.set(name, endpoints);
    await createEndpointSlice(client, {
      namespace,
      name: `${name}-1`,
      service: name,
      endpoints: endpointsOf(endpoints),
    });
  }

  private async writeEndpoints(name: string): Promise<void> {
    const { client, ownNamespace } = this.options;
    const path = `/apis/discovery.k8s.io/v1/namespaces/${ownNamespace}/endpointslices/${name}-1`;
    const endpoints = endpointsOf(this.endpoints.get(name) ?? {}).map(({ ip, nodeName, ready }) => ({
      ...{ addresses: [ip], nodeName },
      conditions: { ready, serving: ready, terminating: false },
    }));
    await insist(() => client.must.patch(path, { endpoints }));
  }
}

function presenceAfter(act: PodAct): Presence {
  if (act === "delete") return "absent";
  return act === "unready" ? "unready" : "ready";
}

function endpointsOf(endpoints: Readonly<Record<string, Presence>>) {
  const present = Object.entries(endpoints).filter(([, presence]) => presence !== "absent");
  return present.map(([nodeName, presence], place) => ({
    ip: `10.245.0.${place + 1}`,
    nodeName,
    ready: presence === "ready",
  }));
}

/** Only fields that an edit may change; `desiredIPs: null` where none are asked for. */
function changeOf(state: ResourceState, namespace: string): Readonly<Record<string, unknown>> {
  const { kind, paused, graceSeconds, coolOffSeconds, desired } = state;
  const common = { paused, gracePeriodSeconds: graceSeconds };
  if (kind === "routed") return common;
  if (kind === "set") return { ...common, match: matchOf(state, namespace) };
  const numbers = { assignmentCoolOffSeconds: coolOffSeconds, desiredIPs: desired > 0 ? desired : null };
  return { ...common, ...numbers, match: matchOf(state, namespace) };
}

/** The operator appends to `ips`: an edit takes out or adds its own address and leaves the others. */
function listChange(before: ResourceState, after: ResourceState, present: readonly string[]) {
  if (after.kind !== "pool" || before.listed === after.listed) return {};
  const kept = present.filter((ip) => !before.listed.includes(ip) || after.listed.includes(ip));
  return { ips: [...kept, ...after.listed.filter((ip) => !kept.includes(ip))] };
}

type Editor = (state: ResourceState, edit: Edit, reserved: readonly string[]) => Partial<ResourceState>;

const EDITORS: Readonly<Record<Exclude<ResourceAct, "create" | "delete">, Editor>> = {
  desired: (_state, { value = 1 }) => ({ desired: value }),
  pause: () => ({ paused: true }),
  resume: () => ({ paused: false }),
  grace: (_state, { value = 0 }) => ({ graceSeconds: value }),
  coolOff: (_state, { value = 0 }) => ({ coolOffSeconds: value }),
  groups: (state, { groups = state.groups }) => ({ groups }),
  list: (_state, _edit, reserved) => ({ listed: reserved }),
  unlist: ({ desired, listed }) => {
    // A pool without a number must keep one address, or it would be refused.
    const least = desired > 0 ? 0 : 1;
    return { listed: listed.slice(0, Math.max(least, listed.length - 1)) };
  },
};
