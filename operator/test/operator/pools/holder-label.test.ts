import { HOLDER_LABEL_PREFIX } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { Killer, type Moment } from "../killer.js";
import { inWorld, type World } from "../world.js";

const NODES = ["node-1", "node-2", "node-3"];
const KEY = `${HOLDER_LABEL_PREFIX}fip.default.web`;
/** Scenes that run at the same time. */
const AT_ONCE = 4;

function labelled({ kubernetes }: World): readonly string[] {
  const nodes = kubernetes.list("v1", "Node").filter(({ metadata }) => metadata.labels?.[KEY] === "true");
  return nodes.map(({ metadata }) => metadata.name).sort();
}

function holders(world: World): readonly string[] {
  const { ips = {} } = world.status("web");
  return Object.values(ips)
    .flatMap(({ nodeName }) => nodeName ?? [])
    .sort();
}

function follows(world: World): boolean {
  return labelled(world).join() === holders(world).join();
}

/** Before each request to the API server, and so after each write. */
function watchLabels(world: World): () => number {
  let most = 0;
  world.kubernetes.onRequest(() => {
    most = Math.max(most, labelled(world).length);
  });
  return () => most;
}

/** A node fails, and the operator that moves the address is killed. @returns how many changes it made. */
function survive(at: number, moment: Moment): Promise<number> {
  return inWorld({}, async (world) => {
    for (const name of NODES.slice(0, 2)) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", { ips: [ip], holderLabel: true });
    const most = watchLabels(world);
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    let succeeded = false;
    const comesTo = async (what: string, condition: () => boolean) => {
      await world.until("killed or done", () => (killer.killed !== undefined && !succeeded) || condition());
      if (killer.killed !== undefined && !succeeded) {
        await killer.killed;
        world.digitalocean.faults.clear();
        world.start();
        succeeded = true;
      }
      await world.until(`${what}, killed ${moment} change ${at}`, condition);
    };
    const isOn = (node?: string) =>
      labelled(world).length === 1 && follows(world) && (node ?? labelled(world)[0]) === labelled(world)[0];
    await comesTo("the label is set", isOn);
    const [failing] = labelled(world);
    world.setReady(failing ?? "", false);
    await comesTo("the label has followed", () => isOn(NODES.slice(0, 2).find((name) => name !== failing)));
    world.kubernetes.delete(world.refTo("web"));
    await comesTo("the label is gone with the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
    expect(labelled(world)).to.deep.equal([]);
    expect(most(), `nodes with the label at a time, killed ${moment} change ${at}`).to.equal(1);
    return killer.seen;
  });
}

describe("operator in process: the label on the holders of a pool", function () {
  this.timeout(600_000);

  for (const moment of ["before", "after"] as const) {
    it(`is never on two nodes for one address, killed ${moment} any change`, async () => {
      for (let at = 1; ; at += AT_ONCE) {
        const batch = Array.from({ length: AT_ONCE }, (_, index) => at + index);
        const seen = await Promise.all(batch.map((one) => survive(one, moment)));
        if (seen.some((changes, index) => changes < at + index)) break;
      }
    });
  }

  it("is on each holder, comes back when somebody removes it, and goes when the spec does not ask for it", () =>
    inWorld({}, async (world) => {
      for (const name of NODES) world.addNode(name);
      const ips = [1, 2].map(() => world.digitalocean.state.addAddress().ip);
      world.addPool("web", { ips, holderLabel: true });
      const most = watchLabels(world);
      world.start();
      await world.until("both are labelled", () => labelled(world).length === 2 && follows(world));
      expect(world.status("web").holderLabel).to.equal(KEY);
      const [first = ""] = labelled(world);
      world.kubernetes.change({ apiVersion: "v1", kind: "Node", name: first }, (object) => ({
        ...object,
        metadata: { ...(object["metadata"] as object), labels: {} },
      }));
      await world.until("it is back", () => labelled(world).length === 2);
      world.edit("web", { holderLabel: false });
      await world.until("no node has it", () => labelled(world).length === 0);
      await world.until(
        "nothing is left to clean up",
        () => (world.pool("web").metadata.finalizers ?? []).length === 0,
      );
      await world.until("the status says so", () => world.status("web").holderLabel === undefined);
      expect(most()).to.equal(2);
    }));

  it("is no other resource's business, and stays while the pool is paused", () =>
    inWorld({}, async (world) => {
      const foreign = `${HOLDER_LABEL_PREFIX}fip.default.other`;
      world.addNode("node-1", { labels: { [foreign]: "true" } });
      world.addPool("other", { ips: [world.digitalocean.state.addAddress().ip], holderLabel: true, paused: true });
      world.addPool("web", { ips: [world.digitalocean.state.addAddress().ip], holderLabel: true });
      world.start();
      await world.until("it is labelled", () => labelled(world).length === 1);
      world.edit("web", { holderLabel: false, paused: true });
      await world.rest();
      const labels = world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "node-1" })?.metadata.labels ?? {};
      expect(Object.keys(labels)).to.include.members([foreign, KEY]);
    }));
});
