import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import { startStandAloneDigitalOcean } from "../../src/digitalocean/stand-alone.js";
import { EVERY_FAULT } from "../../src/http/fault.js";
import { checkJournalRequests, digitalOceanOpenApi } from "../support/digitalocean-openapi.js";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";
import { NO_DESCRIPTION } from "../support/openapi.js";

const CREATE = "POST /v2/reserved_ips";

describe("DigitalOcean simulator: faults", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig({ account: { reservedIpLimit: 10 } });
  });

  afterEach(() => rig.close());

  const create = () => rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
  const count = () => rig.simulator.state.addresses().length;

  for (const status of [429, 500, 502, 503, 504]) {
    it(`answers ${status} in the API's shape with its headers, and nothing happened`, async () => {
      rig.simulator.faults.inject({ kind: "status", status }, { on: CREATE });
      const answer = await create();
      expect([answer.status, count()]).to.deep.equal([status, 0]);
      expect(answer.text("request_id")).to.equal(answer.headers["x-request-id"]);
    });
  }

  it("creates an address whose answer is lost: it is in the account, and the caller got no answer", async () => {
    rig.simulator.faults.inject({ kind: "reset", when: "after" }, { on: CREATE });
    expect(await create().catch(() => "lost")).to.equal("lost");
    expect(count()).to.equal(1);
    expect(rig.simulator.journal.calls({ on: CREATE })[0]).to.include({ status: 202, fault: "reset", processed: 1 });
  });

  it("creates two addresses when a creation is delivered twice", async () => {
    rig.simulator.faults.inject({ kind: "duplicate" }, { on: CREATE });
    const answered = (await create()).text("reserved_ip", "ip");
    expect([count(), rig.simulator.state.addresses().at(-1)?.ip]).to.deep.equal([2, answered]);
  });

  it("refuses the second delivery of an assignment, although the first runs", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress();
    rig.simulator.faults.inject({ kind: "duplicate" });
    const answer = await rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: id });
    expect(answer.get("message")).to.equal("The floating IP already has a pending event.");
    await rig.clock.advance(4_000);
    expect(rig.simulator.state.address(ip).dropletId).to.equal(id);
  });

  it("shows a list without the newcomer for as long as reads are stale", async () => {
    rig.simulator.faults.inject({ kind: "stale-reads", ms: 5_000 }, { on: CREATE });
    await create();
    const listed = async () => (await rig.call("GET", "/v2/reserved_ips")).get("meta", "total");
    expect(await listed()).to.equal(0);
    await rig.clock.advance(5_000);
    expect(await listed()).to.equal(1);
  });

  it("keeps an action in progress for stale readers while it completes", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress();
    await rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: id });
    rig.simulator.freezeReads(6_000);
    await rig.clock.advance(5_000);
    expect((await rig.call("GET", `/v2/reserved_ips/${ip}`)).get("reserved_ip", "locked")).to.equal(true);
    expect(rig.simulator.state.address(ip).actionId).to.equal(null);
  });

  it("revokes the token in the middle of a run", async () => {
    rig.simulator.faults.inject({ kind: "revoke-token" }, { nth: 2 });
    const statuses = [await create(), await create(), await create()].map(({ status }) => status);
    expect([statuses, count()]).to.deep.equal([[202, 401, 401], 1]);
  });

  for (const [name, fault] of Object.entries(EVERY_FAULT)) {
    it(`survives "${name}" at a creation: none or one address, two only when delivered twice`, async () => {
      rig.simulator.faults.inject(fault, { on: CREATE });
      const controller = new AbortController();
      const call = rig.call(
        "POST",
        "/v2/reserved_ips",
        { region: "nyc3" },
        { damaged: true, signal: controller.signal },
      );
      const settled = call.then(
        () => true,
        () => true,
      );
      await until("the request is in the journal", () => rig.simulator.journal.mark === 1);
      for (let turn = 0; turn < 8; turn++) await rig.clock.advance(1_000);
      controller.abort();
      await settled;
      const { processed } = rig.simulator.journal.entries[0] ?? { processed: -1 };
      expect(count()).to.equal(processed);
      expect(processed).to.be.within(0, fault.kind === "duplicate" ? 2 : 1);
    });
  }
});

describe("requests in the journal", () => {
  it("can be checked against the description after a run", async function () {
    if (digitalOceanOpenApi() === undefined) skip(this, NO_DESCRIPTION);
    const rig = await startDigitalOceanRig();
    await rig.call("GET", "/v2/reserved_ips?per_page=200");
    await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
    checkJournalRequests(rig.simulator.journal);
    await rig.call("POST", "/v2/reserved_ips", { region: "nyc3", tags: [] }, { wrong: true });
    expect(() => checkJournalRequests(rig.simulator.journal)).to.throw("additional properties");
    await rig.close();
  });
});

describe("DigitalOcean simulator by itself", () => {
  it("starts on the real clock with droplets and a domain in the account", async () => {
    const simulator = await startStandAloneDigitalOcean({ port: 0, droplets: 2, logger: silentLogger });
    const read = async (path: string) => {
      const answer = await fetch(simulator.url + path, { headers: { authorization: `Bearer ${simulator.token}` } });
      return ((await answer.json()) as { meta: { total: number } }).meta.total;
    };
    expect([await read("/v2/droplets"), await read("/v2/domains")]).to.deep.equal([2, 1]);
    await simulator.close();
  });
});
