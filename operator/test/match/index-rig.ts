import type { Match } from "cdk8s-flipop/api";
import { POD_INDEXES, type PodIndex } from "../../src/kube/cache/pods.js";
import type { SlimNode, SlimPod } from "../../src/kube/cache/slim-objects.js";
import { Store } from "../../src/kube/cache/store.js";
import type { Verdict } from "../../src/match/checks.js";
import { MatchIndex, type VerdictChange, type Wanted } from "../../src/match/match-index.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { isOfWaiting, nodesOfPodEvent, type PodSource, PodWorkload } from "../../src/match/node-workload.js";
import { tallyText } from "../../src/match/tally.js";
import { compiled } from "./cluster.js";

/** Stores, a directory and one index, wired as the operator wires them. */
export class IndexRig {
  readonly nodes = new Store<SlimNode>();
  readonly pods = new Store<SlimPod, PodIndex>({ indexes: POD_INDEXES });
  readonly directory = new NodeDirectory();
  readonly index: MatchIndex;
  /** `name what before -> after`. */
  readonly log: string[] = [];
  readonly changes: VerdictChange[] = [];
  /** Nodes whose pods were looked at. */
  readonly looked: string[] = [];
  match: Match;

  constructor(match: Match) {
    this.match = match;
    this.index = new MatchIndex(this.directory, this.wanted(match), (change) => {
      this.changes.push(change);
      this.log.push(`${change.name} ${change.what} ${text(change.before)} -> ${text(change.after)}`);
    });
    this.nodes.listen((event) => this.directory.apply(event));
    this.pods.listen((event) => {
      for (const name of nodesOfPodEvent(event)) this.index.workloadChanged(name);
      if (isOfWaiting(event)) this.index.waitingChanged();
    });
  }

  rematch(match: Match): void {
    this.match = match;
    this.index.rematch(this.wanted(match));
  }

  /** An index made now, with no past. */
  fresh(): MatchIndex {
    return new MatchIndex(new NodeDirectory(this.nodes.list()), this.wanted(this.match), () => undefined);
  }

  candidates(index: MatchIndex = this.index): readonly string[] {
    return index
      .candidates()
      .map(({ name }) => name)
      .sort();
  }

  tallyText(): string {
    return tallyText(this.index.tally());
  }

  private wanted(spec: Match): Wanted {
    const match = compiled(spec);
    const source: PodSource = {
      list: () => this.pods.list(),
      byIndex: (index, node) => {
        if (!this.looked.includes(node)) this.looked.push(node);
        return this.pods.byIndex(index, node);
      },
    };
    return match.pods === undefined ? { match } : { match, workload: new PodWorkload(source, match.pods) };
  }
}

function text(verdict: Verdict | undefined): string {
  if (verdict === undefined) return "none";
  return verdict.refusals.map(({ reason }) => reason).join(",") || "ok";
}
