/** A resource of a test, and the ways to wait for it. */

import {
  ALL_KINDS,
  type Condition,
  type ConditionType,
  type FloatingIPPoolStatus,
  GROUP_VERSION,
  type NodeDNSRecordSetStatus,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import { type Client, eventually, type ObjectMeta } from "flipop-testbed";

export interface Stored<Status> {
  readonly metadata: ObjectMeta;
  readonly spec: Readonly<Record<string, unknown>> & { readonly ips?: readonly string[] };
  readonly status?: Status;
}

export interface AnyStatus {
  readonly conditions?: readonly Condition[];
  readonly error?: string;
}

/** An Event, as far as tests look at it. */
export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** Of the versions of an object. */
export interface Recorder<Status> {
  stop(): Promise<readonly Stored<Status>[]>;
}

const WAIT_MS = 60_000;

export class Resource<Status extends AnyStatus> {
  /** @param story what to say when a wait was in vain. */
  constructor(
    private readonly client: Client,
    private readonly place: { readonly namespace: string; readonly plural: string; readonly name: string },
    private readonly story: () => Promise<string>,
  ) {}

  get name(): string {
    return this.place.name;
  }

  get kind(): string {
    return ALL_KINDS.find(({ plural }) => plural === this.place.plural)?.kind ?? "";
  }

  /** Path of the object. */
  get path(): string {
    const { namespace, plural, name } = this.place;
    return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${plural}/${name}`;
  }

  get(): Promise<Stored<Status>> {
    return this.client.must.get<Stored<Status>>(this.path);
  }

  /** Empty where there is none yet. */
  async status(): Promise<Partial<Status>> {
    return (await this.get()).status ?? {};
  }

  /** `True Observed`, `False NoCandidate`, ...; empty while the condition is not there. */
  async condition(type: ConditionType): Promise<string> {
    const condition = await this.conditionOf(type);
    return condition === undefined ? "" : `${condition.status} ${condition.reason}`;
  }

  async conditionOf(type: ConditionType): Promise<Condition | undefined> {
    return (await this.status()).conditions?.find((one) => one.type === type);
  }

  /** Waits until a condition is this: `True`, `False Invalid`. Only one that was computed from the spec as it is. */
  async is(type: ConditionType, expected: string, timeoutMs = WAIT_MS): Promise<void> {
    const attempt = async (): Promise<boolean> => {
      const { metadata, status } = await this.get();
      const condition = status?.conditions?.find((one) => one.type === type);
      if (condition === undefined || condition.observedGeneration !== metadata.generation) return false;
      return `${condition.status} ${condition.reason} `.startsWith(`${expected} `);
    };
    await this.until(`${type} to be ${expected}`, attempt, timeoutMs);
  }

  /** Waits for something of the status. */
  async says(what: string, test: (status: Partial<Status>) => boolean): Promise<void> {
    await this.until(what, async () => test(await this.status()));
  }

  async until(what: string, attempt: () => Promise<boolean> | boolean, timeoutMs = WAIT_MS): Promise<void> {
    try {
      await eventually(attempt, { what: `${this.name}: ${what}`, timeoutMs });
    } catch (error) {
      const { body } = await this.client.get(this.path);
      const shown = JSON.stringify(body, (key, value: unknown) => (key === "managedFields" ? undefined : value), 1);
      throw new Error(`${String(error)}\n${shown}\n${await this.story()}`);
    }
  }

  /** Events about it, oldest first. */
  async events(reason?: string): Promise<readonly SeenEvent[]> {
    const { namespace, name, plural } = this.place;
    const events = await this.client.must.list<SeenEvent>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
    const ours = events.filter(
      ({ regarding }) => regarding.name === name && `${regarding.kind.toLowerCase()}s` === plural,
    );
    return ours.filter((event) => reason === undefined || event.reason === reason);
  }

  /** Waits for an Event whose reason and note hold a text. */
  async reports(text: string | RegExp): Promise<void> {
    await this.until(`an Event that says ${String(text)}`, async () =>
      (await this.events()).some(({ reason, note }) => `${reason}: ${note}`.search(text) >= 0),
    );
  }

  /** Records every version of the object from here on, the present one first. */
  async record(): Promise<Recorder<Status>> {
    const { namespace, plural } = this.place;
    const first = await this.get();
    const versions = [first];
    const ended = new AbortController();
    const from = { resourceVersion: `${first.metadata.resourceVersion}`, fieldSelector: `metadata.name=${this.name}` };
    const events = this.client.watch<Stored<Status>>(
      `/apis/${GROUP_VERSION}/namespaces/${namespace}/${plural}`,
      from,
      ended.signal,
    );
    const recorded = (async () => {
      for await (const { type, object } of events) if (type === "MODIFIED") versions.push(object);
    })();
    return {
      stop: async () => {
        const { resourceVersion } = (await this.get()).metadata;
        await this.until("to be recorded", () => {
          return versions.some(({ metadata }) => metadata.resourceVersion === resourceVersion);
        });
        ended.abort();
        await recorded;
        return versions;
      },
    };
  }

  /** Merge patch of the spec. */
  async edit(spec: object): Promise<void> {
    await this.client.must.patch(this.path, { spec });
  }

  async annotate(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.client.must.patch(this.path, { metadata: { annotations } });
  }

  async delete(): Promise<void> {
    await this.client.must.delete(this.path);
  }

  /** Waits until it is gone. */
  async isGone(): Promise<void> {
    await this.until("to be gone", async () => (await this.client.get(this.path)).status === 404);
  }
}

export type PoolResource = Resource<FloatingIPPoolStatus>;
export type RecordSetResource = Resource<NodeDNSRecordSetStatus>;
export type RoutedIPResource = Resource<RoutedIPStatus>;
