import { expect } from "chai";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import type { ActionFacts, AddressFacts, CreateOutcome, IpFamily } from "../../../src/providers/types.js";
import { addressGuards, addressRefusals } from "./address-guards.js";
import { type AddressBench, ASKER, closing } from "./benches.js";
import { commonContract } from "./common-contract.js";
import { machineContract } from "./machine-contract.js";
import { refused } from "./refused.js";

type Start = () => Promise<AddressBench>;

/** A node that may hold more than this is not filled up to see what happens. */
const MOST_ON_NODE = 32;

/** Every AddressProvider must pass this. */
export function addressContract(name: string, families: readonly [IpFamily, ...IpFamily[]], startBench: Start): void {
  describe(`${name} keeps the contract of an AddressProvider`, () => {
    const start = closing(startBench);
    for (const family of families) describe(family, () => familyContract(name, family, start));
    const [family] = families;
    machineContract(name, start);
    addressRefusals(start, family);
    addressGuards(start, family);
    commonContract(start, ({ provider }, context) => provider.list(context, { family, named: [] }));
  });
}

function familyContract(name: string, family: IpFamily, start: Start): void {
  it("lists every address with its holder, over all pages", async () => {
    const bench = await start();
    const nodes = [bench.addNode(), bench.addNode()];
    const ips = Array.from({ length: bench.pageSize + 5 }, (_, index) => bench.addAddress(family, nodes[index]));

    const listed = await bench.drive(bench.provider.list(ASKER, { family, named: [] }));

    expect(listed.map(({ ip }) => ip).sort()).to.deep.equal([...ips].sort());
    expect(holders(listed)).to.deep.equal(new Map([...bench.addresses()].filter(([ip]) => ips.includes(ip))));
    expect(new Set(listed.map((facts) => facts.family))).to.deep.equal(new Set([family]));
  });

  it("reads one address, and says that there is none", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family, node);

    const read = await bench.drive(bench.provider.get(ASKER, ip));
    const none = await bench.drive(bench.provider.get(ASKER, family === "IPv4" ? "192.0.2.77" : "2001:db8:ffff::1"));

    expect(read).to.deep.include({ ip, family, holder: node });
    if (bench.provider.capabilities.regional) expect(read?.region).to.equal(bench.regions[0]);
    expect(none).to.equal(undefined);
  });

  it("creates in a region, and shows the new address in the next list", async () => {
    const bench = await start();

    const { address } = created(await bench.drive(bench.provider.create(ASKER, { family, region: bench.regions[0] })));
    const listed = await bench.drive(bench.provider.list(ASKER, { family, named: [] }));

    expect(address.holder).to.equal(undefined);
    expect(listed.map(({ ip }) => ip)).to.deep.equal([address.ip]);
  });

  it("creates on a node exactly where it says so", async () => {
    const bench = await start();
    const node = bench.addNode();
    const work = bench.drive(bench.provider.create(ASKER, { family, node }));
    if (!bench.provider.capabilities.createsOnNode.includes(family)) {
      await refused(work, { kind: "Terminal", outcome: "not-sent" });
    } else {
      const { address, action } = created(await work);
      expect(await finished(bench, action, node)).to.equal("completed");
      expect(bench.addresses().get(address.ip)).to.equal(node);
    }
  });

  it("assigns an unassigned address, and answers the same call again with completed", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress(family);

    const action = await bench.drive(bench.provider.assign(ASKER, { ip, node }));
    expect(await finished(bench, action, node)).to.equal("completed");
    expect(bench.addresses().get(ip)).to.equal(node);

    const again = await bench.drive(bench.provider.assign(ASKER, { ip, node }));
    expect(again.state).to.equal("completed");
  });

  it("moves an address that is held elsewhere, or says that it must be unassigned first", async () => {
    const bench = await start();
    const [from, to] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family, from);
    const work = bench.drive(bench.provider.assign(ASKER, { ip, node: to, from }));
    if (!bench.provider.capabilities.movesHeld) {
      await refused(work, { kind: "Conflict", reason: "HeldElsewhere" });
    } else {
      expect(await finished(bench, await work, to)).to.equal("completed");
      expect(bench.addresses().get(ip)).to.equal(to);
    }
  });

  it("unassigns, and answers the same call again with completed", async () => {
    const bench = await start();
    const from = bench.addNode();
    const ip = bench.addAddress(family, from);

    const action = await bench.drive(bench.provider.unassign(ASKER, { ip, from }));
    expect(await finished(bench, action, undefined)).to.equal("completed");
    expect(bench.addresses().get(ip)).to.equal(undefined);

    const again = await bench.drive(bench.provider.unassign(ASKER, { ip, from }));
    expect(again.state).to.equal("completed");
  });

  it("releases an unassigned address, and takes one that is gone for released", async () => {
    const bench = await start();
    const ip = bench.addAddress(family);

    await bench.drive(bench.provider.release(ASKER, ip));
    await bench.drive(bench.provider.release(ASKER, ip));

    expect(bench.addresses().has(ip)).to.equal(false);
  });

  it("refuses to release an address in use", async () => {
    const bench = await start();
    const holder = bench.addNode();
    const ip = bench.addAddress(family, holder);

    const work = bench.drive(bench.provider.release(ASKER, ip));

    await refused(work, { kind: "Conflict", reason: "HeldElsewhere" });
    expect(bench.addresses().get(ip)).to.equal(holder);
  });

  it("leaves an address alone that another node holds by now", async () => {
    const bench = await start();
    const [seen, now] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family, now);

    const work = bench.drive(bench.provider.unassign(ASKER, { ip, from: seen }));

    await refused(work, { kind: "Conflict", reason: "HeldElsewhere" });
    expect(bench.addresses().get(ip)).to.equal(now);
  });

  it("reports an action that failed, and the address stays where it was", async function () {
    const bench = await start();
    if (bench.failNextAction === undefined) return skip(this, `${name}: its actions end at once`);
    const [from, to] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family, from);
    bench.failNextAction();

    const action = await bench.drive(bench.provider.assign(ASKER, { ip, node: to, from }));

    expect(await finished(bench, action, to)).to.equal("errored");
    expect(bench.addresses().get(ip)).to.equal(from);
  });

  it("refuses a node that holds as many as it says that one may hold", async function () {
    const bench = await start();
    const { addressesPerNode } = bench.provider.capabilities;
    if (addressesPerNode > MOST_ON_NODE) return skip(this, `${name}: a node may hold ${addressesPerNode} addresses`);
    const node = bench.addNode();
    const held = Array.from({ length: addressesPerNode - 1 }, () => bench.addAddress(family, node));
    const [last, free] = [bench.addAddress(family), bench.addAddress(family)];
    const action = await bench.drive(bench.provider.assign(ASKER, { ip: last, node }));
    expect(await finished(bench, action, node), "the last that it may hold").to.equal("completed");

    await refused(bench.drive(bench.provider.assign(ASKER, { ip: free, node })), {
      kind: "Conflict",
      reason: "NodeOccupied",
    });

    expect([...held, last].map((ip) => bench.addresses().get(ip))).to.deep.equal([...held, last].map(() => node));
    expect(bench.addresses().get(free)).to.equal(undefined);
  });

  it("refuses a node of another region exactly where addresses are regional", async () => {
    const bench = await start();
    const node = bench.addNode(bench.regions[1]);
    const ip = bench.addAddress(family);
    const work = bench.drive(bench.provider.assign(ASKER, { ip, node }));
    if (bench.provider.capabilities.regional) {
      await refused(work, { kind: "Conflict", reason: "WrongRegion" });
    } else {
      expect(await finished(bench, await work, node)).to.equal("completed");
      expect(bench.addresses().get(ip)).to.equal(node);
    }
  });

  it("creates without a region, or says that it needs one, where addresses are not regional", async function () {
    const bench = await start();
    if (bench.provider.capabilities.regional) return skip(this, `${name}: its addresses are regional`);

    const work = bench.drive(bench.provider.create(ASKER, { family, region: "" }));

    const outcome = await work.catch(() => undefined);

    if (outcome === undefined) await refused(work, { kind: "Terminal", outcome: "not-sent" });
    else expect([...bench.addresses().keys()]).to.deep.equal([created(outcome).address.ip]);
  });

  it("shows the newest action on an address, where it lists actions at all", async function () {
    const bench = await start();
    if (bench.provider.latestAction === undefined || bench.failNextAction === undefined)
      return skip(this, `${name}: it lists no actions`);
    const latestOf = (wanted: string) => bench.drive(Promise.resolve(bench.provider.latestAction?.(ASKER, wanted)));
    const latest = () => latestOf(ip);
    const [first, second] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family);
    expect(await latestOf(family === "IPv4" ? "192.0.2.77" : "2001:db8:ffff::1")).to.equal(undefined);
    const calledAt = Math.floor(bench.now() / 1_000) * 1_000;
    const assigned = await bench.drive(bench.provider.assign(ASKER, { ip, node: first }));
    const running = await latest();
    // The API has no such list for this family.
    if (running === undefined) return;

    expect(running).to.deep.include({ id: assigned.id, ip, verb: "assign", state: "in-progress" });
    expect(running.startedAt).to.be.within(calledAt, bench.now());
    await finished(bench, assigned, first);
    expect(await latest()).to.deep.include({ id: assigned.id, state: "completed" });
    bench.failNextAction();
    const failed = await bench.drive(bench.provider.assign(ASKER, { ip, node: second }));
    await finished(bench, failed, second);
    expect(await latest()).to.deep.include({ id: failed.id, verb: "assign", state: "errored" });
    const freed = await bench.drive(bench.provider.unassign(ASKER, { ip, from: first }));
    expect(await latest()).to.deep.include({ id: freed.id, verb: "unassign" });
  });

  it("shows that an action runs on the address, and accepts no other change meanwhile", async function () {
    const bench = await start();
    if (bench.failNextAction === undefined) return skip(this, `${name}: its actions end at once`);
    const [first, second] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family);
    await bench.drive(bench.provider.assign(ASKER, { ip, node: first }));

    const work = bench.drive(bench.provider.assign(ASKER, { ip, node: second }));

    await refused(work, { kind: "Conflict", reason: "AddressBusy" });
  });
}

/** Looks at an action until it is over. */
async function finished(bench: AddressBench, action: ActionFacts | undefined, expected: string | undefined) {
  let facts = action;
  for (let attempts = 0; facts !== undefined && facts.state === "in-progress" && attempts < 20; attempts++) {
    await bench.pass(1_000);
    facts = await bench.drive(bench.provider.action(ASKER, facts, expected));
  }
  return facts?.state;
}

function holders(listed: readonly AddressFacts[]): ReadonlyMap<string, string | undefined> {
  return new Map(listed.map(({ ip, holder }) => [ip, holder]));
}

function created(outcome: CreateOutcome): Extract<CreateOutcome, { readonly kind: "created" }> {
  if (outcome.kind !== "created") throw outcome.error;
  return outcome;
}
