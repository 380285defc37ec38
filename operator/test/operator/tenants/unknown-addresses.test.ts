import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

/** A move without any wait for a limit; the cool-off and the grace period are not of it. */
const SOON_MS = 3_000;
const MINUTE_MS = 60_000;
/** Of DigitalOcean. */
const PER_MINUTE = 250;
/** Fast reads would be rare on a fast clock. */
const SLOW = 10;
const READ = "GET /v2/reserved_ips/{reserved_ip}";
const ASSIGN = "POST /v2/reserved_ips/{reserved_ip}/actions";
const UNKNOWN = Array.from({ length: 1024 }, (_, at) => `10.9.${at >> 8}.${at & 255}`);
/** Single reads a minute of addresses that the account does not have. */
const READS_A_MINUTE = 20;

describe("operator in process: a pool that lists hundreds of addresses which the account does not have", function () {
  this.timeout(240_000);
  let world: World;
  let metrics: () => Promise<string>;

  afterEach(() => world.close());

  /** How many calls of a class have been sent. */
  const callsOf = async (name: string) => {
    const line = (await metrics())
      .split("\n")
      .filter((each) => each.startsWith("flipop_provider_call_wait_seconds_count"))
      .filter((each) => each.includes(`"${name}"`));
    return line.reduce((sum, each) => sum + Number(each.split(" ").at(-1)), 0);
  };

  async function start(speed: number, count = 300) {
    world = await World.create({ perMinute: PER_MINUTE, speed });
    for (const name of ["web-1", "web-2"]) world.addNode(name, { labels: { role: "web" } });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], desiredIPs: 1, match: { nodeLabel: "role=web" } });
    const { operator } = world.start();
    metrics = () => operator.registry.text();
    await world.fulfilled("web");
    world.addPool("unknown", { ips: UNKNOWN.slice(0, count), match: { nodeLabel: "role=none" } });
    const holder = () => {
      const { state, nodeName } = world.status("web").ips?.[ip] ?? {};
      return state === "active" ? nodeName : undefined;
    };
    return { holder };
  }

  const reads = () => world.digitalocean.journal.count({ on: READ });

  it("leaves the limits to the moves of other pools, which take no longer", async () => {
    const { holder } = await start(SLOW, UNKNOWN.length);
    await world.clock.sleep(MINUTE_MS / 2);
    const from = holder() ?? "";
    const moves = () => world.digitalocean.journal.calls({ on: ASSIGN });
    const [before, since] = [moves().length, world.clock.now()];
    world.setReady(from, false);
    await world.until("the move", () => moves().length > before);
    expect((moves().at(-1)?.at ?? 0) - since).to.be.below(SOON_MS);
    await world.until("another holder", () => holder() !== undefined && holder() !== from);
  });

  it("reads at most 20 of them a minute, as checks, and each in its turn", async () => {
    await start(60);
    const [urgent, minutes] = [await callsOf("assignment"), 4];
    await world.clock.sleep(minutes * MINUTE_MS);
    expect(reads()).to.be.within(minutes * READS_A_MINUTE - READS_A_MINUTE, (minutes + 2) * READS_A_MINUTE);
    expect((await callsOf("assignment")) - urgent).to.be.below(READS_A_MINUTE);
    expect(await callsOf("check")).to.be.above((minutes - 1) * READS_A_MINUTE);
  });

  it("names one that is missing within a minute", async () => {
    await start(60);
    await world.clock.sleep(MINUTE_MS);
    const { message } = world.condition("unknown", "Fulfilled") ?? {};
    expect(message).to.include("the account does not have");
  });
});
