import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import { FIREWALL, FOREIGN, TAINT } from "./model-cluster.js";
import { type Fault, ModelWorld } from "./model-world.js";

const NODES = ["n1", "n2", "n3", "n4", "n5"];
/** RoutedIPs, each with a Service of its own name. */
const NAMES = ["a", "b", "c"];
const PORTS: Readonly<Record<string, readonly number[]>> = { a: [443, 80], b: [443], c: [53] };
const FOREIGN_NODE = "digitalocean://bastion";

interface NodeStep {
  readonly do: "ready" | "unready" | "cordon" | "uncordon" | "remove" | "add";
  readonly node: string;
}

type Step =
  | NodeStep
  | { readonly do: "serve"; readonly name: string; readonly nodes: readonly string[] }
  | { readonly do: "ports"; readonly name: string; readonly ports: readonly number[] }
  | { readonly do: "delete" | "drop-service" | "pause"; readonly name: string }
  | { readonly do: "run"; readonly name: string; readonly fault: Fault | undefined }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "edit-firewall"; readonly port: number };

const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(9),
  what: fc.constantFrom("crash-before", "crash-after", "lost", "refused"),
});
const node = fc.constantFrom(...NODES);
const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("ready", "unready", "cordon", "uncordon", "remove", "add"),
      node,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("serve"), name, nodes: fc.subarray(NODES) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("ports"), name, ports: fc.subarray([443, 80, 8080], { minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("delete", "drop-service", "pause"), name }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("run"), name, fault: fc.option(fault, { nil: undefined }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), seconds: fc.constantFrom(1, 3, 31, 70) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit-firewall"), port: fc.constantFrom(443, 80, 53) }) },
);
const history = fc.array(step, { maxLength: 40 });

class Story {
  readonly world = new ModelWorld();

  constructor(assignMs: number) {
    const { world } = this;
    world.assignMs = assignMs;
    for (const each of NODES) world.addNode(each);
    world.addFirewall([FOREIGN], [FOREIGN_NODE]);
    for (const [index, each] of NAMES.entries()) {
      world.addService(each, PORTS[each] ?? []);
      world.serve(each, NODES[index] ?? "n1", "n5");
      const omitUndefined = each === "b" ? { routedIP: "203.0.113.2" } : {};
      world.addRouted(
        each,
        { serviceRef: { serviceName: each }, gracePeriodSeconds: each === "c" ? 30 : 0, ...omitUndefined },
        { reclaimPolicy: "Delete", postAllow: each === "c" },
      );
    }
  }

  take(each: Step): void {
    if ("name" in each && !this.world.routed.has(each.name)) return;
    if (each.do === "run") this.world.run(each.name, each.fault);
    else if (each.do === "wait") this.world.pass(each.seconds * 1000);
    else if (each.do === "edit-firewall") this.closePort(each.port);
    else this.change(each);
    this.check();
  }

  private change(each: Exclude<Step, { readonly do: "run" | "wait" | "edit-firewall" }>): void {
    const { world } = this;
    if (each.do === "serve") world.serve(each.name, ...each.nodes.filter((one) => world.nodes.has(one)));
    else if (each.do === "ports") world.addService(each.name, each.ports);
    else if (each.do === "delete") world.delete(each.name);
    else if (each.do === "drop-service") world.services.delete(`default/${each.name}`);
    else if (each.do === "pause") {
      const { spec } = world.get(each.name);
      world.edit(each.name, { spec: { ...spec, paused: spec.paused !== true } });
    } else if ("node" in each) this.changeNode(each);
  }

  private changeNode({ do: what, node: each }: NodeStep): void {
    const { world } = this;
    if (what === "ready" || what === "unready") world.setReady(each, what === "ready");
    else if (what === "remove") world.removeNode(each);
    else if (what === "add" && !world.nodes.has(each)) world.addNode(each);
    else world.editNode(each, { unschedulable: what === "cordon" });
  }

  /** Somebody edits the firewall by hand. */
  private closePort(port: number): void {
    const facts = this.world.firewalls.get(FIREWALL);
    if (facts === undefined) return;
    const rules = facts.rules.filter(({ ports }) => ports !== `${port}`);
    this.world.firewalls.set(FIREWALL, { ...facts, rules });
  }

  /** At any moment. */
  check(): void {
    const facts = this.world.firewalls.get(FIREWALL);
    expect(facts?.rules, "a foreign rule is gone").to.deep.include(FOREIGN);
    expect(facts?.nodes, "a foreign node is gone").to.include(FOREIGN_NODE);
    const holders = [...this.world.addresses.values()].flatMap(({ holder }) => holder ?? []);
    expect(new Set(holders).size, "a node holds more than its limit").to.equal(holders.length);
  }

  /** All are well again, and time passes. */
  settle(): void {
    for (const each of NODES) {
      if (!this.world.nodes.has(each)) this.world.addNode(each);
      this.world.editNode(each, { unschedulable: false });
      this.world.setReady(each, true);
    }
    for (const each of this.world.routed.keys()) {
      const { spec } = this.world.get(each);
      this.world.edit(each, { spec: { ...spec, paused: false } });
    }
    for (let round = 0; round < 4; round++) {
      this.world.settle(80);
      this.world.pass(70_000);
    }
    this.world.settle(80);
  }
}

