import { expect } from "chai";
import { describe, it } from "mocha";
import { ADDRESS_MESSAGES, QUOTA_MESSAGE } from "../../src/digitalocean/addresses/address-rules.js";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

describe("DigitalOcean simulator: reserved IPv4 addresses", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig({ account: { reservedIpLimit: 10 } });
  });

  afterEach(() => rig.close());

  const actionsOf = (ip: string) => `/v2/reserved_ips/${ip}/actions`;
  const assign = (ip: string, droplet_id: number) => rig.call("POST", actionsOf(ip), { type: "assign", droplet_id });
  const unassign = (ip: string) => rig.call("POST", actionsOf(ip), { type: "unassign" });
  const holder = async (ip: string) =>
    (await rig.call("GET", `/v2/reserved_ips/${ip}`)).get("reserved_ip", "droplet", "id");

  it("reserves by region: unassigned, unlocked, without an action to wait for", async () => {
    const made = await rig.call("POST", "/v2/reserved_ips", { region: "fra1" });
    expect([made.status, made.get("links"), made.get("reserved_ip", "locked")]).to.deep.equal([202, {}, false]);
    expect(made.get("reserved_ip", "droplet")).to.equal(null);
    expect(made.text("reserved_ip", "region", "slug")).to.equal("fra1");
  });

  it("keeps the project that a creation names", async () => {
    const project_id = "746c6152-2fa2-41ed-92d3-27aaa54e4988";
    const made = await rig.call("POST", "/v2/reserved_ips", { region: "fra1", project_id });
    expect(made.get("reserved_ip", "project_id")).to.equal(project_id);
  });

  it("creates for a droplet in one call: locked and free until its action completes", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const made = await rig.call("POST", "/v2/reserved_ips", { droplet_id: id });
    const ip = made.text("reserved_ip", "ip");
    expect([made.get("reserved_ip", "droplet"), made.get("reserved_ip", "locked")]).to.deep.equal([null, true]);
    expect(made.get("links", "droplets", 0, "id")).to.equal(id);
    const action = made.number("links", "actions", 0, "id");
    expect((await rig.call("GET", `/v2/actions/${action}`)).get("action", "status")).to.equal("in-progress");
    await rig.clock.advance(4_000);
    expect(await holder(ip)).to.equal(id);
  });

  it("runs an assignment for its time, and only then is the droplet changed", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress();
    const started = await assign(ip, id);
    expect([started.status, started.get("action", "status")]).to.deep.equal([201, "in-progress"]);
    const read = () => rig.call("GET", `/v2/reserved_ips/${ip}`);
    await rig.clock.advance(3_999);
    expect([(await read()).get("reserved_ip", "droplet"), (await read()).get("reserved_ip", "locked")]).to.deep.equal([
      null,
      true,
    ]);
    await rig.clock.advance(1);
    expect([await holder(ip), (await read()).get("reserved_ip", "locked")]).to.deep.equal([id, false]);
    const action = await rig.call("GET", `${actionsOf(ip)}/${started.number("action", "id")}`);
    expect(action.get("action", "status")).to.equal("completed");
    expect(action.text("action", "completed_at") > action.text("action", "started_at")).to.equal(true);
  });

  it("shows the address as second public network of its droplet, behind the droplet's own", async () => {
    const droplet = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress({ dropletId: droplet.id });
    const networks = (await rig.call("GET", `/v2/droplets/${droplet.id}`)).list("droplet", "networks", "v4");
    const publicIps = (networks as { type: string; ip_address: string }[])
      .filter(({ type }) => type === "public")
      .map(({ ip_address }) => ip_address);
    expect(publicIps).to.deep.equal([droplet.publicIp, ip]);
  });

  it("refuses a second action and a deletion while one runs", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress();
    await assign(ip, id);
    for (const answer of [
      await assign(ip, id),
      await unassign(ip),
      await rig.call("DELETE", `/v2/reserved_ips/${ip}`),
    ]) {
      expect([answer.status, answer.get("message")]).to.deep.equal([
        422,
        "The floating IP already has a pending event.",
      ]);
    }
  });

  it("moves an address that is held elsewhere without an unassignment", async () => {
    const from = rig.simulator.state.addDroplet().id;
    const to = rig.simulator.state.addDroplet().id;
    const { ip } = rig.simulator.state.addAddress({ dropletId: from });
    expect((await assign(ip, to)).status).to.equal(201);
    expect(await holder(ip)).to.equal(from);
    await rig.clock.advance(4_000);
    expect(await holder(ip)).to.equal(to);
    expect((await rig.call("GET", `/v2/droplets/${from}`)).list("droplet", "networks", "v4")).to.have.length(2);
    expect((await assign(rig.simulator.state.addAddress().ip, from)).status).to.equal(201);
  });

  it("refuses to move an address by switch until it is unassigned", async () => {
    rig.simulator.state.settings.switches.moveNeedsUnassign = true;
    const from = rig.simulator.state.addDroplet().id;
    const to = rig.simulator.state.addDroplet().id;
    const { ip } = rig.simulator.state.addAddress({ dropletId: from });
    expect((await assign(ip, to)).get("message")).to.equal(ADDRESS_MESSAGES.heldElsewhere);
    await unassign(ip);
    await rig.clock.advance(3_000);
    expect((await assign(ip, to)).status).to.equal(201);
  });

  it("keeps the old holder when an action errors", async () => {
    const from = rig.simulator.state.addDroplet().id;
    const to = rig.simulator.state.addDroplet().id;
    const { ip } = rig.simulator.state.addAddress({ dropletId: from });
    rig.simulator.state.failActions({ ip });
    const action = (await assign(ip, to)).number("action", "id");
    await rig.clock.advance(4_000);
    expect((await rig.call("GET", `/v2/actions/${action}`)).get("action", "status")).to.equal("errored");
    expect(await holder(ip)).to.equal(from);
    expect((await assign(ip, to)).status).to.equal(201);
  });

  const refusals: readonly [string, string, (rig: DigitalOceanRig) => [string, number]][] = [
    [
      "the droplet has an address already",
      ADDRESS_MESSAGES.dropletHasAddress,
      ({ simulator: { state } }) => {
        const { id } = state.addDroplet();
        state.addAddress({ dropletId: id });
        return [state.addAddress().ip, id];
      },
    ],
    [
      "the droplet is in another region",
      ADDRESS_MESSAGES.otherRegion,
      ({ simulator: { state } }) => [state.addAddress().ip, state.addDroplet({ region: "fra1" }).id],
    ],
    [
      "the droplet holds it already",
      ADDRESS_MESSAGES.alreadyHolder,
      ({ simulator: { state } }) => {
        const { id } = state.addDroplet();
        return [state.addAddress({ dropletId: id }).ip, id];
      },
    ],
    [
      "the droplet has a pending event",
      "Droplet already has a pending event.",
      ({ simulator: { state } }) => {
        const { id } = state.addDroplet();
        state.startEvent(id);
        return [state.addAddress().ip, id];
      },
    ],
    [
      "the droplet is new",
      "Droplet already has a pending event.",
      ({ simulator: { state } }) => [state.addAddress().ip, state.addDroplet({ status: "new" }).id],
    ],
  ];
  for (const [why, message, arrange] of refusals) {
    it(`refuses to assign with 422 when ${why}`, async () => {
      const answer = await assign(...arrange(rig));
      expect([answer.status, answer.get("message")]).to.deep.equal([422, message]);
    });
  }

  it("refuses a second address for a droplet that is about to get one", async () => {
    const { id } = rig.simulator.state.addDroplet();
    await assign(rig.simulator.state.addAddress().ip, id);
    const second = await assign(rig.simulator.state.addAddress().ip, id);
    expect(second.get("message")).to.equal("Droplet already has a pending event.");
  });

  it("answers 404 for an address, a droplet or an action that is unknown", async () => {
    const { ip } = rig.simulator.state.addAddress();
    expect((await assign(ip, 1)).status).to.equal(404);
    expect((await assign("192.0.2.1", rig.simulator.state.addDroplet().id)).status).to.equal(404);
    expect((await rig.call("GET", `${actionsOf(ip)}/1`)).status).to.equal(404);
    expect((await rig.call("POST", "/v2/reserved_ips", { droplet_id: 1 })).status).to.equal(404);
    expect((await rig.call("DELETE", "/v2/reserved_ips/192.0.2.1")).status).to.equal(404);
  });

  it("refuses to unassign an address that no droplet holds", async () => {
    const answer = await unassign(rig.simulator.state.addAddress().ip);
    expect([answer.status, answer.get("message")]).to.deep.equal([422, ADDRESS_MESSAGES.notAssigned]);
  });

  it("does not reserve anything when the droplet of a creation is busy", async () => {
    const { id } = rig.simulator.state.addDroplet({ status: "new" });
    expect((await rig.call("POST", "/v2/reserved_ips", { droplet_id: id })).status).to.equal(422);
    expect(rig.simulator.state.addresses()).to.deep.equal([]);
  });

  it("refuses one address more than the account may have, and shows the limit in the account", async () => {
    rig.simulator.state.account.reservedIpLimit = 1;
    await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
    const second = await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
    expect([second.status, second.get("message")]).to.deep.equal([422, QUOTA_MESSAGE]);
    expect((await rig.call("GET", "/v2/account")).get("account", "floating_ip_limit")).to.equal(1);
  });

  it("releases a held address at once, unless the switch demands an unassignment", async () => {
    const { ip } = rig.simulator.state.addAddress({ dropletId: rig.simulator.state.addDroplet().id });
    rig.simulator.state.settings.switches.releaseNeedsUnassign = true;
    expect((await rig.call("DELETE", `/v2/reserved_ips/${ip}`)).status).to.equal(422);
    rig.simulator.state.settings.switches.releaseNeedsUnassign = false;
    expect((await rig.call("DELETE", `/v2/reserved_ips/${ip}`)).status).to.equal(204);
    expect((await rig.call("GET", `/v2/reserved_ips/${ip}`)).status).to.equal(404);
  });

  it("is the same state under the name of floating IPs", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const ip = (await rig.call("POST", "/v2/floating_ips", { region: "nyc3" })).text("floating_ip", "ip");
    const action = await assign(ip, id);
    const alias = await rig.call("GET", `/v2/floating_ips/${ip}/actions/${action.number("action", "id")}`);
    expect(alias.get("action", "resource_type")).to.equal("floating_ip");
    expect((await rig.call("GET", "/v2/floating_ips")).get("floating_ips", 0, "locked")).to.equal(true);
  });
});

