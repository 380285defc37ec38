import { expect } from "chai";
import { describe, it } from "mocha";
import { plan } from "../../src/controllers/floating-ip-pool/plan.js";
import type { Snapshot } from "../../src/controllers/floating-ip-pool/snapshot.js";
import { LARGE_SCENES, LargeAccount, type LargeScene } from "../support/cloud/large-account.js";

const ADDRESSES = 5_000;
/** What one node may cost a plan: its checks, its place among others, a chain of its own. */
const LOOKS_PER_NODE = 50;

/** Looks at nodes, verdicts and addresses while a plan is made. */
function looksOf(addresses: number, scene: LargeScene): { readonly attempts: number; readonly nodes: number } {
  let attempts = 0;
  const watched = <T extends object>(value: T): T =>
    new Proxy(value, {
      get: (target, key, receiver) => {
        attempts++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
  const counted = <A, R>(call: (argument: A) => R) => {
    return (argument: A): R => {
      attempts++;
      return call(argument);
    };
  };
  const seen = new LargeAccount(addresses, scene, watched).snapshot();
  const { inventory } = seen;
  const snapshot: Snapshot = {
    ...seen,
    verdictOf: counted(seen.verdictOf),
    ownerOf: counted(seen.ownerOf),
    inventory: {
      ...inventory,
      get: counted(inventory.get),
      heldBy: counted(inventory.heldBy),
      reservedFor: counted(inventory.reservedFor),
    },
  };
  attempts = 0;
  plan(snapshot);
  return { attempts, nodes: seen.candidates.length };
}

describe("an account of 5,000 addresses", () => {
  for (const scene of LARGE_SCENES) {
    it(`costs a plan of the largest pool a few looks at each node: ${scene}`, () => {
      const { attempts, nodes } = looksOf(ADDRESSES, scene);
      expect(nodes).to.be.at.least(ADDRESSES - 1_024);
      expect(attempts / nodes).to.be.at.most(LOOKS_PER_NODE);
    });

    it(`costs ten times as much as one of 500, not a hundred times: ${scene}`, () => {
      const [small, large] = [looksOf(ADDRESSES / 10, scene), looksOf(ADDRESSES, scene)];
      // Sorting costs a logarithm.
      expect(large.attempts / small.attempts).to.be.at.most(12);
    });
  }
});
