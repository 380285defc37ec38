import { UNTIL_ASSIGNED_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { inWorld, type World } from "../world.js";

const KEY = `${UNTIL_ASSIGNED_PREFIX}fip.default.web`;
const ELECTED = "flipop.digitalocean.com/routed-ip";
const FOREIGN = { key: "example.com/dedicated", effect: "NoSchedule" };

interface Taint {
  readonly key: string;
  readonly effect: string;
}

function taintsOf({ kubernetes }: World, name: string): readonly Taint[] {
  const { taints = [] } = (kubernetes.get({ apiVersion: "v1", kind: "Node", name })?.["spec"] ?? {}) as {
    readonly taints?: readonly Taint[];
  };
  return taints.filter(({ key }) => !key.startsWith("node.kubernetes.io/"));
}

function setTaints({ kubernetes }: World, name: string, taints: readonly Taint[]): void {
  kubernetes.change({ apiVersion: "v1", kind: "Node", name }, (object) => ({
    ...object,
    spec: { ...(object["spec"] as object), taints },
  }));
}

function waiting(world: World, key = KEY): readonly string[] {
  const names = world.kubernetes.list("v1", "Node").map(({ metadata }) => metadata.name);
  return names.filter((name) => taintsOf(world, name).some((taint) => taint.key === key)).sort();
}

describe("operator in process: the taint on nodes that wait for an address", function () {
  this.timeout(240_000);

  it("is on all matching nodes but the holder, follows a move, and leaves other taints as they are", () =>
    inWorld({}, async (world) => {
      for (const name of ["node-1", "node-2", "node-3"]) world.addNode(name);
      world.addNode("other", { labels: { pool: "other" } });
      // As the kubelet of a new node registers it: the taint is no obstacle to get the address.
      setTaints(world, "node-1", [FOREIGN, { key: KEY, effect: "NoSchedule" }]);
      setTaints(world, "other", [{ key: KEY, effect: "NoSchedule" }]);
      const { ip } = world.digitalocean.state.addAddress();
      const match = { nodeLabel: "pool!=other", tolerations: [{ key: FOREIGN.key, operator: "Exists" }] };
      world.addPool("web", { ips: [ip], untilAssigned: true, match });
      world.start();
      const holder = () => world.status("web").ips?.[ip]?.nodeName ?? "";
      const isSettled = () => {
        const others = ["node-1", "node-2", "node-3"].filter((name) => name !== holder());
        return holder() !== "" && waiting(world).join() === others.join();
      };
      await world.until("the others are tainted", isSettled);
      expect(world.status("web").untilAssignedTaint).to.equal(KEY);
      const first = holder();
      world.setReady(first, false);
      await world.until("it has moved", () => holder() !== first && holder() !== "");
      world.setReady(first, true);
      await world.until("the taint has followed", isSettled);
      expect(taintsOf(world, "node-1")[0]).to.deep.equal(FOREIGN);
      world.kubernetes.delete(world.refTo("web"));
      await world.until("the pool is gone", () => world.kubernetes.get(world.refTo("web")) === undefined);
      expect(waiting(world)).to.deep.equal([]);
      expect(taintsOf(world, "node-1")).to.deep.equal([FOREIGN]);
    }));

  it("of a pool without a match is on every node that could have an address", () =>
    inWorld({ nodes: 3 }, async (world) => {
      setTaints(world, "node-3", [FOREIGN]);
      world.addNode("broken");
      world.setReady("broken", false);
      const { ip } = world.digitalocean.state.addAddress();
      world.addPool("web", { ips: [ip], untilAssigned: true });
      world.start();
      await world.fulfilled("web");
      await world.rest();
      const holder = world.status("web").ips?.[ip]?.nodeName;
      expect(waiting(world)).to.deep.equal(["node-1", "node-2"].filter((name) => name !== holder));
    }));

  it("goes when the spec does not ask for it", () =>
    inWorld({}, async (world) => {
      for (const name of ["node-1", "node-2"]) world.addNode(name);
      world.addPool("web", { ips: [world.digitalocean.state.addAddress().ip], untilAssigned: true });
      world.start();
      await world.until("one waits", () => waiting(world).length === 1);
      world.edit("web", { untilAssigned: false });
      await world.until("none waits", () => waiting(world).length === 0);
      await world.until(
        "nothing is left to clean up",
        () => (world.pool("web").metadata.finalizers ?? []).length === 0,
      );
    }));

  it("of a RoutedIP is beside the taint of the elected node, which does not remove it", async () => {
    const made = await RoutedWorld.create(["n1", "n2"]);
    const { world } = made;
    const key = `${UNTIL_ASSIGNED_PREFIX}rip.default.a`;
    try {
      made.addIssuer({});
      made.serve({ node: "n1" }, { node: "n2" });
      made.addRouted("a", { untilAssigned: true });
      world.start();
      const isOn = (node: string | undefined) => {
        const other = node === "n1" ? "n2" : "n1";
        return node !== undefined && made.taints(node).join() === ELECTED && made.taints(other).join() === key;
      };
      await made.until("settled", () => isOn(made.status("a").assignedNode));
      const first = made.status("a").assignedNode ?? "";
      made.cordon(first);
      await made.until("moved", () => made.nodeOf("a") !== first);
      made.uncordon(first);
      await made.until("settled again", () => isOn(made.status("a").assignedNode));
      world.kubernetes.delete(made.refTo("a"));
      await made.until("gone", () => made.object("a") === undefined);
      expect(["n1", "n2"].flatMap((node) => made.taints(node))).to.deep.equal([]);
    } finally {
      await made.close();
    }
  });

  for (const [mark, spec] of [
    ["taint", { untilAssigned: true }],
    ["label", { holderLabel: true }],
  ] as const) {
    it(`keeps the pool from being ready while the API server refuses the ${mark}, with one Warning`, () =>
      inWorld({ nodes: 3 }, async (world) => {
        let refused = 0;
        const refuse = () =>
          world.kubernetes.setFaults(({ method, path, body }) => {
            const ofMark = body.includes(mark === "taint" ? "/spec/taints" : '"labels"');
            if (method !== "PATCH" || !path.startsWith("/api/v1/nodes/") || !ofMark) return undefined;
            refused += 1;
            return { kind: "status", code: 403, reason: "Forbidden" };
          });
        refuse();
        const ips = world.addAddresses(1);
        world.addPool("web", { ips, ...spec });
        world.start();
        const fulfilled = () => world.condition("web", "Fulfilled");
        await world.until("Fulfilled says so", () => fulfilled()?.reason === "APIServerRefused");
        await world.clock.sleep(60_000);
        expect(fulfilled()).to.include({ status: "False", reason: "APIServerRefused" });
        expect(fulfilled()?.message)
          .to.include(`${mark} ${mark === "taint" ? KEY : ""}`)
          .and.match(/on node-\d/)
          .and.include("give the operator the right");
        expect(world.condition("web", "Ready")).to.include({ status: "False", reason: "APIServerRefused" });
        const warnings = () =>
          ["APIServerRefused", "TaintNotWritten", "LabelNotWritten"].flatMap((reason) => world.events(reason));
        expect(warnings()).to.have.length(1);
        expect(refused, "the tries become rarer").to.be.below(24);
        world.kubernetes.setFaults(() => undefined);
        await world.until("it is ready", () => world.condition("web", "Ready")?.status === "True");
        expect(fulfilled()?.status).to.equal("True");
        expect(warnings()).to.have.length(1);
      }));
  }
});