/** Each address where it is served, with its ports open, its taint on its node and on no other. */
function checkAtRest(world: ModelWorld): void {
  const held = new Set<string>();
  for (const [each, { metadata }] of world.routed) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const holder = world.holderOf(each) ?? "";
    held.add(holder);
    expect(world.serves(each, holder), `${each} on "${holder}"`).to.equal(true);
    expect(world.isOpen(each, holder), `${each}: ports of ${holder}`).to.equal(true);
  }
  for (const each of NODES) expect(world.ownTaints(each)).to.deep.equal(held.has(each) ? [TAINT] : []);
  const machines = [...held].map((each) => `digitalocean://${each}`);
  expect(world.firewalls.get(FIREWALL)?.nodes).to.have.members([FOREIGN_NODE, ...machines]);
}

interface Drain {
  readonly assignMs: number;
  readonly cordonFirst: boolean;
  /** ms */
  readonly evictAfter: number;
  readonly endpointLag: number;
  /** Beyond the least that is asked for: the time of an assignment and 2 s. */
  readonly extraGrace: number;
  /** Nodes that serve beside the holder. */
  readonly others: readonly string[];
  readonly joinedBefore: boolean;
  /** Of the RoutedIP: no reason to stay with pods that end. */
  readonly gracePeriodSeconds: number;
  /** When the issuer names another firewall; ms. */
  readonly renamedAt: number | undefined;
}

const TICK_MS = 100;

/** Looks at every moment whether the address points to a node that answers. */
function drain(world: ModelWorld, it: Drain): void {
  const others = it.others.map((each) => ({ node: each, ready: true, serving: true }));
  const evictedAt = (it.cordonFirst ? it.evictAfter : 0) + it.endpointLag;
  const goneAt = evictedAt + it.assignMs + 2000 + it.extraGrace;
  if (it.cordonFirst) world.editNode("n1", { unschedulable: true });
  for (let at = 0; at <= goneAt + 6000; at += TICK_MS) {
    const own = at >= goneAt ? [] : [{ node: "n1", ready: at < evictedAt, serving: true }];
    world.endpoints.set("default/web", [...own, ...others]);
    if (at === it.renamedAt) rename(world);
    world.run("a");
    const holder = world.holderOf("a") ?? "no node";
    expect(world.serves("web", holder), `after ${at} ms on ${holder}, which does not answer`).to.equal(true);
    expect(world.isOpen("web", holder), `after ${at} ms on ${holder}, whose firewall is closed`).to.equal(true);
    world.pass(TICK_MS);
  }
}

function rename(world: ModelWorld): void {
  const resolvedClass = world.resolvedClass.get("a");
  world.firewalls.set("next", { id: "next", name: "next", rules: [FOREIGN], nodes: [], pending: false });
  if (resolvedClass !== undefined) world.resolvedClass.set("a", { ...resolvedClass, firewallName: "next" });
}

const parameters = { numRuns: 60 };
const assignTimes = fc.constantFrom(0, 4000);

describe("plans of RoutedIPs, at random", () => {
  it("bring every address to a node that serves, with its ports open, its taint on it and on no other", () => {
    fc.assert(
      fc.property(history, assignTimes, (steps, assignMs) => {
        const story = new Story(assignMs);
        const { world } = story;
        for (const each of steps) story.take(each);
        for (const each of NAMES) {
          if (!world.routed.has(each)) continue;
          world.addService(each, PORTS[each] ?? []);
          world.serve(each, ...NODES);
        }
        story.settle();
        checkAtRest(world);
      }),
      parameters,
    );
  });

  it("leave nothing behind, in whatever order things are deleted", () => {
    fc.assert(
      fc.property(history, fc.shuffledSubarray(NAMES, { minLength: 3 }), (steps, order) => {
        const story = new Story(0);
        const { world } = story;
        for (const each of steps) story.take(each);
        for (const each of order) {
          world.services.delete(`default/${each}`);
          if (world.routed.has(each)) world.delete(each);
          if (world.routed.has(each)) world.run(each);
        }
        story.settle();
        expect([...world.routed.keys()], "a deletion hangs").to.be.empty;
        for (const each of NODES) expect(world.ownTaints(each), `taint on ${each}`).to.be.empty;
        expect(world.firewalls.get(FIREWALL)).to.deep.include({ rules: [FOREIGN], nodes: [FOREIGN_NODE] });
        const kept = ["203.0.113.2", ...world.inferred];
        expect([...world.addresses.keys()], "a created address stays").to.have.members(kept);
      }),
      parameters,
    );
  });

  it("never let a drain point the address at a node that does not answer, where another was ready", () => {
    const ms = (max: number) => fc.integer({ min: 0, max });
    const drains: fc.Arbitrary<Drain> = fc.record({
      assignMs: fc.constantFrom(0, 1000, 4000),
      cordonFirst: fc.boolean(),
      evictAfter: ms(5000),
      endpointLag: ms(500),
      extraGrace: ms(4000),
      others: fc.subarray(["n2", "n3", "n4"], { minLength: 1 }),
      joinedBefore: fc.boolean(),
      gracePeriodSeconds: fc.constantFrom(0, 60),
      renamedAt: fc.option(
        ms(60).map((tick) => tick * TICK_MS),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(drains, (it) => {
        const world = new ModelWorld();
        for (const each of NODES) world.addNode(each);
        world.addFirewall();
        world.addService("web", [443]);
        world.serve("web", "n1");
        world.addRouted("a", { routedIP: "203.0.113.2", gracePeriodSeconds: it.gracePeriodSeconds });
        world.settle();
        world.assignMs = it.assignMs;
        world.serve("web", "n1", ...it.others);
        if (it.joinedBefore)
          world.addFirewall(
            [FOREIGN, ...(world.firewalls.get(FIREWALL)?.rules ?? [])],
            ["digitalocean://n1", "digitalocean://n2"],
          );
        world.settle();
        drain(world, it);
        expect(it.others).to.include(world.holderOf("a"));
      }),
      parameters,
    );
  });
});
