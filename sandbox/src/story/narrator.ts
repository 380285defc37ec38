/** Prints the story line by line, as it happens. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { at, textOf } from "../kubernetes/json.js";
import type { Narrator } from "./director.js";
import { callLine, deed, factLine, heading, opening, type Place, situation, summary } from "./narration-lines.js";
import type { Observer } from "./rules/observer.js";
import { verdictsOf } from "./rules/rules.js";
import { type Totals, totalsOf } from "./rules/totals.js";
import type { Act } from "./scenario/scenario.js";
import type { Stage } from "./stage.js";
import type { Style } from "./terminal-text.js";

const POOL = "FloatingIPPool";
/** What labels of RoutedIPs begin with. */
const ROUTED = "RoutedIP ";

export interface LiveNarratorOptions {
  readonly stage: Stage;
  readonly observer: Observer;
  readonly style: Style;
  /** Takes lines, without the newline at their end. */
  readonly print: (text: string) => void;
}

export class LiveNarrator implements Narrator {
  private before: Totals;
  private shown = "";

  constructor(private readonly options: LiveNarratorOptions) {
    const { observer, print, style } = options;
    this.before = totalsOf([], 0);
    observer.onFact((fact) => {
      const line = factLine(style, fact);
      if (line !== undefined) print(line);
    });
  }

  open(speed: number): void {
    const { print, style, stage } = this.options;
    print(opening(style, stage.scenario, speed));
  }

  act(act: Act, number: number): void {
    this.options.print(heading(this.options.style, act, number, this.now));
  }

  did(text: string): void {
    this.options.print(deed(this.options.style, this.now, text));
  }

  curtain(): void {
    const { print, style, observer } = this.options;
    const totals = this.totals;
    const { records, firewalls } = observer;
    const text = situation(style, { places: this.places(), sets: records, firewalls: [...firewalls.values()] });
    if (text !== this.shown && text !== "") print(`\n${text}`);
    this.shown = text;
    print(`\n${callLine(style, totals, this.before)}`);
    this.before = totals;
  }

  /** @returns whether all held that must hold */
  close(): boolean {
    const { print, style, observer } = this.options;
    const verdicts = verdictsOf(observer.facts);
    print(summary(style, this.totals, verdicts, this.now));
    return verdicts.every(({ violations }) => violations.length === 0);
  }

  private get now(): number {
    return this.options.stage.clock.monotonic();
  }

  private get totals(): Totals {
    return totalsOf(this.options.observer.facts, this.now);
  }

  private places(): readonly Place[] {
    const { stage, observer } = this.options;
    const versions = new Map(
      stage.nodes.map(({ metadata, status }) => [metadata.name, status.nodeInfo?.kubeletVersion]),
    );
    return observer.pools.flatMap(({ pool, ips }) =>
      ips.map((ip) => {
        const node = observer.holders.get(ip);
        const version = versions.get(node ?? "") ?? "";
        return { ip, pool, node, version, state: this.stateOf(pool, ip) };
      }),
    );
  }

  private stateOf(label: string, ip: string): string {
    const { kubernetes } = this.options.stage.world;
    const [kind, pool = ""] = label.startsWith(ROUTED) ? ["RoutedIP", label.slice(ROUTED.length)] : [POOL, label];
    const [namespace = "", name = ""] = pool.split("/");
    const status = kubernetes.get({ apiVersion: GROUP_VERSION, kind, namespace, name })?.["status"];
    const state = kind === POOL ? at(status, "ips", ip, "state") : at(status, "state");
    return textOf(state) || "unknown";
  }
}
