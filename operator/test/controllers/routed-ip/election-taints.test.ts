import { expect } from "chai";
import { describe, it } from "mocha";
import { electTaint, heldTaint, strayTaints, taintedByUs } from "../../../src/controllers/routed-ip/node-election.js";
import { setTaints } from "../../../src/controllers/routed-ip/taint-calls.js";
import type { SlimNode, Taint } from "../../../src/kube/cache/slim-objects.js";
import { type KubeClient, type KubeRequest, StatusError } from "../../../src/kube/client.js";
import { installationOf } from "../../../src/match/taint-claims.js";
import { classRules } from "../../../src/routing/resolved-class.js";
import type { RoutingCaches } from "../../../src/routing/shared-caches.js";
import { type TaintedNode, TaintRegistry } from "../../../src/routing/taint-registry.js";
import { slimNode } from "../../match/cluster.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { TAINT } from "./model-cluster.js";

const TERMS = classRules({});
const OTHER: Taint = { key: "flipop.digitalocean.com/gold", effect: "NoSchedule" };

/** Nodes with their taints, and what others need on them. */
function view(
  nodes: Readonly<Record<string, readonly Taint[]>>,
  needed: Readonly<Record<string, readonly Taint[]>> = {},
) {
  const neededOn = (name: string) => needed[name] ?? [];
  const tainted = Object.entries(nodes).map(
    ([name, taints]): TaintedNode => ({ name, taints, needed: neededOn(name) }),
  );
  const taintsOn = (name: string) => nodes[name] ?? [];
  return { taints: { nodes: tainted, neededOn, taintsOn }, resolvedClass: TERMS };
}

describe("the taint of the elected node", () => {
  const elected = (scene: ReturnType<typeof view>) => electTaint(scene, "n1").map(({ taints }) => taints);

  it("is put beside what others need, and written once", () => {
    expect(elected(view({}))).to.deep.equal([[TAINT]]);
    expect(elected(view({ n1: [TAINT] }))).to.deep.equal([]);
    expect(elected(view({ n1: [OTHER] }, { n1: [OTHER] }))).to.deep.equal([[OTHER, TAINT]]);
    expect(elected(view({ n1: [TAINT, OTHER] })), "no RoutedIP needs the other one").to.deep.equal([[TAINT]]);
  });

  it("is one for each key and effect; of two values the other's stays", () => {
    const valued = { ...TAINT, value: "gold" };
    expect(elected(view({ n1: [valued] }, { n1: [valued] })), "theirs is as good").to.deep.equal([]);
    expect(elected(view({ n1: [valued] })), "no RoutedIP needs the value").to.deep.equal([[TAINT]]);
    const noSchedule: Taint = { ...TAINT, effect: "NoSchedule" };
    expect(elected(view({ n1: [noSchedule] }, { n1: [noSchedule] }))).to.deep.equal([[noSchedule, TAINT]]);
  });

  it("follows the class on a holder that has it while no node serves, and is not added there", () => {
    const held = (scene: ReturnType<typeof view>) => heldTaint(scene, "n1").map(({ taints }) => taints);
    const noSchedule: Taint = { ...TAINT, effect: "NoSchedule" };
    expect(held(view({ n1: [noSchedule] })), "another effect").to.deep.equal([[TAINT]]);
    expect(held(view({ n1: [noSchedule, OTHER] }, { n1: [OTHER] })), "what others need").to.deep.equal([
      [OTHER, TAINT],
    ]);
    expect(held(view({ n1: [TAINT] })), "as it should be").to.deep.equal([]);
    expect(held(view({})), "it has none").to.deep.equal([]);
    expect(held(view({ n1: [noSchedule] }, { n1: [noSchedule] })), "it is another's").to.deep.equal([]);
    expect(held(view({ n1: [TAINT] }, { n1: [OTHER] })), "what others have not set yet").to.deep.equal([]);
  });

  it("goes from every other node, but for what others need there", () => {
    const scene = view({ n1: [TAINT], n2: [TAINT, OTHER], n3: [OTHER] }, { n2: [OTHER], n3: [OTHER] });
    const strays = strayTaints(scene, ["n1"]).map(({ node, taints }) => [node, taints]);
    expect(strays).to.deep.equal([["n2", [OTHER]]]);
  });

  it("is left behind if it has the operator's key and no other resource needs it; without a resolved class any", () => {
    const scene = view({ n1: [TAINT], n2: [TAINT], n3: [OTHER] }, { n2: [TAINT] });
    expect(taintedByUs(scene)).to.deep.equal(["n1"]);
    expect(taintedByUs({ taints: scene.taints })).to.deep.equal(["n1", "n3"]);
  });
});

