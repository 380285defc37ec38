import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { seededRandom } from "../../support/seeded-random.js";
import { sliceOf } from "../../support/time/long.js";
import { Killer, type Moment } from "../killer.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "./platform.js";

const NODES = ["n1", "n2"] as const;
const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "rack" };
const TAINT = "flipop.digitalocean.com/routed-ip";
const FLAGS = { features: "pools,dns,routedip,jobs", "job-namespaces": JOB_NAMESPACE };
/** Scenes that run at the same time. */
const AT_ONCE = 6;
/** Kills of the fixed slice; which ones the printed seed says. */
const SLICE = 18;
/** An address that a person has, for one of which it is not known what was created. */
const OWN = "198.51.100.1";

/** What a Job does while there is no operator. */
type Meanwhile = "ends" | "runs on";

interface Kill {
  readonly at: number;
  readonly moment: Moment;
  readonly meanwhile: Meanwhile;
}

interface Scene {
  readonly made: RoutedWorld;
  readonly platform: JobPlatform;
}

/** What happens to a RoutedIP in its life, each with what it comes to. */
const CHAPTERS: readonly {
  readonly happens: (scene: Scene) => void;
  readonly comesTo: (scene: Scene) => boolean;
}[] = [
  {
    happens: ({ made }) => made.addRouted("a", { className: CLASS.name, holderLabel: true }),
    comesTo: (scene) => isSettled(scene, "n1"),
  },
  {
    happens: ({ made }) => {
      made.serve({ node: "n1" }, { node: "n2" });
      made.cordon("n1");
    },
    comesTo: (scene) => isSettled(scene, "n2"),
  },
  {
    happens: ({ made }) => {
      made.world.kubernetes.delete(CLASS);
      made.world.kubernetes.delete(made.refTo("a"));
    },
    comesTo: isGone,
  },
];

async function inScene<T>(says: string, act: (scene: Scene) => Promise<T>): Promise<T> {
  const made = await RoutedWorld.create(NODES, { flags: FLAGS });
  try {
    const platform = new JobPlatform(made.world);
    // A person names the address of a lost creation, which the class has to allow.
    const allowedAddresses = ["Created", "198.51.100.0/24"];
    const spec = { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC, allowedAddresses };
    made.world.kubernetes.create({ ...CLASS, metadata: { name: CLASS.name }, spec });
    made.serve({ node: "n1" });
    const lies: string[] = [];
    const labels = new Set<number>();
    made.world.kubernetes.onRequest(() => labels.add(made.labelled("a").length));
    const end = made.world.clock.onStep(() => lies.push(...lieOf({ made, platform })));
    const result = await act({ made, platform });
    end();
    expect([...labels], `nodes with the holder label at a time, ${says}`).not.to.include(2);
    expect(platform.clashes, `Jobs at the same time, ${says}`).to.deep.equal([]);
    expect(lies, `ports that were said to be open, ${says}`).to.deep.equal([]);
    return result;
  } finally {
    await made.close();
  }
}

/** @returns how many changes the first operator made. */
function survive({ at, moment, meanwhile }: Kill): Promise<number> {
  const says = `killed ${moment} change ${at}, when a Job ${meanwhile}`;
  return inScene(says, async (scene) => {
    const { made, platform } = scene;
    const { world } = made;
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    let succeeded = false;
    let helped = false;
    for (const { happens, comesTo } of CHAPTERS) {
      happens(scene);
      await made.until(`${says}, or done`, () => killer.killed !== undefined || comesTo(scene));
      if (killer.killed !== undefined && !succeeded) {
        await killer.killed;
        succeed(scene, meanwhile);
        succeeded = true;
      }
      await made.until(`all is well, ${says}`, () => comesTo(scene) || isLost(made));
      if (!isLost(made)) continue;
      // Between the intent and the Job: no process can know whether there was one.
      expect(platform.assigning, `Jobs of which nothing is known, ${says}`).to.equal(0);
      helped = true;
      help(made);
      await made.until(`all is well with a person's help, ${says}`, () => comesTo(scene));
    }
    expect(platform.created.length, `addresses that were made, ${says}`).to.equal(helped ? 0 : 1);
    return killer.seen;
  });
}

function succeed({ made, platform }: Scene, meanwhile: Meanwhile): void {
  if (meanwhile === "ends") platform.end();
  made.world.start();
  if (meanwhile === "runs on") platform.extend();
}

/** A person says which address it is. */
function help({ world, refTo }: RoutedWorld): void {
  world.kubernetes.change(refTo("a"), (object) => {
    return { ...object, spec: { ...(object["spec"] as object), routedIP: OWN } };
  });
}

function isLost(made: RoutedWorld): boolean {
  const { routedIP } = (made.object("a")?.["spec"] ?? {}) as { readonly routedIP?: string };
  return made.condition("a", "Accepted") === "False/AddressUnknown" && routedIP !== OWN;
}

