import { expect } from "chai";
import { describe, it } from "mocha";
import type { ActionFacts, AddressFacts, CreateOutcome, IpFamily } from "../../../src/providers/types.js";
import { NotLeaderError } from "../../../src/runtime/fence.js";
import { errorOf } from "../../support/http-rig.js";
import { type AddressBench, ASKER, closing } from "./benches.js";
import { commonContract } from "./common-contract.js";

type Start = () => Promise<AddressBench>;

/** Every AddressProvider must pass this. */
export function addressContract(name: string, families: readonly IpFamily[], startBench: Start): void {
  describe(`${name} keeps the contract of an AddressProvider`, () => {
    const start = closing(startBench);
    for (const family of families) describe(family, () => familyContract(family, start));
    refusalContract(start);
    guardContract(start);
    commonContract(start, ({ provider }, context) => provider.list(context, { family: "IPv4", named: [] }));
  });
}

function familyContract(family: IpFamily, start: Start): void {
  it("lists every address with its holder, over all pages", async () => {
    const bench = await start();
    const nodes = [bench.addNode(), bench.addNode()];
    const ips = Array.from({ length: 205 }, (_, index) => bench.addAddress(family, nodes[index]));

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

    expect(read).to.deep.include({ ip, family, region: bench.regions[0], holder: node });
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
      expect(await errorOf(work)).to.deep.include({ kind: "Terminal", outcome: "not-sent" });
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
      expect(await errorOf(work)).to.deep.include({ kind: "Conflict", reason: "HeldElsewhere" });
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

    const error = await errorOf(bench.drive(bench.provider.release(ASKER, ip)));

    expect(error).to.deep.include({ kind: "Conflict", reason: "HeldElsewhere" });
    expect(bench.addresses().get(ip)).to.equal(holder);
  });

  it("leaves an address alone that another node holds by now", async () => {
    const bench = await start();
    const [seen, now] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family, now);

    const error = await errorOf(bench.drive(bench.provider.unassign(ASKER, { ip, from: seen })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "HeldElsewhere" });
    expect(bench.addresses().get(ip)).to.equal(now);
  });

  it("reports an action that failed, and the address stays where it was", async () => {
    const bench = await start();
    const [from, to] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family, from);
    bench.failNextAction();

    const action = await bench.drive(bench.provider.assign(ASKER, { ip, node: to, from }));

    expect(await finished(bench, action, to)).to.equal("errored");
    expect(bench.addresses().get(ip)).to.equal(from);
  });

  it("refuses a node that already holds one", async () => {
    const bench = await start();
    const node = bench.addNode();
    const [held, free] = [bench.addAddress(family, node), bench.addAddress(family)];

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip: free, node })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "NodeOccupied" });
    expect(bench.addresses().get(held)).to.equal(node);
  });

  it("refuses a node of another region where addresses are regional", async () => {
    const bench = await start();
    const node = bench.addNode(bench.regions[1]);
    const ip = bench.addAddress(family);
    if (bench.provider.capabilities.regional) {
      const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node })));
      expect(error).to.deep.include({ kind: "Conflict", reason: "WrongRegion" });
    }
  });

  it("says that an action runs on the address, and lets nobody interfere", async () => {
    const bench = await start();
    const [first, second] = [bench.addNode(), bench.addNode()];
    const ip = bench.addAddress(family);
    await bench.drive(bench.provider.assign(ASKER, { ip, node: first }));

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node: second })));

    expect(error).to.deep.include({ kind: "Conflict", reason: "AddressBusy" });
  });
}

function refusalContract(start: Start): void {
  it("says NotFound for a node that is gone", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    bench.removeNode(node);

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node })));

    expect(error).to.deep.include({ kind: "NotFound" });
  });

  it("names nodes by its scheme, so that those of other clouds are known without asking", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4", node);
    const prefix = `${bench.provider.capabilities.providerIdScheme}://`;

    expect(node.startsWith(prefix), node).to.equal(true);
    expect((await bench.drive(bench.provider.get(ASKER, ip)))?.holder).to.equal(node);
  });

  it("says Terminal for a node of another provider, and sends nothing", async () => {
    const bench = await start();
    const ip = bench.addAddress("IPv4");
    const before = bench.calls();

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node: "other-cloud://1" })));

    expect(error).to.deep.include({ kind: "Terminal", outcome: "not-sent" });
    expect(bench.calls()).to.equal(before);
  });

  it("says QuotaExceeded at the account's limit, and creates nothing", async () => {
    const bench = await start();
    bench.exhaustQuota();
    const before = bench.addresses().size;

    const error = await errorOf(
      bench.drive(bench.provider.create(ASKER, { family: "IPv4", region: bench.regions[0] })),
    );

    expect(error).to.deep.include({ kind: "QuotaExceeded", outcome: "refused" });
    expect(bench.addresses().size).to.equal(before);
  });
}

function guardContract(start: Start): void {
  it("writes nothing without the lease, and reads all the same", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");
    bench.loseLease();

    const error = await errorOf(bench.drive(bench.provider.assign(ASKER, { ip, node })));

    expect(error).to.be.instanceOf(NotLeaderError);
    expect(bench.addresses().get(ip)).to.equal(undefined);
    expect(await bench.drive(bench.provider.get(ASKER, ip))).to.include({ ip });
  });

  it("puts each mutation on record, with who asked and why", async () => {
    const bench = await start();
    const node = bench.addNode();
    const ip = bench.addAddress("IPv4");

    await bench.drive(bench.provider.assign(ASKER, { ip, node }));

    expect(bench.audit).to.deep.equal([
      {
        provider: bench.provider.name,
        kind: "assign-address",
        target: ip,
        before: "",
        after: node,
        asker: "FloatingIPPool/apps/web",
        why: "a test asks",
        outcome: "done",
      },
    ]);
  });
}

/** Looks at an action until it is over. */
async function finished(bench: AddressBench, action: ActionFacts | undefined, expected: string | undefined) {
  let facts = action;
  for (let looks = 0; facts !== undefined && facts.state === "in-progress" && looks < 20; looks++) {
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
