/** Two operator processes that are started again when they end, as a Deployment does. */

import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ControlPlane, freePort } from "flipop-testbed";
import type { Install } from "../../e2e/support/install.js";
import { OperatorProcess } from "../../e2e/support/operator-process.js";
import type { CloudName, Clouds } from "../clouds.js";
import type { LeaseFact, ProcessFact, SignalFact } from "../history.js";
import { LEASE } from "../oracle/bounds.js";
import { slotName } from "./nodes.js";

const FLAGS = [
  `--leader-elect-lease-duration=${LEASE.duration}`,
  `--leader-elect-renew-deadline=${LEASE.renewDeadline}`,
  `--leader-elect-retry-period=${LEASE.retryPeriod}`,
];
/** Preloaded, so that the path from a replica to some nodes can be broken. */
const CUT_OFF = new URL("./cut-off.mjs", import.meta.url).href;
/** Between the end of a process and the start of the next. */
const RESTART_MS = 400;

interface Replica {
  readonly name: string;
  /** The slot of the node that it runs on. */
  readonly place: number;
  readonly process: OperatorProcess;
  readonly secrets: readonly string[];
  readonly startedAt: number;
  readonly signals: SignalFact[];
  identity?: string;
  exit?: NonNullable<ProcessFact["exit"]>;
}

export interface ReplicasOptions {
  readonly plane: ControlPlane;
  readonly install: Install;
  readonly clouds: Clouds;
  readonly leases: readonly LeaseFact[];
  /** Slots of the nodes that they run on. */
  readonly places: readonly number[];
}

export class Replicas {
  private readonly all: Replica[] = [];
  private readonly revoked = new Set<CloudName>();
  private launched = 0;
  private closing = false;

  constructor(private readonly options: ReplicasOptions) {}

  async start(): Promise<void> {
    for (const place of this.options.places) await this.launch(place);
  }

  facts(): readonly ProcessFact[] {
    return this.all.map(({ name, identity, startedAt, signals, exit }) => ({
      ...{ name, startedAt, signals },
      ...(identity !== undefined && { identity }),
      ...(exit !== undefined && { exit }),
    }));
  }

  /** Those that run, the one with the Lease first. */
  private running(): readonly Replica[] {
    const holder = this.options.leases.at(-1)?.holder;
    const alive = this.all.filter(({ exit, signals }) => exit === undefined && !signals.some(isLast));
    const leads = ({ identity }: Replica) => Number(identity !== undefined && identity === holder);
    return [...alive].sort((a, b) => leads(b) - leads(a));
  }

  /** When the youngest of those that run was started; 0: fewer than two run. */
  get completeSince(): number {
    const alive = this.running();
    return alive.length < this.options.places.length ? 0 : Math.max(...alive.map(({ startedAt }) => startedAt));
  }

  /** Name of the process that holds the Lease, as far as is known. */
  get leader(): string | undefined {
    return this.running()[0]?.name;
  }

  /** Sends a signal to the leader or the standby. @param ms how long SIGSTOP lasts. */
  async hit(which: "leader" | "standby", act: "kill" | "terminate" | "stop", ms: number): Promise<void> {
    await this.learnIdentities();
    const alive = this.running();
    const replica = which === "leader" ? alive[0] : alive.at(-1);
    if (replica === undefined) return;
    if (act !== "stop") return send(replica, act === "kill" ? "SIGKILL" : "SIGTERM");
    await send(replica, "SIGSTOP");
    void delay(ms).then(() => resume(replica));
  }

  /** Connections of the leader to some hosts get no answer. The returned function ends that; undefined: nothing leads. */
  async cutOff(hosts: readonly string[]): Promise<(() => Promise<void>) | undefined> {
    const name = this.leader;
    if (name === undefined) return undefined;
    const file = this.cutOffFile(name);
    await writeFile(file, hosts.join("\n"));
    return () => rm(file, { force: true });
  }