describe("the writes of the taints of a node", () => {
  const FOREIGN: Taint = { key: "example.com/gpu", effect: "NoSchedule" };
  const ID = `${TAINT.key}:${TAINT.effect}`;
  const [OURS, THEIRS] = ["flipop.digitalocean.com/taints.flipop", "flipop.digitalocean.com/taints.edge"];

  function rig(node: Partial<SlimNode> | undefined, watchNamespaces: readonly string[] = ["web"]) {
    const registry = new TaintRegistry(new FakeClock(), installationOf({ namespace: "flipop", watchNamespaces }));
    const seen = node && slimNode("n1", node);
    if (seen !== undefined) registry.indexResource(seen, false);
    const sent: unknown[] = [];
    let refusal: number | undefined;
    const request = async ({ path, body }: KubeRequest) => {
      if (refusal !== undefined) throw new StatusError({ code: refusal, reason: "", message: "refused" });
      expect(path).to.equal("/api/v1/nodes/n1");
      sent.push(Array.isArray(body) ? body.at(-1).value : (body as { metadata: SlimNode }).metadata.annotations);
      return {};
    };
    const nodes = () => ({ store: new Map(seen && [["n1", seen]]) });
    const context = { client: { request } as unknown as KubeClient, watches: { nodes } };
    const caches = { context, taints: registry } as unknown as RoutingCaches;
    const call = (recheck?: () => string | undefined) =>
      ({ context: { recheck }, signal: new AbortController().signal }) as unknown as Parameters<typeof setTaints>[1];
    const set = (taints: readonly Taint[], claim?: readonly string[], recheck?: () => string | undefined) =>
      setTaints(caches, call(recheck), { do: "set-taints", node: "n1", taints, why: "", ...(claim && { claim }) });
    return { registry, sent, set, refuse: (code: number) => (refusal = code) };
  }

  it("name a taint in the installation's annotation before it comes, and until it is gone", async () => {
    const coming = rig({ taints: [FOREIGN] });
    expect((await coming.set([TAINT], [ID])).is).to.equal("done");
    expect(coming.sent).to.deep.equal([{ [OURS]: ID }, [FOREIGN, TAINT]]);
    expect(coming.registry.view("a").taintsOn("n1"), "before the cache shows it").to.deep.equal([TAINT]);
    const going = rig({ taints: [FOREIGN, TAINT], annotations: { [OURS]: ID } });
    await going.set([], []);
    expect(going.sent).to.deep.equal([[FOREIGN], { [OURS]: null }]);
  });

  it("are one where no annotation is needed, or it stays as it is", async () => {
    const all = rig({}, []);
    await all.set([TAINT]);
    expect(all.sent, "an installation that sees all RoutedIPs").to.deep.equal([[TAINT]]);
    const recorded = rig({ annotations: { [OURS]: ID } });
    await recorded.set([TAINT]);
    expect(recorded.sent).to.deep.equal([[TAINT]]);
    const same = rig({ taints: [TAINT], annotations: { [OURS]: ID } });
    await same.set([TAINT], [ID]);
    expect(same.sent, "all is so already").to.deep.equal([]);
  });

  it("leave what another installation has put there since the decision", async () => {
    const { sent, set } = rig({ taints: [OTHER], annotations: { [THEIRS]: `${OTHER.key}:${OTHER.effect}` } });
    await set([TAINT], [ID]);
    expect(sent).to.deep.equal([{ [OURS]: ID }, [OTHER, TAINT]]);
    const alike = rig({ taints: [TAINT], annotations: { [THEIRS]: ID } });
    await alike.set([TAINT], [ID]);
    expect(alike.sent, "both need the taint, once").to.deep.equal([{ [OURS]: ID }]);
  });

  it("are left out for a node that is gone, a decision that is outdated, and a node that has changed", async () => {
    expect((await rig(undefined).set([TAINT])).is).to.equal("skipped");
    const outdated = rig({});
    expect(await outdated.set([TAINT], [ID], () => "moved")).to.deep.equal({ is: "superseded", because: "moved" });
    expect(outdated.sent).to.deep.equal([]);
    for (const code of [409, 422]) {
      const changed = rig({});
      changed.refuse(code);
      expect((await changed.set([TAINT], [ID])).is, `${code}`).to.equal("skipped");
    }
    const failing = rig({});
    failing.refuse(500);
    expect(await failing.set([TAINT], [ID]).catch((error: unknown) => error)).to.be.instanceOf(StatusError);
  });
});
