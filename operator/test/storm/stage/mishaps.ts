/** Mishaps that chance alone would bring about too seldom: a fault of the very next call of a kind, and what goes with it. */

import { setTimeout as delay } from "node:timers/promises";
import type { Clouds } from "../clouds.js";
import type { MishapAct } from "../schedule/steps.js";
import type { Nodes } from "./nodes.js";
import type { Recorder } from "./recorder.js";

export interface MishapOptions {
  readonly clouds: Clouds;
  readonly nodes: Nodes;
  readonly recorder: Recorder;
  /** Does something to the cluster when its turn has come. */
  readonly queue: (act: () => Promise<void>) => void;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A droplet id that a request names. */
function targetOf({ body }: Request): number | undefined {
  return (body as { readonly droplet_id?: number } | undefined)?.droplet_id;
}

const ASSIGN = /^\/v2\/(reserved_ips|reserved_ipv6)\/[^/]+\/actions$/;
const CREATE = /^\/v2\/(reserved_ips|reserved_ipv6)$/;
const ABORT_MS = 60;
const BUSY_MS = 2_000;
const FOREIGN_MS = 400;
const RETRY_AFTER_SECONDS = 10;
const ILL_MS = 14_000;

const isAssign = ({ method, path, body }: Request) =>
  method === "POST" && ASSIGN.test(path) && (body as { readonly type?: string }).type === "assign";
const isCreate = ({ method, path }: Request) => method === "POST" && CREATE.test(path);

export class Mishaps {
  private readonly open = new Set<() => void>();

  constructor(private readonly options: MishapOptions) {}

  runActions(act: MishapAct): void {
    const acts: Readonly<Record<MishapAct, () => void>> = {
      "assign lost and errored": () => this.loseAssign((request) => this.abort(request)),
      "assign lost and node replaced": () => this.loseAssign((request) => this.onNode(request, "replace")),
      "create lost": () => this.strike(isCreate, "lose", () => undefined),
      "create refused, foreign address": () => this.refuseCreate(),
      "assign delayed, node fails": () => this.delayAssign(),
    };
    acts[act]();
  }

  /** What has not happened yet does not happen any more. */
  calm(): void {
    for (const cancel of this.open) cancel();
    this.open.clear();
  }

  private loseAssign(after: (request: Request) => void): void {
    this.strike(isAssign, "lose", after);
  }

  /** The cloud asks for patience, and the target fails meanwhile. */
  private delayAssign(): void {
    this.strike(isAssign, "429", (request) => {
      this.onNode(request, "unready");
      void delay(ILL_MS).then(() => this.onNode(request, "ready"));
    });
  }

  /** The droplet is busy when the create call arrives; a person makes an address of their own a moment later. */
  private refuseCreate(): void {
    const { clouds, recorder } = this.options;
    const { state } = clouds.digitalocean;
    this.strike(isCreate, "none", (request) => {
      const target = targetOf(request);
      if (target !== undefined && !this.isBusy(target))
        recorder.byHand(() => state.startEvent(target, "power_cycle", BUSY_MS));
      void delay(FOREIGN_MS).then(() => recorder.byHand(() => state.addAddress()));
    });
  }

  private isBusy(droplet: number): boolean {
    try {
      return this.options.clouds.digitalocean.state.droplet(droplet).status !== "active";
    } catch {
      return true;
    }
  }

  /** Once, on the next request of a kind. @param after called before the request is processed. */
  private strike(
    on: (request: Request) => boolean,
    how: "lose" | "429" | "none",
    after: (request: Request) => void,
  ): void {
    const { faults } = this.options.clouds.digitalocean;
    let struck = false;
    const matches = (request: Request) => {
      if (struck || !on(request)) return false;
      struck = true;
      this.open.delete(cancel);
      after(request);
      return how !== "none";
    };
    const fault =
      how === "lose"
        ? ({ kind: "reset", when: "after" } as const)
        : ({ kind: "status", status: 429, retryAfterSeconds: RETRY_AFTER_SECONDS } as const);
    const rule = faults.inject(fault, { on: matches });
    const cancel = () => rule.cancel();
    this.open.add(cancel);
  }

  private abort({ path }: Request): void {
    const ip = decodeURIComponent(path.split("/")[3] ?? "");
    const { state } = this.options.clouds.digitalocean;
    void delay(ABORT_MS).then(() => state.abortActions(ip));
  }

  private onNode(request: Request, act: "replace" | "unready" | "ready"): void {
    const { nodes, queue } = this.options;
    const slot = nodes.slotOf(targetOf(request));
    if (slot !== undefined) queue(() => nodes.act(slot, act));
  }
}
