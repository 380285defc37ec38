import { HOLDER_LABEL_PREFIX, type HolderResource, UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { marksOf, NodeMarks, ownLabelAskedFor } from "../../../src/addresses/marks/holder-labels-and-taints.js";
import { labelHolders } from "../../../src/addresses/marks/mark-calls.js";
import { labelActionsFor, markChains } from "../../../src/addresses/marks/mark-plan.js";
import type { Placement } from "../../../src/addresses/placements.js";
import { type KubeClient, StatusError } from "../../../src/kube/client.js";
import { NodeDirectory } from "../../../src/match/node-directory.js";
import { nodeFacts } from "../../../src/match/node-facts.js";
import { CACHE_LAG_MS } from "../../../src/timings.js";
import { slimNode } from "../../match/cluster.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { KEY, LaggingCluster, NODES } from "../lagging-cluster.js";

function keyOf({ kind, ...metadata }: HolderResource): string {
  const marks = new NodeMarks(new NodeDirectory(), new FakeClock());
  const { holderLabel } = marksOf(marks, kind, { metadata, spec: { holderLabel: true } });
  return holderLabel?.key ?? "";
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
    const cluster = new LaggingCluster();
    await cluster.run("n1");
    await cluster.run("n2");
    await cluster.run("n2");
    expect(cluster.writes).to.deep.equal(["+n1", "-n1", "+n2"]);
  });

  it("leaves a node that the cache does not show", async () => {
    const cluster = new LaggingCluster();
    cluster.labelled.add("n3");
    await cluster.run("n1");
    expect(cluster.writes).to.deep.equal(["-n3", "+n1"]);
  });

  it("comes back right after somebody removed it, though the cache showed the operator's writes before their answers", async () => {
    const cluster = new LaggingCluster();
    cluster.onAnswer = () => cluster.show();
    await cluster.runFor(["n1", "n2"]);
    cluster.onAnswer = () => {};
    cluster.labelled.clear();
    cluster.show();
    await cluster.runFor(["n1", "n2"]);
    expect(cluster.writes).to.deep.equal(["+n1", "+n2", "+n1", "+n2"]);
  });

  it("comes back right after somebody removed it from a node whose label the operator had only read", async () => {
    const cluster = new LaggingCluster();
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
    const cluster = new LaggingCluster();
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
    const cluster = new LaggingCluster();
    await cluster.run("n1");
    await cluster.run(undefined, true);
    await cluster.run("n2", true);
    expect(cluster.writes).to.deep.equal(["+n1"]);
  });

  it("is not set after the decision has been superseded", async () => {
    const cluster = new LaggingCluster();
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
    const cluster = new LaggingCluster();
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
        const cluster = new LaggingCluster();
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
});
