import { expect } from "chai";
import { describe, it } from "mocha";
import type { Snapshot } from "../../../src/controllers/floating-ip-pool/snapshot.js";
import { MOVE_MAX_AGE_SECONDS } from "../../../src/timings.js";
import type { ModelCloud } from "../../controllers/floating-ip-pool/support/model-cloud.js";
import { NO_MEMORY } from "../../controllers/floating-ip-pool/support/no-memory.js";
import { altered, cluster } from "../../controllers/floating-ip-pool/support/pool-plans.js";

const [IP, FOREIGN] = ["203.0.113.7", "198.51.100.9"];
const MACHINE = "digitalocean://n1";
const FAILURE = { reason: "ProviderUnavailable", message: "no answer" } as const;

/** A pool whose address waits, and the only node, which has an address that no resource has. */
function occupied(): ModelCloud {
  const cloud = cluster(["n1"], { ips: [IP] });
  cloud.addresses.set(FOREIGN, MACHINE);
  return cloud;
}

function needs(cloud: ModelCloud, change: (snapshot: Snapshot) => Partial<Snapshot> = () => ({})): boolean {
  const snapshot = cloud.snapshot("web");
  const inventory = { ...snapshot.inventory, ageSeconds: MOVE_MAX_AGE_SECONDS + 1 };
  return altered(cloud, { inventory, ...change({ ...snapshot, inventory }) }).needsFreshList;
}

describe("a node that the list of the account shows as full", () => {
  it("asks for a fresh list if an address waits that could go there", () => {
    expect(needs(occupied())).to.equal(true);
  });

  const others: Readonly<Record<string, (cloud: ModelCloud) => boolean>> = {
    "a list that is fresh": (cloud) =>
      needs(cloud, ({ inventory }) => ({ inventory: { ...inventory, ageSeconds: MOVE_MAX_AGE_SECONDS } })),
    "an account that fails": (cloud) => needs(cloud, () => ({ providerFailure: FAILURE })),
    "nodes that are not all known": (cloud) => needs(cloud, () => ({ cachesComplete: false })),
    "a list that was never read": (cloud) =>
      needs(cloud, ({ inventory }) => ({ inventory: { ...inventory, complete: false } })),
    "a node that refused the address just now": (cloud) =>
      needs(cloud, ({ now }) => ({ memory: { ...NO_MEMORY, nodeRetryAt: new Map([[MACHINE, now + 1]]) } })),
    "another node that is free": (cloud) => {
      cloud.addNode("n2");
      return needs(cloud);
    },
    "an address of another resource": (cloud) => {
      cloud.addPool("other", { ips: [FOREIGN] });
      return needs(cloud);
    },
    "a node with room": (cloud) =>
      needs(cloud, ({ capabilities }) => ({
        ...(capabilities && { capabilities: { ...capabilities, addressesPerNode: 2 } }),
      })),
    "a node of another region": (cloud) => {
      cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [], desiredIPs: 1 } });
      cloud.nodes.clear();
      cloud.addNode("n1", { labels: { "topology.kubernetes.io/region": "other" } });
      return needs(cloud);
    },
  };
  for (const [what, of] of Object.entries(others))
    it(`asks for none: ${what}`, () => {
      expect(of(occupied())).to.equal(false);
    });

  it("asks for one also of an address that is to be created, and again once a refusal is over", () => {
    const cloud = occupied();
    const over = needs(cloud, ({ now }) => ({ memory: { ...NO_MEMORY, nodeRetryAt: new Map([[MACHINE, now]]) } }));
    expect(over).to.equal(true);
    cloud.edit("web", { spec: { ...cloud.pool("web").spec, ips: [], desiredIPs: 1 } });
    expect(needs(cloud)).to.equal(true);
  });
});
