import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

const [A1, A2, B1, B2] = ["198.51.100.1", "198.51.100.2", "203.0.113.1", "203.0.113.2"] as const;
const SET = { zone: ZONE, recordName: NAME } as const;

describe("a change of a record set that ended half-way", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
  });

  afterEach(() => rig.close());

  /** Both nodes get other addresses. The first record to be changed is that of n1, and gets the address of n2; the second change is refused. */
  async function changeHalf(atRefusal: () => void): Promise<void> {
    const external = (address: string) => [{ type: "ExternalIP", address }] as const;
    for (const node of ["n1", "n2"]) rig.addNode(node);
    rig.setAddresses("n1", external(A1));
    rig.setAddresses("n2", external(A2));
    rig.addSet("game");
    rig.start();
    await rig.rests();
    let puts = 0;
    const afterOne = ({ method }: { readonly method: string }) => {
      if (method !== "PUT" || ++puts < 2) return false;
      atRefusal();
      return true;
    };
    rig.world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: afterOne, times: Infinity });
    rig.setAddresses("n2", external(B1));
    rig.setAddresses("n1", external(B2));
  }

  const shown = () => (rig.status("game").addresses ?? []).map(({ address, nodeName }) => `${address} ${nodeName}`);

  it("removes what a first change that failed half-way left behind, when it is deleted", async () => {
    for (const node of ["n1", "n2", "n3"]) rig.addNode(node);
    let posts = 0;
    const afterOne = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === "POST" && path.includes("/domains/") && ++posts > 1;
    const { faults } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 422 }, { on: afterOne, times: Infinity });
    rig.addSet("game", { dnsRecordSet: { ...SET, deletionPolicy: "Delete" } });
    rig.start();
    await rig.until("it says so", () => rig.condition("game", "DNSReady").startsWith("False"));
    expect(rig.records()).to.have.length(1);
    rig.delete("game");
    await rig.until("it is gone", () => rig.object("game") === undefined);
    expect(rig.records()).to.deep.equal([]);
  });

  it("names the nodes and the reasons also of a change that ended half-way before all nodes died", async () => {
    for (const node of ["n1", "n2", "n3"]) rig.addNode(node);
    rig.addSet("game");
    rig.start();
    await rig.rests();
    const gone = rig.address("n1");
    let deletes = 0;
    const afterOne = ({ method, path }: { readonly method: string; readonly path: string }) => {
      if (method !== "DELETE" || !path.includes("/domains/") || ++deletes < 2) return false;
      rig.world.setReady("n3", false);
      return true;
    };
    rig.world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: afterOne, times: Infinity });
    for (const node of ["n1", "n2"]) rig.world.setReady(node, false);
    await rig.until("it says so", () => rig.condition("game", "DNSReady") === "False/KeptLastKnown");
    await rig.until("Event", () => rig.events("RecordsChanged").length === 2);
    expect(rig.events("RecordsChanged")[1]).to.include(`(game: - ${gone} (n1: NodeNotReady`);
  });

  it("does not write its status again and again while it is paused amid a change", async () => {
    await changeHalf(() => undefined);
    await rig.until("one of two records is changed", () => shown().includes(`${B1} n2`));
    rig.edit("game", { paused: true });
    await rig.until("the status says so", () => rig.condition("game", "Ready") === "False/Paused");
    await rig.world.clock.sleep(60_000);
    expect(shown()).to.deep.equal([`${A2} n2`, `${B1} n2`]);
    const { revision } = rig.world.kubernetes;
    await rig.world.clock.sleep(60_000);
    expect(rig.world.kubernetes.revision - revision).to.be.below(4);
  });

  it("shows all published addresses also if it is paused before its status has the new ones", async () => {
    await changeHalf(() => rig.edit("game", { paused: true }));
    await rig.until("the status says so", () => rig.condition("game", "Ready") === "False/Paused");
    expect(rig.records()).to.deep.equal([A2, B1]);
    expect(shown()).to.deep.equal([`${A2} n2`, `${B1} n2`]);
    expect(rig.status("game").counts?.published).to.equal(2);
  });
});
