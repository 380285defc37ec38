import { expect } from "chai";
import type { AddressFacts, CreateOutcome, IpFamily, ProviderId } from "../../../src/providers/types.js";
import { type AddressBench, ASKER } from "./benches.js";
import type { FaultCase, FaultOutcome } from "./fault-contract.js";

/** Faults that make a proxy deliver a request twice: the only way to two addresses. */
const TWICE = "duplicate delivery";
const STALE = "stale reads";

export function addressFaultCases(family: IpFamily): readonly FaultCase<AddressBench>[] {
  return [listCase(family), getCase(family), keyCase(), createCase(family), createOnNodeCase(family)].concat([
    moveCase(family),
    unassignCase(family),
    releaseCase(family),
    pollCase(family),
  ]);
}

function listCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `list ${family} (two pages)`,
    prepare: (bench) => {
      const node = bench.addNode();
      const count = bench.pageSize + 1;
      for (let index = 0; index < count; index++) bench.addAddress(family, index === 0 ? node : undefined);
      return {
        run: () => bench.provider.list(ASKER, { family, named: [] }),
        check: ({ value }) => {
          if (value !== undefined) expect((value as readonly AddressFacts[]).length).to.equal(count);
        },
        converge: () => nothingOutOfSight(bench, family),
      };
    },
  };
}

function getCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `get ${family}`,
    prepare: (bench) => {
      const ip = bench.addAddress(family, bench.addNode());
      return {
        run: () => bench.provider.get(ASKER, ip),
        // Whatever happens on the way: an address that exists is never said to be gone.
        check: ({ value, error }) => expect(error === undefined ? value : "failed").not.to.equal(undefined),
      };
    },
  };
}

function keyCase(): FaultCase<AddressBench> {
  return {
    name: "account key",
    mayAskNothing: true,
    prepare: (bench) => ({
      run: () => bench.provider.accountKey(ASKER),
      check: ({ value, error }) => expect(error ?? value).to.be.ok,
    }),
  };
}

function createCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `create ${family}`,
    prepare: (bench) => {
      bench.addAddress(family);
      const [region] = bench.regions;
      const before = bench.addresses().size;
      return {
        run: () => bench.provider.create(ASKER, { family, region }),
        check: (outcome) => checkCreation(bench, before, outcome),
        converge: () => nothingOutOfSight(bench, family),
      };
    },
  };
}

function createOnNodeCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `create ${family} on a node`,
    prepare: (bench) => {
      if (!bench.provider.capabilities.createsOnNode.includes(family)) return createCase(family).prepare(bench);
      const node = bench.addNode();
      const before = bench.addresses().size;
      return {
        run: () => bench.provider.create(ASKER, { family, node }),
        check: (outcome) => checkCreation(bench, before, outcome),
        converge: () => nothingOutOfSight(bench, family),
      };
    },
  };
}

/** A rejected creation has created nothing, unless a proxy delivered it twice; an unknown one may have; none creates twice. */
function checkCreation(bench: AddressBench, before: number, { value, error, fault }: FaultOutcome): void {
  const made = bench.addresses().size - before;
  expect(made).to.be.at.most(fault === TWICE ? 2 : 1);
  if (error !== undefined) {
    expect(made, `addresses after ${error.message}`).to.be.at.most(fault === TWICE ? 1 : 0);
    return;
  }
  const outcome = value as CreateOutcome;
  if (outcome.kind === "created") expect(bench.addresses().has(outcome.address.ip)).to.equal(true);
  else expect(outcome.error.outcome).to.equal("unknown");
}

function moveCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `assign ${family}`,
    prepare: (bench) => {
      const node = bench.addNode();
      const ip = bench.addAddress(family);
      return {
        run: () => bench.provider.assign(ASKER, { ip, node }),
        check: () => expect([undefined, node]).to.include(bench.addresses().get(ip)),
        converge: async () => {
          await settle(bench, () => bench.provider.assign(ASKER, { ip, node }));
          expect(bench.addresses().get(ip)).to.equal(node);
          await nothingOutOfSight(bench, family);
        },
      };
    },
  };
}

function unassignCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `unassign ${family}`,
    prepare: (bench) => {
      const from = bench.addNode();
      const ip = bench.addAddress(family, from);
      return {
        run: () => bench.provider.unassign(ASKER, { ip, from }),
        check: () => expect([undefined, from]).to.include(bench.addresses().get(ip)),
        converge: async () => {
          await settle(bench, () => bench.provider.unassign(ASKER, { ip, from }));
          expect(bench.addresses().get(ip)).to.equal(undefined);
          await nothingOutOfSight(bench, family);
        },
      };
    },
  };
}

function releaseCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `release ${family}`,
    prepare: (bench) => {
      const other = bench.addAddress(family);
      const ip = bench.addAddress(family);
      return {
        run: () => bench.provider.release(ASKER, ip),
        check: ({ error }) => {
          expect(bench.addresses().has(other)).to.equal(true);
          if (error === undefined) expect(bench.addresses().has(ip)).to.equal(false);
        },
        converge: async () => {
          await bench.drive(bench.provider.release(ASKER, ip));
          expect([...bench.addresses().keys()]).to.deep.equal([other]);
        },
      };
    },
  };
}

function pollCase(family: IpFamily): FaultCase<AddressBench> {
  return {
    name: `look at an action on ${family}`,
    prepare: async (bench) => {
      const node = bench.addNode();
      const ip = bench.addAddress(family);
      const action = await bench.drive(bench.provider.assign(ASKER, { ip, node }));
      await bench.pass(60_000);
      return {
        run: () => bench.provider.action(ASKER, action, node),
        check: ({ value, fault }) => {
          if (value !== undefined && fault !== STALE) expect(value).to.deep.include({ ip, state: "completed" });
        },
      };
    },
  };
}

/** Calls until it is over, as the operator does over several runs. */
async function settle(bench: AddressBench, call: () => Promise<{ readonly state: string }>): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const facts = await bench.drive(call()).catch(() => ({ state: "refused" }));
    if (facts.state === "completed") return;
    await bench.pass(10_000);
  }
}

/** The list shows every address that there really is, with its holder. */
async function nothingOutOfSight(bench: AddressBench, family: IpFamily): Promise<void> {
  const listed = await bench.drive(bench.provider.list(ASKER, { family, named: [] }));
  const seen = new Map<string, ProviderId | undefined>(listed.map(({ ip, holder }) => [ip, holder]));
  expect([...seen].sort()).to.deep.equal([...bench.addresses()].sort());
}
