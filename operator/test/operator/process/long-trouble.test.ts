import type { Condition } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const TROUBLE_MS = 20 * 60_000;
/** Runs of all controllers in that time: several a minute, and far from spinning. */
const RUNS = 1_000;

const TROUBLE = {
  "an outage of the cloud": { kind: "status", status: 503 },
  "a token that is refused": { kind: "status", status: 401 },
  "a limit that is used up": { kind: "status", status: 429 },
  "answers that come late": { kind: "delay", ms: 25_000 },
} as const;

/** Longer than a run waits for its calls. */
const ANSWER_MS = 3_000;
const WATCHED_MS = 5 * 60_000;
const LOOK_MS = 200;

describe("operator in process: long trouble", function () {
  this.timeout(300_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  for (const [what, fault] of Object.entries(TROUBLE)) {
    it(`keeps no controller busy: ${what}`, async () => {
      made = await RoutedWorld.create(["n1", "n2", "n3"]);
      const { world } = made;
      const { digitalocean } = world;
      const ips = [1, 2].map(() => digitalocean.state.addAddress().ip);
      world.addPool("web", { ips, dnsRecordSet: { zone: "example.com", recordName: "www" } });
      made.addIssuer();
      made.addRouted("a", {});
      made.serve({ node: "n3" });
      const { operator } = world.start();
      await world.fulfilled("web");
      await made.ready("a");
      const outage = digitalocean.faults.inject(fault, { on: /./, times: Infinity });
      const before = runsIn(await operator.registry.text());
      await world.clock.sleep(TROUBLE_MS);
      const runs = runsIn(await operator.registry.text()) - before;
      expect(runs, "runs of all controllers").to.be.below(RUNS);
      outage.cancel();
      digitalocean.state.setHolder(ips[0] ?? "", null);
      await world.until("seen and mended", () => world.holder(ips[0] ?? "") !== undefined);
    });
  }
});

describe("operator in process: an action that fails again and again, each time with a late answer", function () {
  this.timeout(120_000);
  let world: World;
  afterEach(() => world.close());

  /** Conditions of the resource from the first failure on, each time that one changes. */
  async function changesAfter(failure: string, conditions: () => readonly Condition[]): Promise<readonly string[]> {
    const shown = () => conditions().map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    await world.until(failure, () => shown().includes(failure));
    const changes = [shown().join(" ")];
    const calls = world.digitalocean.journal.count({});
    const end = world.clock.now() + WATCHED_MS;
    while (world.clock.now() < end) {
      await world.clock.sleep(LOOK_MS);
      const now = shown().join(" ");
      if (now !== changes.at(-1)) changes.push(now);
    }
    expect(world.digitalocean.journal.count({}) - calls, "it is tried again").to.be.above(3);
    return changes;
  }

  it("turns no condition of a pool with each try", async () => {
    world = await World.create({ nodes: 2, speed: 60 });
    withoutRegions();
    world.digitalocean.faults.inject(
      { kind: "delay", ms: ANSWER_MS },
      { on: /reserved_ips.*actions/, times: Infinity },
    );
    world.addPool("web", { ips: [world.digitalocean.state.addAddress({ region: "sfo3" }).ip] });
    world.start();
    const conditions = () => world.status("web").conditions ?? [];
    expect(await changesAfter("Accepted=False/WrongRegion", conditions)).to.have.length(1);
    expect(conditions().find(({ type }) => type === "Ready")?.reason).to.equal("WrongRegion");
  });

  it("turns no condition of a RoutedIP with each try", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], { speed: 60 });
    world = made.world;
    withoutRegions();
    world.digitalocean.faults.inject(
      { kind: "delay", ms: ANSWER_MS },
      { on: /reserved_ips.*actions/, times: Infinity },
    );
    made.addIssuer();
    made.addRouted("a", { routedIP: world.digitalocean.state.addAddress({ region: "sfo3" }).ip });
    made.serve({ node: "n1" });
    world.start();
    const conditions = () => made.status("a").conditions ?? [];
    const changes = await changesAfter("Assigned=False/WrongRegion", conditions);
    expect(changes).to.have.length(1);
  });

  function withoutRegions(): void {
    for (const { metadata } of world.kubernetes.list("v1", "Node")) {
      world.change({ apiVersion: "v1", kind: "Node", name: metadata.name }, "metadata", { labels: {} });
    }
  }
});

function runsIn(metrics: string): number {
  const lines = metrics.matchAll(/^controller_runtime_reconcile_total\{[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}
