import { GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const NODES = ["n1", "n2", "n3", "n4"];
const RECORDS = { zone: "example.com", recordName: "www" };
const SET = { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name: "web" };
const POOL = { ...SET, kind: "FloatingIPPool" };

describe("operator in process: changes of a name that the status has missed", function () {
  this.timeout(120_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create({ speed: 100 });
    for (const name of NODES) world.addNode(name);
    world.start();
  });

  afterEach(() => world.close());

  const addPool = () => world.addPool("web", { desiredIPs: NODES.length, dnsRecordSet: RECORDS });
  const addSet = () => {
    const { namespace, name, ...type } = SET;
    world.kubernetes.create({ ...type, metadata: { namespace, name }, spec: { dnsRecordSet: RECORDS } });
  };
  const statusOf = (ref: typeof SET) => (world.kubernetes.get(ref)?.["status"] ?? {}) as NodeDNSRecordSetStatus;
  const shown = (ref: typeof SET) => statusOf(ref).dns?.values ?? [];
  const records = () => world.digitalocean.state.dns.records("example.com", "www");
  const zone = () =>
    records()
      .map(({ data }) => data)
      .sort();
  const notes = () => world.events("RecordsChanged").map(({ note, message }) => String(note ?? message));

  for (const [ref, add] of [
    [POOL, addPool],
    [SET, addSet],
  ] as const) {
    it(`show what the operator changed for a ${ref.kind} before its last nodes went, and the operator blames nobody else`, async () => {
      add();
      await world.until("all are in the status", () => shown(ref).length === NODES.length);
      const before = shown(ref);
      const deletion = { on: /^DELETE .*\/records/, times: 2 };
      const slow = world.digitalocean.faults.inject({ kind: "delay", ms: 10_000 }, deletion);
      for (const name of NODES.slice(0, 2)) world.removeNode(name);
      await world.until("a record is being deleted", () => slow.fired > 0);
      for (const name of NODES.slice(2)) world.removeNode(name);
      await world.rest();
      expect(zone(), "the last known addresses stay").to.have.length(3);
      expect(shown(ref)).to.deep.equal(zone());
      expect((statusOf(ref).addresses ?? []).filter(({ address }) => !zone().includes(address))).to.deep.equal([]);
      expect(notes().at(-1)).to.include(`www.example.com: ${before.join(", ")} -> ${zone().join(", ")}`);
      for (const name of NODES) world.addNode(`${name}-new`);
      await world.until("all are back", () => shown(ref).length === NODES.length);
      expect(notes().join("\n")).not.to.include("somebody else");
    });
  }

  it("count as written by the operator while the API server refuses the status, and the operator blames nobody else", async () => {
    addPool();
    await world.until("all are in the status", () => shown(POOL).length === NODES.length);
    world.kubernetes.setFaults(({ method, target }) => {
      const isStatus = method === "PATCH" && target?.subresource === "status";
      return isStatus ? { kind: "status", code: 403 } : undefined;
    });
    world.setReady("n1", false);
    await world.until("it has left the zone", () => zone().length === NODES.length - 1);
    world.setReady("n1", true);
    await world.until("it is back", () => zone().length === NODES.length);
    world.kubernetes.setFaults(undefined);
    await world.rest();
    expect(shown(POOL)).to.deep.equal(zone());
    expect(notes().join("\n")).not.to.include("somebody else");
  });
});
