import { expect } from "chai";
import { describe, it } from "mocha";
import { ListObservations } from "../../../src/addresses/creation/creation-registry.js";
import { TakenAddresses } from "../../../src/addresses/undone-writes.js";
import { memoryOf, type RoutedMemory } from "../../../src/controllers/routed-ip/memory.js";
import { nodesOf, type ServiceFollower } from "../../../src/controllers/routed-ip/service-follower.js";
import { Retries } from "../../../src/reconcile/retries.js";
import { ModelWorld } from "./model-world.js";

const IP = "192.0.2.1";
const N1 = "digitalocean://n1";
const HOUR_MS = 3_600_000;

describe("a dispute about the address of a RoutedIP", () => {
  const made = new ModelWorld();
  made.addNode("n1");
  made.addService("web", [443]);
  made.serve("web", "n1");
  made.addRouted("a");
  const base = made.snapshot("a");

  const remembered = () => ({
    ...{
      creationFailure: undefined,
      creationResult: undefined,
      listObservations: new ListObservations(),
      taken: new TakenAddresses(),
      released: new Set<string>(),
    },
    placement: undefined as RoutedMemory["placement"],
    reverts: undefined as RoutedMemory["reverts"],
  });
  /** The reverts that the plan reads, where the address is held elsewhere. */
  const seen = (memory: ReturnType<typeof remembered>, now: number) => {
    const facts = { ip: IP, family: "IPv4", region: "", ageSeconds: 0, unconfirmed: false, holder: "other" } as const;
    const inventory = { ...base.inventory, get: () => facts };
    const state = { cleanup: { attempts: 0 }, retries: new Retries(), memory };
    return memoryOf(state, { ...base, inventory, now, monotonic: 0 }).reverts.get(IP) ?? [];
  };

  it("ends when nothing is undone any more, though the operator has no reason to place the address again", () => {
    const memory = remembered();
    for (const minute of [0, 1, 2]) {
      memory.placement = { ip: IP, machine: N1, at: base.now };
      seen(memory, base.now + minute * 60_000);
    }
    expect(seen(memory, base.now + 3 * 60_000)).to.have.length(3);
    expect(seen(memory, base.now + HOUR_MS)).to.have.length(0);
    expect(memory.reverts).to.equal(undefined);
  });
});

describe("the nodes that serve the Service of a RoutedIP", () => {
  it("are those with its endpoints, and none while the nodes are not known", () => {
    const serves = (...nodes: readonly string[]) => {
      const follower = { service: "default/web", servesAt: (node: string) => nodes.includes(node) };
      return nodesOf({ follower: follower as Partial<ServiceFollower> as ServiceFollower }, { spec: {} as never }, []);
    };
    expect(serves("n1").servesAt("n1")).to.equal(true);
    expect(serves("n1").servesAt("n2")).to.equal(false);
    expect(serves("n1").candidates).to.deep.equal([]);
  });
});
