import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { SECOND_MS, SHORT_LIST_MAX_AGE_SECONDS } from "../../../src/timings.js";
import { World } from "../world.js";

/** From the list that shows the room to the active address. */
const MOST_CALLS_MS = 15_000;

describe("operator in process: addresses that no resource has any more", function () {
  this.timeout(40_000);
  let world: World;
  let running: ReturnType<World["start"]>;

  beforeEach(async () => {
    world = await World.create();
    for (const name of ["node-1", "node-2"]) world.addNode(name);
  });

  afterEach(() => world.close());

  async function begin(spec: Parameters<World["addPool"]>[1]): Promise<readonly string[]> {
    world.addPool("web", spec);
    running = world.start();
    await world.until("two active addresses", () => world.status("web").counts?.active === 2);
    return Object.keys(world.status("web").ips ?? {});
  }

  const notes = (reason: string) => world.events(reason).map((event) => String(event["note"] ?? event["message"]));
  async function deletePool(): Promise<void> {
    world.kubernetes.delete(world.refTo("web"));
    await world.until("the end of the pool", () => world.kubernetes.get(world.refTo("web")) === undefined);
  }

  /** On the only node; its pool is gone. */
  async function leaveOne(): Promise<string> {
    world.removeNode("node-2");
    world.addPool("web", { desiredIPs: 1 });
    running = world.start();
    await world.until("an active address", () => world.status("web").counts?.active === 1);
    const [ip = ""] = Object.keys(world.status("web").ips ?? {});
    await deletePool();
    return ip;
  }

  it("are named by an Event and a log line, with what to write to get them back", async () => {
    const ips = await begin({ desiredIPs: 2 });
    await deletePool();
    await world.until("the Event", () => notes("Retained").length === 1);
    const [note = ""] = notes("Retained");
    expect(note).to.match(/^\S+, \S+ stay in the account/);
    expect(note).to.match(/to use them again, write ips: \[(\S+), (\S+)\] of a FloatingIPPool/);
    for (const ip of ips) expect(note).to.include(ip);
    expect(note).to.include("in the account; their nodes keep them, and have no room for others meanwhile: to use");
    expect(world.logs.some((line) => line.includes("stay in the account"))).to.equal(true);
  });

  it("keep the only node from the address of a successor, which says so", async () => {
    const ip = await leaveOne();
    expect(world.digitalocean.state.address(ip).dropletId).to.be.a("number");
    world.addPool("next", { desiredIPs: 1 });
    const message = () => world.condition("next", "Fulfilled")?.message ?? "";
    await world.until("the obstacle", () => message().includes("already holds"));
    expect(message()).to.include(`node-1 already holds ${ip}, which no resource names`);
    expect(world.condition("next", "Ready")?.message).to.equal(
      `${message().split("; fix: ")[0]}; condition Fulfilled has the remedy`,
    );
    const [created = ""] = Object.keys(world.status("next").ips ?? {});
    expect(message()).to.include(`put ${ip} into ips in place of ${created}, which has no node`);
    expect(message()).to.include(`flipop orphans --release ${ip} --unassign`);
    expect(world.condition("next", "Fulfilled")).to.deep.include({ status: "False", reason: "TooFewCandidates" });
    world.digitalocean.state.removeAddress(ip);
    const from = world.clock.now();
    await world.fulfilled("next");
    expect(world.clock.now() - from).to.be.at.most(SHORT_LIST_MAX_AGE_SECONDS * SECOND_MS + MOST_CALLS_MS);
  });

  it("serve a successor that lists one in place of the address that it created", async () => {
    const ip = await leaveOne();
    world.addPool("next", { desiredIPs: 1 });
    const message = () => world.condition("next", "Fulfilled")?.message ?? "";
    await world.until("the obstacle", () => message().includes("in place of"));
    world.edit("next", { ips: [ip] });
    await world.fulfilled("next");
    expect(world.status("next").ips?.[ip]?.state).to.equal("active");
    expect(world.digitalocean.state.addresses()).to.have.length(2);
  });

  it("are none under Delete, where the operator releases them", async () => {
    await begin({ desiredIPs: 2, reclaimPolicy: "Delete" });
    await deletePool();
    await world.clock.sleep(60_000);
    expect(notes("Retained")).to.deep.equal([]);
  });

  it("are not those that another pool lists", async () => {
    const [first = "", second = ""] = await begin({ desiredIPs: 2 });
    world.addPool("other", { ips: [first] });
    await world.until("the other pool", () => world.condition("other", "Conflict")?.status === "True");
    await deletePool();
    await world.until("the Event", () => notes("Retained").length === 1);
    expect(notes("Retained")[0]).to.match(/^\S+ stays in the account/);
    expect(notes("Retained")[0]).to.include(second).and.not.include(first);
  });

  it("are counted by holder, once all has been read", async () => {
    const ips = await begin({ desiredIPs: 2 });
    const stray = world.digitalocean.state.addAddress({ region: "nyc3" }).ip;
    const metric = async () => {
      const text = await running.operator.registry.text();
      return text.split("\n").filter((line) => line.startsWith("flipop_unlisted_addresses{"));
    };
    const lines = (node: number, none: number) => [
      `flipop_unlisted_addresses{holder="node"} ${node}`,
      'flipop_unlisted_addresses{holder="other"} 0',
      `flipop_unlisted_addresses{holder="none"} ${none}`,
    ];
    expect([ips.length, ips.includes(stray), await metric()]).to.deep.equal([2, false, lines(0, 0)]);
    world.edit("web", { ips: [...ips, stray], desiredIPs: 3 });
    await world.until("the third address", () => stray in (world.status("web").ips ?? {}));
    await deletePool();
    await world.until("the Event", () => notes("Retained").length === 1);
    expect(await metric()).to.deep.equal(lines(2, 1));
  });

  it("leave spec and status when they are disabled and do not exist any more, with one Event", async () => {
    await begin({ desiredIPs: 2 });
    world.edit("web", { desiredIPs: 1 });
    const disabled = () => Object.entries(world.status("web").ips ?? {}).find(([, { state }]) => state === "disabled");
    await world.until("a disabled address", () => disabled() !== undefined);
    const [ip = ""] = disabled() ?? [];
    world.digitalocean.state.removeAddress(ip);
    await world.until("the end of the entry", () => !(ip in (world.status("web").ips ?? {})));
    await world.until("the Event", () => notes("Forgotten").some((note) => note.includes(ip)));
    expect(notes("Forgotten")[0]).to.match(/does not exist any more/);
    expect(world.pool("web").spec.ips).not.to.include(ip);
    await world.clock.sleep(60 * 60_000);
    expect(notes("Forgotten"), "once").to.have.length(1);
    expect(world.status("web").counts?.active).to.equal(1);
  });
});
