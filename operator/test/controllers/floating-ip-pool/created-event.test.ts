import { expect } from "chai";
import { describe, it } from "mocha";
import type { PlannedAction } from "../../../src/addresses/actions.js";
import { eventsOf } from "../../../src/controllers/floating-ip-pool/events.js";
import { ModelCloud } from "./support/model-cloud.js";

describe("the Event of an address that a pool created", () => {
  function noteOf(cloud: ModelCloud, mayList = true): string | undefined {
    const desired = { family: "IPv4", region: "nyc3" } as const;
    const action: PlannedAction = { do: "create-address", desired, startedAt: "2026-01-01T00:00:00Z", why: "1 of 2" };
    const results = [{ action, outcome: { is: "done", ip: "203.0.113.9" } as const }];
    return eventsOf({ ...cloud.snapshot("web"), mayList: () => mayList }, { results }).now[0]?.note;
  }

  function cloudWith(...machines: readonly (string | undefined)[]): ModelCloud {
    const cloud = new ModelCloud();
    cloud.addNode("node-1");
    cloud.addPool("web", { region: "", ips: ["203.0.113.1"], desiredIPs: 2 });
    cloud.addresses.set("203.0.113.1", "digitalocean://node-1");
    for (const [index, machine] of machines.entries()) cloud.addresses.set(`203.0.113.${index + 2}`, machine);
    return cloud;
  }

  it("names addresses that a deleted pool has left, since the pool could have them instead", () => {
    expect(noteOf(cloudWith(undefined, "digitalocean://node-1"))).to.equal(
      "203.0.113.9 was created: 1 of 2; no resource of this cluster has 203.0.113.2, 203.0.113.3, which the account has, too: to use one instead, write it in ips in place of the new one",
    );
  });

  it("names none of another region, on a machine of somebody else, or that a resource has", () => {
    const cloud = cloudWith("digitalocean://elsewhere");
    cloud.addPool("other", { ips: ["203.0.113.3"] });
    cloud.addresses.set("203.0.113.3", undefined);
    expect(noteOf(cloud)).to.equal("203.0.113.9 was created: 1 of 2");
    expect(noteOf(cloudWith(undefined), false), "not for this namespace").to.equal("203.0.113.9 was created: 1 of 2");
    const elsewhere = cloudWith(undefined);
    elsewhere.edit("web", { spec: { provider: "digitalocean", region: "fra1", ips: ["203.0.113.1"] } });
    expect(noteOf(elsewhere)).to.equal("203.0.113.9 was created: 1 of 2");
  });
});
