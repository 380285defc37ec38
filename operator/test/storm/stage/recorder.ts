/** Gathers the history of a round while it happens. */

import { type CloudName, type Clouds, DOMAIN, type JournalEntry, ZONE } from "../clouds.js";
import type {
  Call,
  Fact,
  History,
  HolderFact,
  LeaseFact,
  NodeState,
  ObjectFact,
  Origin,
  ProcessFact,
  RecordsFact,
  ResourceState,
  Span,
  StepFact,
} from "../history.js";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface Logged {
  readonly cloud: CloudName;
  readonly entry: JournalEntry;
}

const RECORD_TYPES: ReadonlySet<string> = new Set(["A", "AAAA"]);

export class Recorder {
  readonly startedAt = Date.now();
  readonly leases: LeaseFact[] = [];
  readonly objects: ObjectFact[] = [];
  readonly blind: Span[] = [];
  readonly cutOff: Span[] = [];
  readonly unsure: Span[] = [];
  readonly steps: StepFact[] = [];
  readonly nodes: Mutable<Fact<NodeState>>[] = [];
  readonly resources: Mutable<Fact<ResourceState>>[] = [];
  readonly processes: () => readonly ProcessFact[];
  private readonly logged: Logged[] = [];
  private readonly holders: HolderFact[] = [];
  private readonly records: RecordsFact[] = [];
  private readonly lastHolders = new Map<string, number | null>();
  private readonly lastValues = new Map<string, string>();
  private clouds: Clouds | undefined;

  constructor(
    private readonly names: Pick<History, "seed" | "round" | "replicaNodes">,
    processes: () => readonly ProcessFact[],
  ) {
    this.processes = processes;
  }

  /** Begins to record what happens at the clouds. */
  attach(clouds: Clouds): void {
    this.clouds = clouds;
    const note = (cloud: CloudName) => (entry: JournalEntry) => {
      this.logged.push({ cloud, entry });
      if (entry.method !== "GET") this.sample("api");
    };
    clouds.digitalocean.journal.subscribe(note("digitalocean"));
    clouds.cloudflare.journal.subscribe(note("cloudflare"));
    this.sample("hand");
  }

  /** Does something at the clouds as a person would. */
  byHand<T>(act: () => T, by: Origin = "hand"): T {
    this.sample("api");
    const result = act();
    this.sample(by);
    return result;
  }

  /** Compares the clouds with what was last seen of them. */
  sample(by: Origin): void {
    if (this.clouds === undefined) return;
    this.sampleHolders(this.clouds, by);
    this.sampleRecords(this.clouds, by);
  }

  /** Records a change of the cluster with the time that it took; one that fails has not happened. */
  async change<T>(facts: Mutable<Fact<T>>[], name: string, value: T | undefined, act: () => Promise<unknown>) {
    const fact: Mutable<Fact<T>> = {
      name,
      from: Date.now(),
      by: Number.MAX_SAFE_INTEGER,
      ...(value !== undefined && { value }),
    };
    facts.push(fact);
    try {
      await act();
      fact.by = Date.now();
    } catch (error) {
      facts.splice(facts.indexOf(fact), 1);
      throw error;
    }
  }

  step(text: string): void {
    this.steps.push({ at: Date.now(), text });
  }

  /** Opens a span that ends when the returned function is called. */
  runActions(spans: Span[], what: string): () => void {
    const span: Mutable<Span> = { from: Date.now(), to: Number.MAX_SAFE_INTEGER, what };
    spans.push(span);
    return () => {
      span.to = Math.min(span.to, Date.now());
    };
  }

  /** @param until later facts may be incomplete. */
  history(until = Date.now()): History {
    const { startedAt, leases, objects, blind, cutOff, unsure, steps } = this;
    const { nodes, resources, holders, records } = this;
    const calls = this.logged.map(({ cloud, entry }) => callOf(cloud, entry)).sort((a, b) => a.at - b.at);
    return {
      ...{ ...this.names, startedAt, until, calls, leases, processes: this.processes() },
      ...{ nodes, resources, objects, holders, records, blind, cutOff, unsure, steps },
    };
  }

  get calls(): number {
    return this.logged.length;
  }

  /** Calls that a fault struck. */
  get struck(): number {
    return this.logged.filter(({ entry }) => entry.fault !== undefined).length;
  }

  private sampleHolders({ digitalocean }: Clouds, by: Origin): void {
    const at = Date.now();
    const addresses = digitalocean.state.addresses();
    for (const { ip, family, dropletId } of addresses) {
      if (this.lastHolders.get(ip) === dropletId) continue;
      this.lastHolders.set(ip, dropletId);
      this.holders.push({ at, ip, family, holder: dropletId, by });
    }
    const present = new Set(addresses.map(({ ip }) => ip));
    for (const ip of this.lastHolders.keys()) {
      if (present.has(ip)) continue;
      this.lastHolders.delete(ip);
      this.holders.push({ at, ip, family: ip.includes(":") ? "ipv6" : "ipv4", by });
    }
  }

  private sampleRecords(clouds: Clouds, by: Origin): void {
    const values = recordSets(clouds);
    for (const key of this.lastValues.keys()) if (!values.has(key)) this.noteValues(key, [], by);
    for (const [key, found] of values) this.noteValues(key, found, by);
  }

  private noteValues(place: string, values: readonly string[], by: Origin): void {
    const text = values.join(" ");
    if ((this.lastValues.get(place) ?? "") === text) return;
    this.lastValues.set(place, text);
    const [cloud, ...key] = place.split(" ");
    this.records.push({ at: Date.now(), cloud: cloud as CloudName, key: key.join(" "), values, by });
  }
}

/** Sorted values by `cloudflare A www.example.org`. */
export function recordSets({ digitalocean, cloudflare }: Clouds): ReadonlyMap<string, readonly string[]> {
  const atDigitalOcean = digitalocean.state.dns
    .records(DOMAIN)
    .map(({ type, name, data }) => ({ type, place: `digitalocean ${type} ${name}.${DOMAIN}`, value: data }));
  const atCloudflare = cloudflare
    .records(ZONE)
    .map(({ type, name, content }) => ({ type, place: `cloudflare ${type} ${name}`, value: content }));
  const sets = new Map<string, readonly string[]>();
  for (const { type, place, value } of [...atDigitalOcean, ...atCloudflare]) {
    if (RECORD_TYPES.has(type)) sets.set(place, [...(sets.get(place) ?? []), value].sort());
  }
  return sets;
}

function callOf(cloud: CloudName, entry: JournalEntry): Call {
  const { at, method, path, query, route, caller, body, fault, processed, status, answer } = entry;
  return {
    ...{ cloud, at, method, path, query: query.toString(), route: route ?? `${method} ${path}`, caller, processed },
    ...(body !== undefined && { body }),
    ...(fault !== undefined && { fault }),
    ...(status !== undefined && { status }),
    ...(answer !== undefined && { answer }),
  };
}
