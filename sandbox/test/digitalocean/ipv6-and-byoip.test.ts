import { expect } from "chai";
import { describe, it } from "mocha";
import { ADDRESS_MESSAGES, QUOTA_MESSAGE } from "../../src/digitalocean/addresses/address-rules.js";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

describe("DigitalOcean simulator: reserved IPv6 addresses", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  const assign = (ip: string, droplet_id: number) =>
    rig.call("POST", `/v2/reserved_ipv6/${ip}/actions`, { type: "assign", droplet_id });

  it("has neither lock nor project, and its actions are read at /v2/actions", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress({ family: "ipv6" });
    const action = (await assign(ip, id)).number("action", "id");
    await rig.clock.advance(4_000);
    expect((await rig.call("GET", `/v2/actions/${action}`)).get("action", "resource_type")).to.equal("reserved_ipv6");
    const address = (await rig.call("GET", `/v2/reserved_ipv6/${ip}`)).get("reserved_ipv6");
    expect(address).to.have.all.keys("ip", "region_slug", "reserved_at", "droplet");
    expect((await rig.call("GET", "/v2/reserved_ipv6")).get("reserved_ipv6s", 0, "droplet", "id")).to.equal(id);
  });

  it("does not say in the answer to a creation whether a droplet holds it", async () => {
    const made = await rig.call("POST", "/v2/reserved_ipv6", { region_slug: "nyc3" });
    expect([made.status, Object.keys(made.get("reserved_ipv6") as object)]).to.deep.equal([
      201,
      ["ip", "reserved_at", "region_slug"],
    ]);
  });

  it("is found in any spelling", async () => {
    rig.simulator.state.addAddress({ family: "ipv6", ip: "2001:db8::1:2" });
    const found = await rig.call("GET", "/v2/reserved_ipv6/2001:0DB8:0:0:0:0:1:2");
    expect(found.get("reserved_ipv6", "ip")).to.equal("2001:db8::1:2");
  });

  it("can be held beside an IPv4 address", async () => {
    const { id } = rig.simulator.state.addDroplet();
    rig.simulator.state.addAddress({ dropletId: id });
    expect((await assign(rig.simulator.state.addAddress({ family: "ipv6" }).ip, id)).status).to.equal(201);
  });

  it("needs IPv6 on the droplet", async () => {
    const { id } = rig.simulator.state.addDroplet({ ipv6: false });
    const answer = await assign(rig.simulator.state.addAddress({ family: "ipv6" }).ip, id);
    expect([answer.status, answer.get("message")]).to.deep.equal([422, ADDRESS_MESSAGES.noIpv6]);
  });

  it("cannot be released while it is held", async () => {
    const { id } = rig.simulator.state.addDroplet();
    const { ip } = rig.simulator.state.addAddress({ family: "ipv6", dropletId: id });
    expect((await rig.call("DELETE", `/v2/reserved_ipv6/${ip}`)).status).to.equal(422);
    rig.simulator.state.setHolder(ip, null);
    expect((await rig.call("DELETE", `/v2/reserved_ipv6/${ip}`)).status).to.equal(204);
  });

  it("has a limit of its own", async () => {
    rig.simulator.state.account.reservedIpv6Limit = 0;
    const refused = await rig.call("POST", "/v2/reserved_ipv6", { region_slug: "nyc3" });
    expect([refused.status, refused.get("message")]).to.deep.equal([422, QUOTA_MESSAGE]);
    expect((await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" })).status).to.equal(202);
  });
});

describe("DigitalOcean simulator: addresses of BYOIP prefixes", () => {
  let rig: DigitalOceanRig;
  let uuid: string;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
    uuid = rig.simulator.state.addByoipPrefix("203.0.113.0/24");
  });

  afterEach(() => rig.close());

  const assign = (ip: string) => {
    const { id } = rig.simulator.state.addDroplet();
    return rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: id });
  };

  it("can all be read but the first two, and are in no list until they are held", async () => {
    const read = async (ip: string) => (await rig.call("GET", `/v2/reserved_ips/${ip}`)).status;
    expect([await read("203.0.113.1"), await read("203.0.113.2"), await read("203.0.114.2")]).to.deep.equal([
      404, 200, 404,
    ]);
    expect((await rig.call("GET", `/v2/byoip_prefixes/${uuid}/ips`)).list("ips")).to.deep.equal([]);
  });

  it("are assigned by an action that stays 404 for ever, while the address shows its droplet", async () => {
    const action = (await assign("203.0.113.9")).number("action", "id");
    await rig.clock.advance(60_000);
    expect((await rig.call("GET", `/v2/reserved_ips/203.0.113.9/actions/${action}`)).status).to.equal(404);
    expect((await rig.call("GET", `/v2/actions/${action}`)).status).to.equal(404);
    const address = await rig.call("GET", "/v2/reserved_ips/203.0.113.9");
    expect(address.get("reserved_ip", "droplet", "name")).to.equal("node-1");
  });

  it("are assigned by an action that can be read, by switch", async () => {
    rig.simulator.state.settings.switches.byoipActionsVisible = true;
    const action = (await assign("203.0.113.9")).number("action", "id");
    expect((await rig.call("GET", `/v2/actions/${action}`)).get("action", "status")).to.equal("in-progress");
  });

  it("are listed with their prefix while they are held, not with the reserved ones unless by switch", async () => {
    await assign("203.0.113.9");
    await rig.clock.advance(4_000);
    expect((await rig.call("GET", `/v2/byoip_prefixes/${uuid}/ips`)).get("ips", 0, "byoip")).to.equal("203.0.113.9");
    expect((await rig.call("GET", "/v2/reserved_ips")).list("reserved_ips")).to.have.length(0);
    rig.simulator.state.settings.switches.byoipInReservedList = true;
    expect((await rig.call("GET", "/v2/reserved_ips")).list("reserved_ips")).to.have.length(1);
  });

  it("count as the one address of a droplet and not against the account's limit", async () => {
    const { id } = rig.simulator.state.addDroplet();
    rig.simulator.state.setHolder("203.0.113.9", id);
    rig.simulator.state.account.reservedIpLimit = 1;
    const { ip } = { ip: (await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" })).text("reserved_ip", "ip") };
    const answer = await rig.call("POST", `/v2/reserved_ips/${ip}/actions`, { type: "assign", droplet_id: id });
    expect(answer.get("message")).to.equal(ADDRESS_MESSAGES.dropletHasAddress);
  });

  it("cannot be released, nor their prefix while one is held", async () => {
    await assign("203.0.113.9");
    await rig.clock.advance(4_000);
    expect((await rig.call("DELETE", "/v2/reserved_ips/203.0.113.9")).get("message")).to.equal(ADDRESS_MESSAGES.byoip);
    expect((await rig.call("DELETE", `/v2/byoip_prefixes/${uuid}`)).status).to.equal(422);
  });

  it("exist once the prefix is active", async () => {
    const body = { prefix: "198.51.100.0/24", region: "nyc3", signature: "signed" };
    expect((await rig.call("POST", "/v2/byoip_prefixes", body)).get("status")).to.equal("in_progress");
    expect((await rig.call("GET", "/v2/reserved_ips/198.51.100.9")).status).to.equal(404);
    await rig.clock.advance(60_000);
    expect((await rig.call("GET", "/v2/reserved_ips/198.51.100.9")).status).to.equal(200);
  });
});