describe("DigitalOcean simulator: a droplet that is deleted", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  it("leaves its address unassigned", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress({ dropletId: id });
    expect((await rig.call("DELETE", `/v2/droplets/${id}`)).status).to.equal(204);
    expect((await rig.call("GET", `/v2/reserved_ips/${ip}`)).get("reserved_ip", "droplet")).to.equal(null);
    expect(rig.simulator.state.address(ip)).to.include({ dropletId: null, assignedAt: null });
  });

  it("makes an assignment to it error at once and unlocks the address", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress();
    const action = await rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: id });
    rig.simulator.state.deleteDroplet(id);
    const number = action.number("action", "id");
    expect((await rig.call("GET", `/v2/actions/${number}`)).get("action", "status")).to.equal("errored");
    await rig.clock.advance(10_000);
    expect(rig.simulator.state.address(ip)).to.include({ dropletId: null, actionId: null });
  });

  it("does not keep an address from arriving at another droplet", async () => {
    const from = rig.simulator.state.addDroplet().id;
    const to = rig.simulator.state.addDroplet().id;
    const { ip } = rig.simulator.state.addAddress({ dropletId: from });
    await rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: to });
    rig.simulator.state.deleteDroplet(from);
    await rig.clock.advance(4_000);
    expect(rig.simulator.state.address(ip).dropletId).to.equal(to);
  });

  it("leaves tags and firewalls", async () => {
    const { state } = rig.simulator;
    const { id } = state.addDroplet({ tags: ["web"] });
    const direct = state.firewalls.add({ name: "direct", dropletIds: [id] });
    const byTag = state.firewalls.add({ name: "by-tag", tags: ["web"] });
    state.deleteDroplet(id);
    expect([...state.firewalls.covered(direct.id), ...state.firewalls.covered(byTag.id)]).to.deep.equal([]);
    expect((await rig.call("GET", "/v2/tags/web")).get("tag", "resources", "count")).to.equal(0);
  });
});
