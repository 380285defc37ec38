import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { actions } from "../../../src/controllers/node-dns-record-set/controller.js";
import { retainedBy } from "../../../src/controllers/node-dns-record-set/events.js";
import type { DnsService } from "../../../src/records/dns-service.js";
import { RECORDS_SURE_MS } from "../../../src/timings.js";
import { meta } from "../../claims/resources.js";
import { DnsWorld, NAME, ZONE } from "./dns-world.js";

describe("a record set that has left its former name, whose provider refuses to delete it", function () {
  this.timeout(120_000);
  let rig: DnsWorld;

  beforeEach(async () => {
    rig = await DnsWorld.create();
  });

  afterEach(() => rig.close());

  const dnsRecordSet = { zone: ZONE, recordName: NAME, deletionPolicy: "Delete" } as const;
  const startReady = async (): Promise<void> => {
    rig.addNode("n1");
    rig.addSet("game", { dnsRecordSet });
    rig.start();
    await rig.ready();
  };

  it("loses its records although its provider has once said that it has no such zone", async () => {
    await startReady();
    await rig.world.clock.sleep(RECORDS_SURE_MS + 1_000);
    rig.world.digitalocean.faults.inject({ kind: "status", status: 404 }, { on: /^GET .*example\.com/, times: 1 });
    rig.edit("game", { dnsRecordSet: { ...dnsRecordSet, provider: "cloudflare" } });
    await rig.until("it has its new name", () => rig.cloudflareRecords().length === 1);
    await rig.until("its former name is over", () => rig.records().length === 0);
    await rig.until("that is on record", () => rig.status("game").begunRecords === undefined);
    expect(rig.events("CleanupAbandoned")).to.deep.equal([]);
  });

  it("loses only what the operator wrote: a person has given the name to something else", async () => {
    await startReady();
    const { dns } = rig.world.digitalocean.state;
    dns.addRecord(ZONE, { type: "A", name: "game", data: "198.51.100.9" });
    await rig.world.clock.sleep(RECORDS_SURE_MS + 1_000);
    rig.edit("game", { dnsRecordSet: { ...dnsRecordSet, recordName: "new.example.com" } });
    await rig.until("it has its new name", () => rig.status("game").dns?.recordName === "new.example.com");
    await rig.until("an Event names it", () => rig.events("RecordsRetained").length > 0);
    expect(rig.events("RecordsRetained").join()).to.include("keeps 198.51.100.9: this resource did not write it");
    expect(dns.records(ZONE, "game").map(({ data }) => data)).to.deep.equal(["198.51.100.9"]);
  });

  it("is named once in a warning after its zone has left the account for an hour", async () => {
    await startReady();
    const { faults } = rig.world.digitalocean;
    faults.inject({ kind: "status", status: 404 }, { on: /\/domains\/example\.com/, times: Infinity });
    rig.edit("game", { dnsRecordSet: { ...dnsRecordSet, provider: "cloudflare" } });
    await rig.until("it says so", () => rig.events("CleanupAbandoned").length > 0);
    await rig.ready();
    await rig.world.clock.sleep(600_000);
    expect(rig.world.events("CleanupAbandoned").map(({ type }) => type)).to.deep.equal(["Warning"]);
    expect(rig.events("CleanupAbandoned")).to.deep.equal([
      `record set ${NAME} in zone ${ZONE} at digitalocean may stay and hold ${rig.address("n1")}: digitalocean has no such zone, or its token does not see it; if the zone exists, delete the record set at the provider`,
    ]);
    expect(rig.status("game").begunRecords).to.equal(undefined);
    expect(rig.records(), "the records").to.have.length(1);
  });

  for (const status of [401, 404, 500]) {
    it(`follows its nodes on its new name as before, with status ${status}`, async () => {
      await startReady();
      rig.world.digitalocean.faults.inject({ kind: "status", status }, { on: /\/domains/, times: Infinity });
      rig.edit("game", { dnsRecordSet: { ...dnsRecordSet, provider: "cloudflare" } });
      await rig.until("it has its new name", () => rig.cloudflareRecords().length === 1);
      await rig.world.clock.sleep(100_000);
      const before = rig.world.clock.now();
      rig.addNode("n2");
      await rig.until("it follows", () => rig.cloudflareRecords().length === 2);
      expect(rig.world.clock.now() - before).to.be.lessThan(5_000);
      if (status === 404)
        await rig.until(
          "the former zone is its own matter",
          () => rig.condition("game", "DNSReady") === "True/Observed",
        );
      await rig.until("its status follows", () => {
        const { provider, values = [] } = rig.status("game").dns ?? {};
        return provider === "cloudflare" && `${values}` === `${rig.cloudflareRecords()}`;
      });
      rig.world.digitalocean.faults.clear();
      await rig.until("its former name is over", () => rig.status("game").begunRecords === undefined);
      expect(rig.records()).to.deep.equal([]);
    });
  }
});

describe("the note of a record set that a run begins to write", () => {
  it("ends with the write of the status: a refusal stops what follows", async () => {
    const refusal = new Error("the API server refuses the status");
    const record = actions({} as DnsService, { now: () => 0 })["record-dns"];
    const state = { keep: () => Promise.reject(refusal), pendingStatus: { set: () => undefined } };
    const snapshot = { snapshot: { resource: { spec: {}, status: {} } } };
    const call = { state, snapshot, plan: { intended: [] } } as unknown as Parameters<typeof record>[0];
    const written = { provider: "digitalocean", zone: ZONE, recordName: NAME, types: ["A"], values: [] } as const;
    const outcome = record(call, { do: "record-dns", why: "nodes", written, begun: [written] });
    expect(await outcome.catch((error: unknown) => error)).to.equal(refusal);
  });
});

describe("a record set that is gone", () => {
  const written = { provider: "digitalocean", zone: ZONE, types: ["A"], values: ["192.0.2.1"] } as const;

  it("leaves all that its status names, unless its spec says Delete", () => {
    const status = { dns: { ...written, recordName: NAME }, begunRecords: [{ ...written, recordName: "former" }] };
    const leaves = (deletionPolicy: "Retain" | "Delete") => {
      const spec = { dnsRecordSet: { zone: ZONE, recordName: NAME, deletionPolicy } };
      return retainedBy({ metadata: meta("game"), spec, status }).map(({ reason, note }) => `${reason} ${note}`);
    };
    const [last, begun, ...more] = leaves("Retain");
    expect(last).to.match(new RegExp(`^RecordsRetained .*${NAME}`));
    expect(begun).to.match(/^RecordsRetained .*former/);
    expect([...more, ...leaves("Delete")]).to.deep.equal([]);
  });
});
