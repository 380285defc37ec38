/** Nodes with a holder label, seen by an operator that is late. */

import { HOLDER_LABEL_PREFIX, HOLDER_LABEL_VALUE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { NodeMarks } from "../../src/addresses/marks/holder-labels-and-taints.js";
import { labelHolders } from "../../src/addresses/marks/mark-calls.js";
import { labelActionsFor } from "../../src/addresses/marks/mark-plan.js";
import type { KubeClient, KubeRequest } from "../../src/kube/client.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/time/fake-clock.js";

export const NODES = ["n1", "n2", "n3"] as const;
export const KEY = `${HOLDER_LABEL_PREFIX}fip.default.web`;

class Killed extends Error {}

/** Nodes on a server, and an operator whose cache lags behind and which may die at any write. */
export class LaggingCluster {
  readonly labelled = new Set<string>();
  /** At most this many nodes had the label at any time. */
  most = 0;
  /** Calls until the process dies; the last one may have been carried out. */
  left = Number.POSITIVE_INFINITY;
  dies: "before" | "after" = "before";
  readonly clock = new FakeClock();
  readonly nodes = new NodeDirectory(NODES.map((name) => slimNode(name)));
  marks = new NodeMarks(this.nodes, this.clock);
  readonly writes: string[] = [];
  /** Called when the server has answered, before the operator has the answer. */
  onAnswer = () => {};

  readonly client: KubeClient = {
    request: async <T>(request: KubeRequest): Promise<T> => {
      if (request.method === "GET") {
        const items = this.items(request);
        this.onAnswer();
        return { metadata: {}, items } as T;
      }
      const dies = --this.left <= 0;
      if (dies && this.dies === "before") throw new Killed();
      this.patch(request);
      if (dies) throw new Killed();
      this.onAnswer();
      return {} as T;
    },
    open: () => Promise.reject(new Error("no watches")),
  };

  private items({ query }: KubeRequest) {
    expect(query?.["labelSelector"]).to.equal(KEY);
    return [...this.labelled].map((name) => ({ metadata: { name, uid: `uid-${name}` } }));
  }

  private patch({ path, body }: KubeRequest): void {
    const name = path.split("/").at(-1) ?? "";
    const { labels, uid } = (body as { readonly metadata: { labels: Record<string, string | null>; uid: string } })
      .metadata;
    expect(uid).to.equal(`uid-${name}`);
    const value = labels[KEY];
    if (value === null) this.labelled.delete(name);
    else this.labelled.add(name);
    if (value !== null) expect(value).to.equal(HOLDER_LABEL_VALUE);
    this.most = Math.max(this.most, this.labelled.size);
    this.writes.push(`${value === null ? "-" : "+"}${name}`);
  }

  /** The node cache catches up. */
  show(): void {
    for (const name of NODES) {
      const { labels: shown = {} } = this.nodes.get(name) ?? {};
      if (KEY in shown === this.labelled.has(name)) continue;
      const old = slimNode(name, { labels: shown });
      const labels = this.labelled.has(name) ? { [KEY]: HOLDER_LABEL_VALUE } : {};
      this.nodes.apply({ type: "updated", old, object: slimNode(name, { labels }) });
    }
  }

  /** One run, by where the address is; false: the process died, and another one starts with the cache as it is. */
  run(holder: string | undefined, uncertain = false): Promise<boolean> {
    return this.runFor(holder === undefined ? [] : [holder], uncertain);
  }

  async runFor(names: readonly string[], uncertain = false): Promise<boolean> {
    const facts = { key: KEY, asked: true, bearers: this.marks.labels.bearersOf(KEY) };
    for (const action of labelActionsFor(facts, { names, possible: [], uncertain })) {
      try {
        await labelHolders(this, { signal: new AbortController().signal }, action);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        this.marks = new NodeMarks(this.nodes, this.clock);
        return false;
      }
    }
    return true;
  }
}