  /** Reads from the logs how the processes name themselves. */
  async learnIdentities(): Promise<void> {
    for (const replica of this.all) {
      if (replica.identity !== undefined) continue;
      const identity = /"identity":"([^"]+)"/.exec(await replica.process.log())?.[1];
      if (identity !== undefined) replica.identity = identity;
    }
  }

  revoke(cloud: CloudName): void {
    this.revoked.add(cloud);
    for (const replica of this.all) this.grant(replica.name, replica.secrets);
  }

  restore(cloud: CloudName): void {
    this.revoked.delete(cloud);
    for (const replica of this.all) this.grant(replica.name, replica.secrets);
  }

  /** Lets all that are stopped go on. */
  async resumeAll(): Promise<void> {
    for (const replica of this.all) await resume(replica);
  }

  /** Every secret that no log may hold. */
  get secrets(): readonly string[] {
    return this.all.flatMap(({ secrets }) => secrets);
  }

  async logs(): Promise<readonly { readonly name: string; readonly text: string }[]> {
    return Promise.all(this.all.map(async ({ name, process }) => ({ name, text: await process.log() })));
  }

  /** Ends all with SIGTERM. */
  async close(): Promise<void> {
    this.closing = true;
    await this.resumeAll();
    const alive = this.all.filter(({ exit }) => exit === undefined);
    // A second SIGTERM would end at once those that are ending already.
    const untold = alive.filter(({ signals }) => !signals.some(isLast));
    await Promise.all(untold.map((replica) => send(replica, "SIGTERM")));
    await Promise.all(alive.map(({ process }) => process.exited));
  }

  private cutOffFile(name: string): string {
    return join(this.options.plane.dir, `${name}.cut-off`);
  }

  /** @param place the node that it runs on, by slot; the next process there takes its place. */
  private async launch(place: number): Promise<void> {
    const { plane, install, clouds } = this.options;
    this.launched += 1;
    const name = `replica-${this.launched}`;
    const secrets = [`dop_v1_storm_${name}_digitalocean`, `storm-${name}-cloudflare-token-0123456789`];
    const [digitalocean = "", cloudflare = ""] = secrets;
    this.grant(name, secrets);
    const tokens = { DIGITALOCEAN_ACCESS_TOKEN: digitalocean, CLOUDFLARE_TOKEN: cloudflare };
    const preload = { NODE_OPTIONS: `--import=${CUT_OFF}`, STORM_CUT_OFF: this.cutOffFile(name) };
    const env = { ...clouds.env, ...tokens, ...preload };
    const flags = [
      ...[...FLAGS, `--node-name=${slotName(place)}`],
      `--witness-bind-addr=127.0.0.1:${await freePort()}`,
    ];
    const startedAt = Date.now();
    const process = await OperatorProcess.start(plane, install, { env, flags });
    const replica: Replica = { name, place, process, secrets, startedAt, signals: [] };
    this.all.push(replica);
    void process.exited.then(({ code, signal }) => this.ended(replica, { at: Date.now(), code, signal }));
  }

  private async ended(replica: Replica, exit: NonNullable<ProcessFact["exit"]>): Promise<void> {
    replica.exit = exit;
    await delay(RESTART_MS);
    if (!this.closing) await this.launch(replica.place);
  }

  private grant(name: string, [digitalocean = "", cloudflare = ""]: readonly string[]): void {
    const { clouds } = this.options;
    clouds.digitalocean.tokens.add({ name, secret: digitalocean });
    clouds.cloudflare.tokens.add({ name, secret: cloudflare });
    if (this.revoked.has("digitalocean")) clouds.digitalocean.tokens.revoke(digitalocean);
    if (this.revoked.has("cloudflare")) clouds.cloudflare.tokens.revoke(cloudflare);
  }
}

/** It was asked to end. */
function isLast({ signal }: SignalFact): boolean {
  return signal === "SIGKILL" || signal === "SIGTERM";
}

async function send(replica: Replica, signal: SignalFact["signal"]): Promise<void> {
  if (replica.exit !== undefined) return;
  replica.signals.push({ at: Date.now(), signal });
  // It may have ended by itself in the meantime.
  await replica.process.signal(signal).catch(() => undefined);
}

async function resume(replica: Replica): Promise<void> {
  if (replica.signals.findLast(({ signal }) => signal === "SIGSTOP" || signal === "SIGCONT")?.signal !== "SIGSTOP")
    return;
  await send(replica, "SIGCONT");
}
