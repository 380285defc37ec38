import { expect } from "chai";
import { describe, it } from "mocha";
import type { Claim } from "../../../../src/claims/claims.js";
import { plan } from "../../../../src/controllers/routed-ip/plan.js";
import type { Snapshot } from "../../../../src/controllers/routed-ip/snapshot.js";
import type { InventoryAddress } from "../../../../src/inventory/view.js";
import { IP, world } from "../routed-plans.js";

const [N1, N2] = ["digitalocean://n1", "digitalocean://n2"];
const PROBED = { reason: "ProbeFailed", detail: "", recoverable: true, isByProbesAlone: true } as const;
const UNAUTHORIZED = { reason: "Unauthorized", message: "no" } as const;

/** Two nodes that serve, and an address on none. */
function base(): Snapshot {
  const made = world();
  made.serve("web", "n1", "n2");
  return made.snapshot("a");
}

/** Nodes that the RoutedIP keeps from younger resources. */
function kept(change: Partial<Snapshot> = {}): readonly string[] {
  const { wants, fit } = plan({ ...base(), ...change }).waitingNodes;
  return wants === 0 ? [] : fit;
}

function inRegion(region: string, candidates = base().candidates): Partial<Snapshot> {
  return {
    ...shown({ region }),
    candidates: candidates.map((node) => ({ ...node, labels: { "topology.kubernetes.io/region": "nyc3" } })),
  };
}

function shown(facts: Partial<InventoryAddress> | undefined, isGone = false): Partial<Snapshot> {
  const { inventory } = base();
  const get = (ip: string) => {
    const found = inventory.get(ip);
    return found && facts && { ...found, ...facts };
  };
  return { inventory: { ...inventory, get, isGone: () => isGone } };
}

function changed(part: "spec" | "metadata", fields: object): Partial<Snapshot> {
  const { routed, set } = base();
  const metadata = part === "metadata" ? { ...routed.metadata, ...fields } : routed.metadata;
  return { routed: { ...routed, [part]: { ...routed[part], ...fields } }, set: { ...set, metadata } };
}

describe("the nodes that a RoutedIP keeps from younger resources", () => {
  it("are those that its address could go to now", () => {
    expect(kept()).to.have.members([N1, N2]);
    expect(kept(inRegion("nyc3"))).to.have.members([N1, N2]);
    const memory = { ...base().memory, nodeRetryAt: new Map([[N2, base().now + 1000]]) };
    expect(kept({ memory }), "one that refused the address lately").to.deep.equal([N1]);
  });

  const owner = { kind: "RoutedIP", namespace: "default", name: "b", uid: "b" } as const;
  const claims = (...claimed: readonly (readonly [string, Claim])[]): Partial<Snapshot> => ({
    claims: { ...base().claims, addresses: new Map(claimed) },
  });
  const reasons: readonly (readonly [string, () => Partial<Snapshot>])[] = [
    ["is in another region", () => inRegion("sfo3")],
    ["does not exist", () => shown(undefined, true)],
    ["has not been read", () => shown(undefined)],
    ["is locked", () => shown({ action: {} })],
    ["is unconfirmed", () => shown({ unconfirmed: true })],
    ["belongs to another resource", () => claims([IP, { ours: false, owned: { owner, basis: "uses" } }])],
    ["may belong to another resource", () => claims()],
    ["is refused by limits, a class or an issuer", () => ({ problem: UNAUTHORIZED })],
    ["is in an account that fails", () => ({ providerFailure: UNAUTHORIZED, providerRetryAt: base().now + 1000 })],
    ["is of a provider that is not set up", () => ({ capabilities: undefined }) as unknown as Partial<Snapshot>],
    ["is of a paused or stopped RoutedIP", () => changed("spec", { paused: true })],
    ["is of a deleted RoutedIP", () => changed("metadata", { deletionTimestamp: "2025-01-01T00:00:00Z" })],
  ];
  for (const [what, change] of reasons) {
    it(`are none while its address ${what}`, () => {
      expect(kept(change())).to.deep.equal([]);
    });
  }
});

describe("a RoutedIP whose address leaves its holder by probes alone", () => {
  it("keeps only nodes where probes have passed", () => {
    const made = world();
    made.serve("web", "n1", "n2");
    made.addresses.set(IP, { holder: N1 });
    made.settle();
    const settled = made.snapshot("a");
    const verdictOf: Snapshot["verdictOf"] = (machine) => {
      const verdict = settled.verdictOf(machine);
      return verdict && (machine === N1 ? { ...verdict, refusals: [PROBED] } : verdict);
    };
    const candidates = settled.candidates.filter(({ machine }) => machine === N2);
    const keeps = (hasPassed: boolean) => {
      const { wants, fit } = plan({ ...settled, verdictOf, candidates, hasPassed: () => hasPassed }).waitingNodes;
      return wants === 0 ? [] : fit;
    };
    expect(keeps(true)).to.deep.equal([N2]);
    expect(keeps(false)).to.deep.equal([]);
  });
});
