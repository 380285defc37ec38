/** Keeps the index of one resource on its `spec.match`, however often and however wrongly that is edited. */

import type { Match } from "cdk8s-flipop/api";
import type { ControllerContext } from "../controllers/context.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import { type CompiledMatch, compileMatch, type MatchProblem } from "./compile-match.js";
import { MatchFeed } from "./match-feed.js";
import type { MatchIndex, VerdictChange } from "./match-index.js";

export interface MatchFollowerProps {
  readonly context: Pick<ControllerContext, "nodes" | "watches" | "settings" | "logger">;
  /** For the log. */
  readonly resource: string;
  readonly onChange: (change: VerdictChange | "rematched") => void;
}

export class MatchFollower {
  /** Why the match can't be used: the former one stays in force. */
  problem: Problem | undefined;
  /** Tolerations that tolerate nothing. */
  passedOver: readonly string[] = [];
  private readonly feed: MatchFeed;
  private key: string | undefined;

  constructor(private readonly props: MatchFollowerProps) {
    const { context, onChange } = props;
    this.feed = new MatchFeed({ nodes: context.nodes, watches: context.watches, onChange });
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
  follow(match: Match | undefined, providerScheme?: string): boolean {
    const key = JSON.stringify([match ?? {}, providerScheme]);
    if (key === this.key) return false;
    this.key = key;
    const compiled = compileMatch(match, providerScheme);
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
    const where = pods.namespace === undefined ? "all namespaces" : `namespace ${pods.namespace}`;
    const message = `match asks for pods of ${where}; the operator may read those of ${podNamespaces.join(", ")}: set podNamespace to one of them, or add it to --pod-namespaces`;
    return { reason: "NamespaceNotAllowed", message };
  }
}

function textOf({ field, message }: MatchProblem): string {
  return `spec.${field}: ${message}`;
}

function invalid(problems: readonly MatchProblem[]): Problem {
  return { reason: "Invalid", message: problems.map(textOf).join("; ") };
}
