import { HOLDER_LABEL_PREFIX, HOLDER_LABEL_VALUE, type HolderResource, UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { labelHolders } from "../../src/addresses/mark-calls.js";
import { type HolderNodes, labelActionsFor, markChains, markChainsFor } from "../../src/addresses/mark-plan.js";
import { marksOf, NodeMarks, ownLabelAskedFor } from "../../src/addresses/node-marks.js";
import type { Placement } from "../../src/addresses/observed.js";
import { CACHE_LAG_MS } from "../../src/bounds.js";
import { type KubeClient, type KubeRequest, StatusError } from "../../src/kube/client.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { nodeFacts } from "../../src/match/node-facts.js";
import { slimNode } from "../match/cluster.js";
import { FakeClock } from "../support/time/fake-clock.js";

const NODES = ["n1", "n2", "n3"] as const;
const KEY = `${HOLDER_LABEL_PREFIX}fip.default.web`;

function keyOf({ kind, ...metadata }: HolderResource): string {
  const marks = new NodeMarks(new NodeDirectory(), new FakeClock());
  const { holderLabel } = marksOf(marks, kind, { metadata, spec: { holderLabel: true } });
  return holderLabel?.key ?? "";
}

class Killed extends Error {}

/** Nodes on a server, and an operator whose cache lags behind and which may die at any write. */
class Cluster {
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

describe("the holder label", () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/).filter((text) => !/\.\.|\.-|-\./.test(text));
  const namespace = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  const resource = fc.record({
    kind: fc.constantFrom("FloatingIPPool" as const, "RoutedIP" as const),
    namespace,
    name,
  });

  it("has a key that is valid, and that no other resource has", () => {
    fc.assert(
      fc.property(resource, resource, (one, other) => {
        const [key, another] = [keyOf(one), keyOf(other)];
        expect(key).to.match(/^flipop\.digitalocean\.com\/holder-of-[-A-Za-z0-9_.]{0,52}[A-Za-z0-9]$/);
        expect(key === another).to.equal(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  it("names kind, namespace and name, and ends with a hash where these are too long", () => {
    const pool = { kind: "FloatingIPPool", namespace: "ingress" } as const;
    expect(keyOf({ ...pool, name: "web" })).to.equal(`${HOLDER_LABEL_PREFIX}fip.ingress.web`);
    const long = "w".repeat(100);
    expect(keyOf({ ...pool, name: long })).to.match(/holder-of-fip\.ingress\.w+_[0-9a-f]{16}$/);
    expect(keyOf({ ...pool, name: long })).not.to.equal(keyOf({ ...pool, name: `${long}w` }));
  });

  it("is asked for by its own resource only where that sets it and chooses nodes by it", () => {
    const asked = (spec: Parameters<typeof ownLabelAskedFor>[1]["spec"]) =>
      ownLabelAskedFor("FloatingIPPool", { metadata: { namespace: "default", name: "web" }, spec });
    const match = { nodeLabel: `!${KEY}` };
    expect(asked({ holderLabel: true, match })).to.equal(KEY);
    expect(asked({ match }), "nodes do not get it").to.equal(undefined);
    expect(asked({ holderLabel: true, match: { nodeLabel: `${KEY}x` } }), "of another one").to.equal(undefined);
    expect(asked({ holderLabel: true })).to.equal(undefined);
  });

  it("needs no action while exactly the holders have it", () => {
    const facts = { key: KEY, asked: true, bearers: ["a", "b"] };
    expect(labelActionsFor(facts, { names: ["a", "b"], possible: [], uncertain: false })).to.deep.equal([]);
    const [action] = labelActionsFor(facts, { names: ["b", "c"], possible: [], uncertain: false });
    expect(action?.why).to.equal("the address is not on a; the address is on c");
  });

  it("stays on the holder of an address that moves only if the move may never have begun", () => {
    const claim = { ours: true };
    const marks = { candidates: [], holderLabel: { key: KEY, asked: true, bearers: ["n1"] } };
    const actionsFor = (certainty: string, id?: string) => {
      const verdict = { node: nodeFacts(slimNode("n1")), refusals: [] };
      const moving = { address: { wanted: true, claim }, certainty, verdict, action: id === undefined ? id : { id } };
      return markChains(marks, [moving as unknown as Placement]).flat();
    };
    expect(actionsFor("moving", "")).to.deep.equal([]);
    expect(actionsFor("moving", "7")).to.deep.include.members([
      { do: "label-holders", key: KEY, nodes: [], why: "the address is not on n1" },
    ]);
    expect(actionsFor("free")[0]).to.deep.include({ do: "label-holders", nodes: [] });
  });

  it("leaves the previous node before the next one gets it", async () => {
    const cluster = new Cluster();
    await cluster.run("n1");
    await cluster.run("n2");
    await cluster.run("n2");
    expect(cluster.writes).to.deep.equal(["+n1", "-n1", "+n2"]);
  });

  it("leaves a node that the cache does not show", async () => {
    const cluster = new Cluster();
    cluster.labelled.add("n3");
    await cluster.run("n1");
    expect(cluster.writes).to.deep.equal(["-n3", "+n1"]);
  });

  it("comes back right after somebody removed it, though the cache showed the operator's writes before their answers", async () => {
    const cluster = new Cluster();
    cluster.onAnswer = () => cluster.show();
    await cluster.runFor(["n1", "n2"]);
    cluster.onAnswer = () => {};
    cluster.labelled.clear();
    cluster.show();
    await cluster.runFor(["n1", "n2"]);
    expect(cluster.writes).to.deep.equal(["+n1", "+n2", "+n1", "+n2"]);
  });

  it("comes back right after somebody removed it from a node whose label the operator had only read", async () => {
    const cluster = new Cluster();
    await cluster.runFor(["n1"]);
    cluster.show();
    await cluster.runFor(["n1", "n2"]);
    cluster.show();
    cluster.labelled.delete("n1");
    cluster.show();
    await cluster.runFor(["n1", "n2"]);
    expect(cluster.writes).to.deep.equal(["+n1", "+n2", "+n1"]);
  });

  it("comes back after somebody removed it while the operator read which nodes have it", async () => {
    const cluster = new Cluster();
    await cluster.runFor(["n1", "n2"]);
    cluster.show();
    cluster.labelled.delete("n1");
    cluster.show();
    cluster.onAnswer = () => {
      cluster.onAnswer = () => {};
      cluster.labelled.delete("n2");
      cluster.show();
    };
    await cluster.runFor(["n1", "n2"]);
    await cluster.runFor(["n1", "n2"]);
    expect([...cluster.labelled].sort()).to.deep.equal(["n1", "n2"]);
  });

  it("stays, and no other node gets it, while it is uncertain where an address is", async () => {
    const cluster = new Cluster();
    await cluster.run("n1");
    await cluster.run(undefined, true);
    await cluster.run("n2", true);
    expect(cluster.writes).to.deep.equal(["+n1"]);
  });

  it("is not set after the decision has been superseded", async () => {
    const cluster = new Cluster();
    cluster.labelled.add("n1");
    const [action] = labelActionsFor(
      { key: KEY, asked: true, bearers: ["n1"] },
      { names: ["n2"], possible: [], uncertain: false },
    );
    if (action === undefined) throw new Error("there is an action");
    const recheck = () => (cluster.writes.length === 0 ? undefined : "the address moves on");
    const outcome = await labelHolders(cluster, { signal: new AbortController().signal, recheck }, action);
    expect(outcome.is).to.equal("superseded");
    expect(cluster.writes).to.deep.equal(["-n1"]);
  });

  it("is not set where the previous node cannot lose it", async () => {
    const cluster = new Cluster();
    cluster.labelled.add("n1");
    const refused = new StatusError({ code: 403, reason: "Forbidden", message: "no" });
    const { client } = cluster;
    const refusing: KubeClient = {
      ...client,
      request: (request) => (request.method === "PATCH" ? Promise.reject(refused) : client.request(request)),
    };
    const action = { do: "label-holders", key: KEY, nodes: ["n2"], why: "" } as const;
    const tools = { client: refusing, nodes: cluster.nodes, marks: cluster.marks };
    const failed = await labelHolders(tools, { signal: new AbortController().signal }, action).catch(
      (error: unknown) => error,
    );
    expect(failed).to.equal(refused);
    expect([...cluster.labelled]).to.deep.equal(["n1"]);
  });

  it("is never on two nodes, whenever the process dies and however far its cache lags behind", async () => {
    const step = fc.record({
      holder: fc.constantFrom(...NODES, undefined),
      dies: fc.option(fc.record({ at: fc.nat(3), when: fc.constantFrom("before" as const, "after" as const) })),
      shows: fc.boolean(),
      waits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const cluster = new Cluster();
        for (const { holder, dies, shows, waits } of steps) {
          cluster.left = dies === null ? Number.POSITIVE_INFINITY : dies.at;
          cluster.dies = dies?.when ?? "before";
          await cluster.run(holder);
          if (shows) cluster.show();
          if (waits) await cluster.clock.advance(CACHE_LAG_MS);
        }
        expect(cluster.most).to.be.at.most(1);
        cluster.left = Number.POSITIVE_INFINITY;
        cluster.show();
        await cluster.run("n2");
        expect([...cluster.labelled]).to.deep.equal(["n2"]);
      }),
    );
  });
});

describe("the taint of nodes that wait for an address", () => {
  it("counts as removed when the cache shows that, though the cache showed its addition before the answer", () => {
    const key = `${UNTIL_ASSIGNED_PREFIX}fip.default.web`;
    const nodes = new NodeDirectory([slimNode("n1")]);
    const { taints } = new NodeMarks(nodes, new FakeClock());
    const show = (present: boolean) => {
      const object = slimNode("n1", { taints: present ? [{ key, effect: "NoSchedule" }] : [] });
      nodes.apply({ type: "updated", old: slimNode("n1"), object });
    };
    const since = taints.moment;
    show(true);
    taints.wrote({ key, name: "n1", present: true }, since);
    expect(taints.bearersOf(key)).to.deep.equal(["n1"]);
    show(false);
    expect(taints.bearersOf(key)).to.deep.equal([]);
  });

  const facts = { key: "k", asked: true, bearers: [] as readonly string[], unmatched: [] as readonly string[] };
  const candidates = NODES.map((name) => nodeFacts(slimNode(name)));
  const holders = { names: ["n1"], possible: [], uncertain: false };
  const changes = (taint: Partial<typeof facts>, more: Partial<HolderNodes> = {}) =>
    markChainsFor({ candidates, untilTaint: { ...facts, ...taint } }, { ...holders, ...more })
      .flat()
      .map((action) => (action.do === "taint-until" ? `${action.present ? "+" : "-"}${action.node}` : action.do));

  it("is on candidates without an address", () => {
    expect(changes({})).to.deep.equal(["+n2", "+n3"]);
    expect(changes({ bearers: ["n2", "n3"] })).to.deep.equal([]);
  });

  it("leaves a node when the address is there, or when the match does not mean the node", () => {
    expect(changes({ bearers: ["n1", "n2", "n3"] })).to.deep.equal(["-n1"]);
    expect(changes({ bearers: ["n2", "n3", "x", "y"], unmatched: ["x"] })).to.deep.equal(["-x"]);
  });

  it("stays as it is where an address may be", () => {
    expect(changes({ bearers: ["n2"] }, { names: [], possible: ["n1", "n2"] })).to.deep.equal(["+n3"]);
  });

  it("goes from all nodes if the spec does not ask for it, a few at a time", () => {
    expect(changes({ asked: false, bearers: ["n1", "n2"] })).to.deep.equal(["-n1", "-n2"]);
    expect(changes({ asked: false, bearers: Array.from({ length: 50 }, (_, index) => `x${index}`) })).to.have.length(
      20,
    );
  });
});
