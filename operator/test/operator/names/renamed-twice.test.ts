import { type DnsRecordSet, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import type { Running, World } from "../world.js";

const NODES = ["n1", "n2", "n3"];
const RESOURCE = { apiVersion: GROUP_VERSION, namespace: "default", name: "web" };
const KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const;
const CREATION = /^POST .*\/records/;
const LONG_MS = 30_000;

type KindName = (typeof KINDS)[number];
type Status = Pick<NodeDNSRecordSetStatus, "dns" | "begunRecords" | "conditions">;

describe("operator in process: a record set whose name changes again before the operator has written the last one", function () {
  this.timeout(180_000);
  let made: RoutedWorld;
  let world: World;
  let operator: Running;

  beforeEach(async () => {
    made = await RoutedWorld.create(NODES, { speed: 50 });
    world = made.world;
    made.addIssuer();
    made.serve({ node: "n1" });
    operator = world.start();
  });

  afterEach(() => made.close());

  const recordsOf = (recordName: string, deletionPolicy: DnsRecordSet["deletionPolicy"] = "Delete"): DnsRecordSet => ({
    zone: "example.com",
    recordName,
    ttl: 30,
    deletionPolicy,
  });
  const names = () => {
    const { dns } = world.digitalocean.state;
    return ["b1", "b2", "b3"].filter((name) => dns.records("example.com", name).length > 0);
  };
  const zone = (name: string) => world.digitalocean.state.dns.records("example.com", name).map(({ data }) => data);
  const status = (kind: KindName): Status => (world.kubernetes.get({ ...RESOURCE, kind })?.["status"] ?? {}) as Status;
  const rename = (kind: KindName, name: string, policy?: DnsRecordSet["deletionPolicy"]) =>
    world.change({ ...RESOURCE, kind }, "spec", { dnsRecordSet: recordsOf(name, policy) });

  function add(kind: KindName, name: string, policy?: DnsRecordSet["deletionPolicy"]): void {
    const dnsRecordSet = recordsOf(name, policy);
    if (kind === "FloatingIPPool") world.addPool("web", { desiredIPs: 2, reclaimPolicy: "Delete", dnsRecordSet });
    else if (kind === "RoutedIP") made.addRouted("web", { dnsRecordSet });
    else world.kubernetes.create({ apiVersion: GROUP_VERSION, kind, metadata: RESOURCE, spec: { dnsRecordSet } });
  }

  const until = (what: string, condition: () => boolean) => world.until(what, condition, LONG_MS);
  const stands = (kind: KindName, name: string) =>
    until(`${name} is written`, () => {
      const { dns, conditions = [] } = status(kind);
      const ready = conditions.some(({ type, status: is }) => type === "DNSReady" && is === "True");
      return ready && dns?.recordName === name && `${names()}` === name;
    });

  /** The creation of `b2` is under way. */
  async function renaming(kind: KindName, policy?: DnsRecordSet["deletionPolicy"]): Promise<void> {
    add(kind, "b1", policy);
    await stands(kind, "b1");
    await creating(() => rename(kind, "b2", policy));
  }

  async function creating(change: () => void): Promise<void> {
    const slow = world.digitalocean.faults.inject({ kind: "delay", ms: 4000 }, { on: CREATION, times: 1 });
    change();
    await until("the creation is under way", () => slow.fired > 0);
  }

  async function goes(kind: KindName): Promise<void> {
    world.kubernetes.delete({ ...RESOURCE, kind });
    await until("it is gone", () => world.kubernetes.get({ ...RESOURCE, kind }) === undefined);
    expect(names()).to.deep.equal([]);
  }

  for (const kind of KINDS) {
    describe(kind, () => {
      it("leaves no record on the name in between", async () => {
        await renaming(kind);
        rename(kind, "b3");
        await stands(kind, "b3");
        await world.rest();
        expect([names(), status(kind).begunRecords]).to.deep.equal([["b3"], undefined]);
        await goes(kind);
      });

      it("leaves no record on the new name when the former one comes back", async () => {
        await renaming(kind);
        rename(kind, "b1");
        await stands(kind, "b1");
        await world.rest();
        expect([names(), status(kind).begunRecords]).to.deep.equal([["b1"], undefined]);
      });

      it("leaves no record on its very first name", async () => {
        await creating(() => add(kind, "b1"));
        rename(kind, "b2");
        await stands(kind, "b2");
        await world.rest();
        expect(names()).to.deep.equal(["b2"]);
      });

      it("leaves no record after the answer to the creation was lost", async () => {
        add(kind, "b1");
        await stands(kind, "b1");
        const lost = world.digitalocean.faults.inject({ kind: "reset", when: "after" }, { on: CREATION, times: 1 });
        rename(kind, "b2");
        await until("the answer is lost", () => lost.fired > 0);
        rename(kind, "b3");
        await stands(kind, "b3");
        await world.rest();
        expect(names()).to.deep.equal(["b3"]);
      });

      it("leaves no record after the operator was killed during the creation", async () => {
        await renaming(kind);
        await operator.kill();
        expect(names()).to.include("b2");
        rename(kind, "b3");
        world.start();
        await stands(kind, "b3");
        await world.rest();
        expect([names(), status(kind).begunRecords]).to.deep.equal([["b3"], undefined]);
      });

      it("leaves no record when it is deleted after the operator was killed during the creation", async () => {
        await renaming(kind);
        await operator.kill();
        expect(names()).to.include("b2");
        expect(status(kind).begunRecords?.map(({ recordName }) => recordName)).to.deep.equal(["b2"]);
        world.kubernetes.delete({ ...RESOURCE, kind });
        world.start();
        await until("it is gone", () => world.kubernetes.get({ ...RESOURCE, kind }) === undefined);
        expect(names()).to.deep.equal([]);
      });

      it("names in an Event what stays on the name in between under Retain", async () => {
        await renaming(kind, "Retain");
        rename(kind, "b3", "Retain");
        await until("b3 is written", () => status(kind).dns?.recordName === "b3");
        await world.rest();
        expect([names(), status(kind).begunRecords]).to.deep.equal([["b1", "b2", "b3"], undefined]);
        const notes = world.events("RecordsRetained").map(({ note, message }) => String(note ?? message));
        for (const name of ["b1", "b2"])
          expect(
            notes.filter((note) => note.includes(`record set ${name} `)),
            name,
          ).to.have.length(1);
      });

      it("leaves what another party has written on the name in between", async () => {
        await renaming(kind);
        rename(kind, "b3");
        world.digitalocean.state.dns.addRecord("example.com", { type: "A", name: "b2", data: "198.51.100.9" });
        await until("b3 is written", () => status(kind).dns?.recordName === "b3");
        await world.rest();
        expect(zone("b2")).to.deep.equal(["198.51.100.9"]);
      });
    });
  }
});
