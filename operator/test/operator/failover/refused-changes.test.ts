import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { World } from "../world.js";

const SPEED = { speed: 30 };
const ASSIGN = /^POST .*\/reserved_ips\/[^/]+\/actions/;
const CREATE = /^POST .*\/reserved_ips$/;
const FIREWALL = /^(POST|DELETE) .*\/firewalls/;
const OUTAGE_MS = 11 * 60_000;
/** The operator tries each 15 s. By the fast schedule alone, it would pause for 300 s after 6 minutes. */
const LONGEST_PAUSE_MS = 280_000;
/** Each 30 s. By the fast schedule, 60 s after the seventh failure. */
const LONGEST_CREATION_PAUSE_MS = 50_000;
/** By the fast schedule, 60 s after the tenth failure. */
const LONGEST_FIREWALL_PAUSE_MS = 50_000;

describe("operator in process: an account that answers reads and refuses changes", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  async function start(): Promise<void> {
    world = await World.create(SPEED);
    for (const name of ["n1", "n2"]) world.addNode(name);
    world.start();
  }

  interface Outage {
    readonly status?: number;
    /** What needs the call. */
    readonly begin?: () => void;
  }

  /** The longest time without such a call in an outage that begins as a node fails, virtual ms. */
  async function longestPause(on: RegExp, outage: Outage = {}): Promise<number> {
    const { status = 503, begin = () => world.setReady("n1", false) } = outage;
    const { faults, journal } = world.digitalocean;
    faults.inject({ kind: "status", status }, { on, times: Number.POSITIVE_INFINITY });
    const began = world.clock.now();
    begin();
    await world.clock.sleep(OUTAGE_MS);
    const times = journal.calls({ on }).flatMap(({ at }) => (at >= began ? [at] : []));
    return Math.max(...[...times, world.clock.now()].map((at, index) => at - (times[index - 1] ?? began)));
  }

  it("is tried often with an assignment, so that the address moves soon after the outage", async () => {
    await start();
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], nodePreference: "Name" });
    await world.fulfilled("web");
    expect(await longestPause(ASSIGN)).to.be.below(LONGEST_PAUSE_MS);
  });

  it("is tried often with the assignment of a RoutedIP", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], SPEED);
    world = made.world;
    await made.readyOnFirst();
    made.serve({ node: "n2" });
    expect(await longestPause(ASSIGN)).to.be.below(LONGEST_PAUSE_MS);
  });

  it("is tried often with a creation beyond its limit of creations, and creates one address after that", async () => {
    await start();
    const { faults, journal } = world.digitalocean;
    const begin = () => world.addPool("web", { desiredIPs: 1 });
    expect(await longestPause(CREATE, { status: 429, begin })).to.be.below(LONGEST_CREATION_PAUSE_MS);
    faults.clear();
    const after = journal.mark;
    await world.clock.sleep(LONGEST_CREATION_PAUSE_MS);
    expect(journal.calls({ on: CREATE, after })).to.have.length(1);
    await world.fulfilled("web");
  });

  it("is tried often with the firewall of a RoutedIP, which opens before its address moves", async () => {
    const made = await RoutedWorld.create(["n1", "n2"], SPEED);
    world = made.world;
    await made.readyOnFirst();
    made.serve({ node: "n2" });
    expect(await longestPause(FIREWALL)).to.be.below(LONGEST_FIREWALL_PAUSE_MS);
  });
});
