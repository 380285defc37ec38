/** Faults of a round: of the clouds, of the way to the API server, of the server itself. All of them end with `calm`. */

import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ControlPlane } from "flipop-testbed";
import type { FaultProxy, RequestFault } from "../../support/fault-proxy.js";
import type { Clouds, Fault } from "../clouds.js";
import type { CloudFault, Happening, Routes } from "../schedule/steps.js";
import type { Recorder } from "./recorder.js";
import type { Replicas } from "./replicas.js";

export interface TroubleOptions {
  readonly plane: ControlPlane;
  readonly clouds: Clouds;
  readonly proxy: FaultProxy;
  readonly recorder: Recorder;
  readonly replicas: Replicas;
}

export type PendingWarning = Extract<Happening, { readonly kind: "cloud" | "actions" | "token" | "quota" | "server" }>;
type Of<K extends PendingWarning["kind"]> = Extract<PendingWarning, { readonly kind: K }>;

const DELAY_MS = 2_500;
const SLOW_ACTION_MS = 5_000;
/** How long a failing action runs. */
const ABORT_MS = 60;

const FAULTS: Readonly<Record<Exclude<CloudFault, "stale reads">, Fault>> = {
  "429": { kind: "status", status: 429 },
  "429 with retry-after": { kind: "status", status: 429, retryAfterSeconds: 3 },
  "500": { kind: "status", status: 500 },
  "503": { kind: "status", status: 503 },
  "504 after commit": { kind: "status", status: 504, when: "after" },
  timeout: { kind: "timeout" },
  "timeout after commit": { kind: "timeout", when: "after" },
  reset: { kind: "reset" },
  "lost response": { kind: "reset", when: "after" },
  truncated: { kind: "truncate" },
  delay: { kind: "delay", ms: DELAY_MS },
};

/** Answers of an API server that has trouble with status patches. */
const REFUSALS: readonly RequestFault[] = [
  { kind: "status", code: 409 },
  { kind: "status", code: 500 },
  { kind: "status", code: 429, retryAfterSeconds: 1 },
  { kind: "reset" },
];

export class Troubles {
  private readonly ends = new Set<() => void>();
  private restarting: Promise<void> = Promise.resolve();
  private failing = false;

  constructor(private readonly options: TroubleOptions) {
    options.clouds.digitalocean.journal.subscribe(({ route, processed }) => {
      if (this.failing && processed > 0 && route?.endsWith("/actions") === true) this.abortSoon();
    });
  }

  runActions(degradedReason: PendingWarning): void {
    switch (degradedReason.kind) {
      case "cloud":
        this.cloud(degradedReason);
        break;
      case "actions":
        if (degradedReason.act === "fail") this.failActions(degradedReason.ms);
        else this.slowActions(degradedReason.ms);
        break;
      case "token":
        this.token(degradedReason);
        break;
      case "quota":
        this.quota(degradedReason);
        break;
      case "server":
        this.server(degradedReason);
        break;
    }
  }

  /** Ends all of them and waits until the API server answers. */
  async calm(): Promise<void> {
    for (const end of [...this.ends]) end();
    this.options.proxy.heal();
    await this.restarting;
  }

  private until(ms: number, end: () => void): void {
    const once = () => {
      if (!this.ends.delete(once)) return;
      end();
    };
    this.ends.add(once);
    void delay(ms, undefined, { ref: false }).then(once);
  }

  private cloud({ cloud, fault, routes, probability, ms }: Of<"cloud">): void {
    const simulator = this.options.clouds[cloud];
    if (fault === "stale reads") {
      simulator.freezeReads(ms);
      return;
    }
    const rule = simulator.faults.inject(FAULTS[fault], {
      ...{ on: ({ method }) => isAbout(routes, method), times: Number.POSITIVE_INFINITY, probability },
    });
    this.until(ms, () => rule.cancel());
  }

  private failActions(ms: number): void {
    this.failing = true;
    this.abortSoon();
    this.until(ms, () => {
      this.failing = false;
    });
  }

  private slowActions(ms: number): void {
    const { durations } = this.options.clouds.digitalocean.state.settings;
    const { assign, unassign } = durations;
    if (assign >= SLOW_ACTION_MS) return;
    Object.assign(durations, { assign: SLOW_ACTION_MS, unassign: SLOW_ACTION_MS });
    this.until(ms, () => void Object.assign(durations, { assign, unassign }));
  }

  private abortSoon(): void {
    const { state } = this.options.clouds.digitalocean;
    void delay(ABORT_MS).then(() => {
      if (this.failing) for (const { ip } of state.runningActions) if (ip !== null) state.abortActions(ip);
    });
  }

  private token({ cloud, ms }: Of<"token">): void {
    const { replicas } = this.options;
    replicas.revoke(cloud);
    this.until(ms, () => replicas.restore(cloud));
  }

  private quota({ ms }: Of<"quota">): void {
    const { account } = this.options.clouds.digitalocean.state;
    const { reservedIpLimit, reservedIpv6Limit } = account;
    if (reservedIpLimit === 0) return;
    Object.assign(account, { reservedIpLimit: 0, reservedIpv6Limit: 0 });
    this.until(ms, () => void Object.assign(account, { reservedIpLimit, reservedIpv6Limit }));
  }

  private server({ act, ms }: Of<"server">): void {
    if (act === "restart") this.restart();
    else if (act === "refuse status") this.refuse(ms);
    else this.cut(act, act === "reset" ? 0 : ms);
  }

  /** The operators do not see the cluster for a while. */
  private cut(act: "reset" | "freeze" | "errors" | "delay", ms: number): void {
    const { proxy, recorder } = this.options;
    const seen = recorder.runActions(recorder.blind, act);
    if (act === "freeze") proxy.freeze();
    if (act === "errors") proxy.inject({ kind: "status", code: 503 }, Number.POSITIVE_INFINITY, inTime(ms));
    if (act === "delay") proxy.inject({ kind: "delay", ms: DELAY_MS }, Number.POSITIVE_INFINITY, inTime(ms));
    this.until(ms, () => {
      if (act === "freeze") proxy.thaw();
      // After a freeze, too: requests that came meanwhile are never answered, and the silence is to last as planned.
      if (act === "freeze" || act === "reset") proxy.resetAll();
      seen();
    });
  }

  private restart(): void {
    const { plane, recorder } = this.options;
    const seen = recorder.runActions(recorder.blind, "API server restarts");
    this.restarting = this.restarting.then(() => plane.apiserver.restart()).finally(seen);
  }

  /** Status patches fail, in different ways one after the other. */
  private refuse(ms: number): void {
    const due = inTime(ms);
    const isStatus = (request: IncomingMessage) =>
      request.method === "PATCH" && request.url?.split("?")[0]?.endsWith("/status") === true && due();
    const { proxy } = this.options;
    for (let round = 0; round < 20; round++) for (const fault of REFUSALS) proxy.inject(fault, 1, isStatus);
  }
}

function inTime(ms: number): () => boolean {
  const end = Date.now() + ms;
  return () => Date.now() < end;
}

function isAbout(routes: Routes, method: string): boolean {
  if (routes === "all") return true;
  return (method === "GET") === (routes === "reads");
}
