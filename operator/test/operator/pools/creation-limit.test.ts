import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { World } from "../world.js";

/** A move of an address whose node is gone, without any wait for a limit. */
const SOON_MS = 3_000;
/** Addresses of the big pool: more than a minute's. */
const BIG = 16;

describe("operator in process: the cloud's limit of new addresses per minute", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  /** Web has an address that moves; the big pool wants more addresses than the cloud creates in a minute. */
  async function start(createsPerMinute: number) {
    world = await World.create({ createsPerMinute });
    for (const name of ["web-1", "web-2"]) world.addNode(name, { labels: { role: "web" } });
    for (let number = 1; number <= BIG; number++) world.addNode(`big-${number}`, { labels: { role: "big" } });
    const [ip = ""] = world.addAddresses(1);
    world.addPool("web", { ips: [ip], desiredIPs: 1, match: { nodeLabel: "role=web" } });
    world.start();
    const holder = () => {
      const { state, nodeName } = world.pool("web").status?.ips?.[ip] ?? {};
      return state === "active" ? nodeName : undefined;
    };
    await world.until("web to be active", () => holder() !== undefined);
    world.addPool("big", { ips: [], desiredIPs: BIG, match: { nodeLabel: "role=big" } });
    return { holder };
  }

  const refused = () => world.digitalocean.journal.count({ on: "POST /v2/reserved_ips", status: 429 });
  const bigHas = () => Object.keys(world.pool("big").status?.ips ?? {}).length;

  it("keeps below it, and creates the rest when it may", async () => {
    await start(12);
    await world.until("all addresses", () => bigHas() === BIG);
    expect(refused()).to.equal(0);
  });

  it("moves an address at once while another program has used the limit up", async () => {
    const { holder } = await start(2);
    await world.until("a refused creation", () => refused() > 0);
    const from = holder() ?? "";
    const since = world.clock.now();
    world.setReady(from, false);
    const moves = () => world.digitalocean.journal.calls({ on: "POST /v2/reserved_ips/{reserved_ip}/actions" });
    const before = moves().length;
    await world.until("the move", () => moves().length > before);
    expect((moves().at(-1)?.at ?? 0) - since).to.be.below(SOON_MS);
    await world.until("all addresses", () => bigHas() === BIG);
  });
});

describe("operator in process: the account's limit of addresses", function () {
  this.timeout(120_000);
  let world: World;

  afterEach(() => world.close());

  it("refuses a creation, which follows at once when the operator releases an address of another pool", async () => {
    world = await World.create({ quota: 2 });
    for (const name of ["web-1", "web-2"]) world.addNode(name, { labels: { role: "web" } });
    world.addNode("mail-1", { labels: { role: "mail" } });
    world.start();
    world.addPool("web", { ips: [], desiredIPs: 2, reclaimPolicy: "Delete", match: { nodeLabel: "role=web" } });
    await world.fulfilled("web");
    world.addPool("mail", { ips: [], desiredIPs: 1, match: { nodeLabel: "role=mail" } });
    await world.until("the limit", () => world.condition("mail", "Fulfilled")?.reason === "QuotaExceeded");
    world.edit("web", { desiredIPs: 1 });
    const { journal } = world.digitalocean;
    const released = () => journal.calls({ on: "DELETE /v2/reserved_ips/{reserved_ip}" })[0]?.at;
    await world.until("the release", () => released() !== undefined);
    await world.fulfilled("mail");
    const created = journal.calls({ on: "POST /v2/reserved_ips" }).at(-1)?.at ?? Number.POSITIVE_INFINITY;
    expect(created - (released() ?? 0)).to.be.below(SOON_MS);
  });
});
