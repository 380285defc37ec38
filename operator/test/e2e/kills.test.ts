/**
 * The operator is killed at random moments of a life full of changes. `FLIPOP_SEED=123` repeats a run as far as the
 * machine's own timing allows; `FLIPOP_LONG=1` kills it 200 times.
 */

import { expect } from "chai";
import { describe, it } from "mocha";
import { CREATION_OVER_MS } from "../../src/timings.js";
import { seededRandom } from "../support/seeded-random.js";
import { sliceOf } from "../support/time/long.js";
import { DOMAIN } from "./support/clouds.js";
import type { Machine } from "./support/fleet.js";
import type { PoolResource } from "./support/resource.js";
import { spare } from "./support/spare.js";
import type { World } from "./support/world.js";
import { useWorlds } from "./support/worlds.js";

/** Most of the time is spent waiting for the Lease of the dead: several at once. */
const WORLDS = 4;
const KILLS = sliceOf(200, 20) / WORLDS;
const SECONDS_PER_KILL = 60;
const SHORT = ["--leader-elect-lease-duration=6", "--leader-elect-renew-deadline=5", "--leader-elect-retry-period=0.3"];
const SEED = Number(process.env["FLIPOP_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
/** Between a change and the kill, ms: a move takes about a second. */
const LONGEST_WAIT_MS = 1_500;
const DESIRED = 3;
/** The last kill may hit a create call: the operator takes this long to find its result, and then creates the rest. */
const SETTLED_MS = CREATION_OVER_MS + 60_000;

describe("the operator is killed at random moments", function () {
  this.timeout(120_000 + KILLS * SECONDS_PER_KILL * 1000);
  const worlds = useWorlds();

  it(`${KILLS * WORLDS} kills: no address leaks, none is lost, all is well in the end (seed ${SEED})`, async () => {
    const lives = Array.from({ length: WORLDS }, (_, index) => live(SEED + index));
    const ends = await Promise.allSettled(lives);
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  });

  async function live(seed: number): Promise<void> {
    const random = seededRandom(seed);
    const world = await worlds.create({ alone: true, digitalocean: { durations: { assign: 400 } } });
    const life = new Life(world, (count) => Math.floor(random() * count));
    await life.runActions();
    for (let kill = 0; kill < KILLS; kill++) await life.iteration();
    await life.end();
  }
});

class Life {
  private readonly machines: Machine[] = [];
  private readonly pools: PoolResource[] = [];
  private names = 0;
  private listed: readonly string[] = [];

  constructor(
    private readonly world: World,
    private readonly pick: (count: number) => number,
  ) {}

  async runActions(): Promise<void> {
    const { world } = this;
    this.machines.push(...(await world.fleet.addAll(["a", "b", "c", "d", "e", "f"])));
    this.listed = spare(world, 2);
    const dnsRecordSet = { zone: DOMAIN, recordName: "listed" };
    this.pools.push(await world.pool("listed", { ips: this.listed, dnsRecordSet }));
    await world.launch(SHORT);
  }

  /** Something changes, and before long the operator dies and another one begins. */
  async iteration(): Promise<void> {
    await this.change();
    const wait = this.pick(LONGEST_WAIT_MS);
    await new Promise((resolve) => setTimeout(resolve, wait));
    await this.world.kill();
    await this.world.launch(SHORT);
    await this.world.operator.leads();
    expect(this.created().length, this.world.clouds.text()).to.be.at.most(DESIRED);
  }

  /** Nothing changes any more: everything is as it should be, and stays so. */
  async end(): Promise<void> {
    const { world } = this;
    if (this.pools.length === 1) await this.create();
    for (const { node } of this.machines) await node.setReady(true);
    for (const pool of this.pools) {
      await pool.is("Fulfilled", "True", SETTLED_MS);
      await pool.is("DNSReady", "True");
      await pool.says("no open creation", ({ pendingCreation }) => pendingCreation === undefined);
    }
    const publishes = async (name: string, addresses: readonly string[]): Promise<void> => {
      // The conditions may still be those of the operator that was killed last.
      const all = [...addresses].sort().join();
      await this.pools[0]?.until(`${name} to be ${all}`, () => world.clouds.published(name).join() === all);
    };
    await publishes("listed", this.listed);
    const known = (await this.pools[1]?.status())?.createdIPs?.map(({ ip }) => ip) ?? [];
    expect(known, "every created address is known, and there are no others").to.have.members(this.created());
    expect(known).to.have.length(DESIRED);
    await publishes("made", known);
  }

  private async change(): Promise<void> {
    const { pick } = this;
    if (this.pools.length === 1) return this.create();
    const machine = this.machines[pick(this.machines.length)];
    const changes: readonly (() => Promise<void>)[] = [
      async () => machine?.node.setReady(false),
      async () => machine?.node.setReady(true),
      async () => {
        if (machine === undefined) return;
        this.machines.splice(this.machines.indexOf(machine), 1);
        this.machines.push(await this.world.fleet.add(`x${++this.names}`));
        await this.world.fleet.remove(machine);
      },
    ];
    await changes[pick(changes.length)]?.();
  }

  /** A pool that has all its addresses created. */
  private async create(): Promise<void> {
    const dnsRecordSet = { zone: DOMAIN, recordName: "made" };
    this.pools.push(await this.world.pool("made", { desiredIPs: DESIRED, dnsRecordSet }));
  }

  private created(): readonly string[] {
    const addresses = this.world.clouds.digitalocean.state.addresses().map(({ ip }) => ip);
    return addresses.filter((ip) => !this.listed.includes(ip));
  }
}