/** The node whose machine has this provider id. */
function nodeOf({ world }: RoutedWorld, machine: string | undefined): string | undefined {
  const nodes = world.kubernetes.list("v1", "Node");
  return nodes.find(({ spec }) => (spec as { readonly providerID?: string }).providerID === machine)?.metadata.name;
}

/** Address, firewall and taint stand for this node, and for no other; and no Job is left. */
function isSettled({ made, platform }: Scene, node: string): boolean {
  const up = ["Ready", "Assigned", "FirewallReady"].every((type) => made.condition("a", type).startsWith("True"));
  const { routedIP = "", assignedNode, pendingCreation } = made.status("a");
  return (
    up &&
    nodeOf(made, platform.holder(routedIP)) === node &&
    assignedNode === node &&
    pendingCreation === undefined &&
    openAt(platform).join() === `tcp 443 ${node}` &&
    platform.jobs.length === 0 &&
    (!asksForLabel(made) || made.labelled("a").join() === node) &&
    NODES.every((name) => made.taints(name).join() === (name === node ? TAINT : ""))
  );
}

function asksForLabel(made: RoutedWorld): boolean {
  return (made.object("a")?.["spec"] as { readonly holderLabel?: boolean } | undefined)?.holderLabel === true;
}

function openAt({ rules }: JobPlatform): readonly string[] {
  return rules.flatMap(({ protocol, port, nodes }) => nodes.map(({ name }) => `${protocol} ${port} ${name}`));
}

/** Nothing of it is left but the address, where it was. */
function isGone({ made, platform }: Scene): boolean {
  const { kubernetes } = made.world;
  return (
    kubernetes.list(GROUP_VERSION, "RoutedIP").length === 0 &&
    kubernetes.get(CLASS) === undefined &&
    platform.jobs.length === 0 &&
    openAt(platform).length === 0 &&
    made.labelled("a").length === 0 &&
    [...platform.created, OWN].some((ip) => nodeOf(made, platform.holder(ip)) === "n2") &&
    NODES.every((name) => made.taints(name).length === 0)
  );
}

/** What the status says of the firewall, where it is not so. */
function lieOf({ made, platform }: Scene): readonly string[] {
  const { assignedNode } = made.status("a");
  if (made.object("a")?.metadata.deletionTimestamp !== undefined) return [];
  if (!made.condition("a", "FirewallReady").startsWith("True")) return [];
  return openAt(platform).includes(`tcp 443 ${assignedNode}`) ? [] : [`443 of ${assignedNode}`];
}

/** With the times of their last change. */
function conditionsOf(made: RoutedWorld, ...types: readonly string[]): string {
  const found = (made.status("a").conditions ?? []).filter(({ type }) => types.includes(type));
  return found.map(({ type, status, lastTransitionTime }) => `${type}=${status} ${lastTransitionTime}`).join();
}

/** Every kill there is, in an order by the seed of the run. */
function killsUpTo(changes: number): readonly Kill[] {
  const random = seededRandom(fc.readConfigureGlobal().seed ?? 0);
  const all = Array.from({ length: changes }, (_, index) => index + 1).flatMap((at) =>
    (["before", "after"] as const).flatMap((moment) =>
      (["ends", "runs on"] as const).map((meanwhile): Kill => ({ at, moment, meanwhile })),
    ),
  );
  const keyed = all.map((kill) => ({ kill, key: random() })).sort((a, b) => a.key - b.key);
  return keyed.map(({ kill }) => kill);
}

describe("operator in process: RoutedIP of a class with Jobs", function () {
  this.timeout(600_000);

  it("killed at any change comes to rest, with one Job at a time and one address at most", async () => {
    const changes = await survive({ at: Infinity, moment: "before", meanwhile: "ends" });
    const all = killsUpTo(changes);
    const kills = all.slice(0, sliceOf(all.length, SLICE));
    for (let from = 0; from < kills.length; from += AT_ONCE) {
      await Promise.all(kills.slice(from, from + AT_ONCE).map((kill) => survive(kill)));
    }
  });

  it("starts no Job and takes nothing back where an operator takes over and all is well", async () => {
    await inScene("taken over", async (scene) => {
      const { made, platform } = scene;
      const { world } = made;
      made.addRouted("a", { className: CLASS.name });
      const first = world.start();
      await made.until("settled", () => isSettled(scene, "n1"));
      await world.rest();
      await first.stop();
      const said = () => conditionsOf(made, "Assigned", "FirewallReady");
      const [before, { begun }] = [said(), platform];
      const seen = new Set<string>();
      const end = world.clock.onStep(() => seen.add(said()));
      world.start();
      await world.rest();
      end();
      expect(platform.begun, "Jobs").to.equal(begun);
      expect([...seen]).to.deep.equal([before]);
    });
  });
});
