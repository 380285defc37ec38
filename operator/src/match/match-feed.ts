/**
 * Keeps the index of one resource on its `spec.match` and on the pods that it asks for. An edited match applies only when its
 * pods have been read, so that missing data causes no move.
 */

import type { Match } from "cdk8s-flipop/api";
import type { ControllerContext } from "../controllers/context.js";
import type { PodView } from "../kube/cache/pods.js";
import type { SharedWatches } from "../kube/cache/shared-watches.js";
import type { SlimPod } from "../kube/cache/slim-objects.js";
import type { StoreEvent } from "../kube/cache/store.js";
import { jsonEqual } from "../kube/objects.js";
import type { Problem } from "../messages/message.js";
import { specMessages } from "../messages/spec.js";
import type { MachineIds } from "../providers/types.js";
import { omitUndefined } from "../values.js";
import type { ProbeFailures } from "./checks.js";
import { type CompiledMatch, compileMatch, type MatchProblem, podScopeOf } from "./compile-match.js";
import { MatchIndex, type VerdictChange, type Wanted } from "./match-index.js";
import type { NodeDirectory } from "./node-directory.js";
import type { NodeFacts } from "./node-facts.js";
import { isOfWaiting, nodesOfPodEvent, PodWorkload } from "./node-workload.js";
import { isTaintsAnnotation } from "./taint-claims.js";

/** `pods`: a node lacks the pod, and the message about that may name another one. */
export type MatchChange = VerdictChange | "rematched" | "pods";

interface MatchFeedProps {
  /** Of synced nodes. */
  readonly nodes: NodeDirectory;
  readonly watches: Pick<SharedWatches, "podView">;
  /** The index is there, another match has taken hold, or a node changed. */
  readonly onChange: (change: MatchChange) => void;
  /** Absent: no node is probed. */
  readonly probes?: ProbeFailures;
}

export class MatchFeed {
  private view: PodView | undefined;
  /** The match asked for last, until it takes hold. */
  private pending: CompiledMatch | undefined;
  private current: MatchIndex | undefined;
  private closed = false;

  constructor(private readonly props: MatchFeedProps) {}

  /** `undefined` until the pods of the first match have been read. */
  get index(): MatchIndex | undefined {
    return this.current;
  }

  /** The index is that of the match asked for last. */
  get settled(): boolean {
    return this.current !== undefined && this.pending === undefined;
  }

  /** Asks for another match. Resolves when it has taken hold or is no longer asked for. */
  async select(match: CompiledMatch): Promise<void> {
    if (this.closed) return;
    this.pending = match;
    if (match.pods === undefined) {
      const view = this.view;
      this.view = undefined;
      this.takeHold({ match });
      await view?.close();
      return;
    }
    this.view ??= this.props.watches.podView((event) => this.podChanged(event));
    await this.view.select(podScopeOf(match.pods));
    const store = this.view?.store;
    if (this.pending !== match || store === undefined) return;
    this.takeHold({ match, workload: new PodWorkload(store, match.pods) });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.current?.close();
    this.current = undefined;
    await this.view?.close();
  }

  /** After a swap, the index still reads the former pods until the new match takes effect: this is harmless. */
  private podChanged(event: StoreEvent<SlimPod>): void {
    for (const name of nodesOfPodEvent(event)) this.current?.workloadChanged(name);
    const { current } = this;
    const isWaiting = isOfWaiting(event);
    if (isWaiting) current?.waitingChanged();
    if (current?.lacksWorkload || (current?.namesWaiting && isWaiting)) this.props.onChange("pods");
  }

  private takeHold(wanted: Wanted): void {
    this.pending = undefined;
    const { nodes, onChange, probes } = this.props;
    if (this.current === undefined) this.current = new MatchIndex(nodes, wanted, onChange, probes);
    else this.current.rematch(wanted);
    this.props.onChange("rematched");
  }
}

export interface MatchFollowerProps {
  readonly context: Pick<ControllerContext, "nodes" | "watches" | "settings" | "logger">;
  /** For the log. */
  readonly resource: string;
  readonly onChange: (change: MatchChange) => void;
  /** Absent: no node is probed. */
  readonly probes?: ProbeFailures;
}

export class MatchFollower {
  /** Why the match can't be used: the former one stays in force. */
  problem: Problem | undefined;
  /** Tolerations that tolerate nothing. */
  passedOver: readonly string[] = [];
  private readonly feed: MatchFeed;
  private key: string | undefined;

  constructor(private readonly props: MatchFollowerProps) {
    const { context, onChange, probes } = props;
    this.feed = new MatchFeed({
      ...{ nodes: context.nodes, watches: context.watches, onChange },
      ...omitUndefined({ probes }),
    });
  }

  /** `undefined` until the pods of the first match have been read. */
  get index(): MatchIndex | undefined {
    return this.feed.index;
  }

  /** The match asked for last is in force. */
  get settled(): boolean {
    return this.feed.settled && this.problem === undefined;
  }

  /** @returns whether it is another match than before. */
  follow(match: Match | undefined, machines?: MachineIds): boolean {
    const key = JSON.stringify([match ?? {}, machines?.providerIdScheme]);
    if (key === this.key) return false;
    this.key = key;
    const compiled = compileMatch(match, machines);
    this.passedOver = compiled.ok ? compiled.problems.map(textOf) : [];
    this.problem = compiled.ok ? this.outOfReach(compiled.match) : invalid(compiled.problems);
    if (compiled.ok && this.problem === undefined) this.select(compiled.match);
    return true;
  }

  close(): Promise<void> {
    return this.feed.close();
  }

  private select(match: CompiledMatch): void {
    const { context, resource } = this.props;
    this.feed.select(match).catch((error: unknown) => {
      context.logger.error({ resource, error }, "cannot watch the pods that match asks for");
    });
  }

  private outOfReach({ pods }: CompiledMatch): Problem | undefined {
    const { podNamespaces } = this.props.context.settings;
    if (pods === undefined || podNamespaces.length === 0) return undefined;
    if (pods.namespace !== undefined && podNamespaces.includes(pods.namespace)) return undefined;
    return specMessages.podsNotReadable({ namespace: pods.namespace, allowed: podNamespaces });
  }
}

function textOf({ field, message }: MatchProblem): string {
  return `spec.${field}: ${message}`;
}

function invalid(problems: readonly MatchProblem[]): Problem {
  return specMessages.invalid({ mistakes: problems.map(({ field, message }) => ({ path: `spec.${field}`, message })) });
}

/** The operator's own taints, and nothing else. */
export function hasOnlyNewTaints({ what, before, after }: VerdictChange): boolean {
  return what === "facts" && jsonEqual(withoutOwnTaints(before?.node), withoutOwnTaints(after?.node));
}

/** Nor the annotations for them. */
function withoutOwnTaints(node: NodeFacts | undefined): object {
  const { ownTaints, annotations = {}, ...rest } = node ?? {};
  return { ...rest, annotations: Object.entries(annotations).filter(([key]) => !isTaintsAnnotation(key)) };
}
