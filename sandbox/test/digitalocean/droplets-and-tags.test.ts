import { expect } from "chai";
import { describe, it } from "mocha";
import { type Answer, type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

const BODY = { name: "a", region: "nyc3", size: "s-1vcpu-1gb", image: "debian-12-x64" };

describe("DigitalOcean simulator: droplets", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  const names = (answer: Answer) => answer.list("droplets").map((droplet) => (droplet as { name: string }).name);

  it("are new, locked and without networks until their create event is over", async () => {
    const made = await rig.call("POST", "/v2/droplets", BODY);
    const id = made.number("droplet", "id");
    expect([made.status, made.get("droplet", "status"), made.get("droplet", "locked")]).to.deep.equal([
      202,
      "new",
      true,
    ]);
    expect(made.list("droplet", "networks", "v4")).to.deep.equal([]);
    await rig.clock.advance(30_000);
    const ready = await rig.call("GET", `/v2/droplets/${id}`);
    expect([ready.get("droplet", "status"), ready.get("droplet", "locked")]).to.deep.equal(["active", false]);
    expect(ready.list("droplet", "networks", "v4")).to.have.length(2);
  });

  it("are filtered by tag and by name", async () => {
    rig.simulator.state.addDroplet({ name: "one", tags: ["web"] });
    rig.simulator.state.addDroplet({ name: "two" });
    expect(names(await rig.call("GET", "/v2/droplets?tag_name=web"))).to.deep.equal(["one"]);
    expect(names(await rig.call("GET", "/v2/droplets?name=two"))).to.deep.equal(["two"]);
    expect(names(await rig.call("GET", "/v2/droplets?tag_name=nothing"))).to.deep.equal([]);
  });

  it("are refused beyond the account's limit", async () => {
    rig.simulator.state.account.dropletLimit = 0;
    const refused = await rig.call("POST", "/v2/droplets", BODY);
    expect([refused.status, refused.get("message")]).to.deep.equal([
      422,
      "creating this/these droplet(s) will exceed your droplet limit",
    ]);
  });

  it("have one event at a time", async () => {
    const { id } = rig.simulator.state.addDroplet();
    await rig.call("POST", `/v2/droplets/${id}/actions`, { type: "reboot" });
    const second = await rig.call("POST", `/v2/droplets/${id}/actions`, { type: "reboot" });
    expect([second.status, second.get("message")]).to.deep.equal([422, "Droplet already has a pending event."]);
    await rig.clock.advance(8_000);
    expect((await rig.call("POST", `/v2/droplets/${id}/actions`, { type: "reboot" })).status).to.equal(201);
  });

  it("change with the event that is over: power, name", async () => {
    const { id } = rig.simulator.state.addDroplet();
    await rig.call("POST", `/v2/droplets/${id}/actions`, { type: "power_off" });
    expect(rig.simulator.state.droplet(id).status).to.equal("active");
    await rig.clock.advance(8_000);
    expect(rig.simulator.state.droplet(id).status).to.equal("off");
    await rig.call("POST", `/v2/droplets/${id}/actions`, { type: "rename", name: "other" });
    await rig.clock.advance(8_000);
    expect(names(await rig.call("GET", "/v2/droplets?name=other"))).to.deep.equal(["other"]);
  });

  it("are deleted by tag, the others stay", async () => {
    rig.simulator.state.addDroplet({ name: "one", tags: ["old"] });
    rig.simulator.state.addDroplet({ name: "two" });
    expect((await rig.call("DELETE", "/v2/droplets?tag_name=old")).status).to.equal(204);
    expect(names(await rig.call("GET", "/v2/droplets"))).to.deep.equal(["two"]);
  });

  it("have the id and the address that a test wishes, once", async () => {
    rig.simulator.state.addDroplet({ id: 1001, publicIp: "203.0.113.1" });
    const read = await rig.call("GET", "/v2/droplets/1001");
    expect(read.get("droplet", "networks", "v4", 1, "ip_address")).to.equal("203.0.113.1");
    expect(() => rig.simulator.state.addDroplet({ id: 1001 })).to.throw("has droplet 1001 already");
  });

  it("are busy for as long as a test says, and off without an event", async () => {
    const { id } = rig.simulator.state.addDroplet();
    rig.simulator.state.startEvent(id, "snapshot", 60_000);
    await rig.clock.advance(59_999);
    expect((await rig.call("GET", `/v2/droplets/${id}`)).get("droplet", "locked")).to.equal(true);
    await rig.clock.advance(1);
    rig.simulator.state.setDropletStatus(id, "off");
    const read = await rig.call("GET", `/v2/droplets/${id}`);
    expect([read.get("droplet", "locked"), read.get("droplet", "status")]).to.deep.equal([false, "off"]);
  });
});

describe("DigitalOcean simulator: tags", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  it("keep the capitals of their creation and are found in any", async () => {
    await rig.call("POST", "/v2/tags", { name: "PROD" });
    const again = await rig.call("POST", "/v2/tags", { name: "prod" });
    expect([again.status, again.get("tag", "name")]).to.deep.equal([201, "PROD"]);
    expect((await rig.call("GET", "/v2/tags/prod")).get("tag", "name")).to.equal("PROD");
  });

  it("with other characters are refused with an error of its own shape", async () => {
    const refused = await rig.call("POST", "/v2/tags", { name: "a b" }, { wrong: true });
    expect([refused.status, refused.list("root_causes").length]).to.deep.equal([400, 1]);
  });

  it("count their droplets and name the last one", async () => {
    rig.simulator.state.addDroplet({ tags: ["web"] });
    const { id } = rig.simulator.state.addDroplet({ tags: ["web"] });
    const droplets = (await rig.call("GET", "/v2/tags/web")).get("tag", "resources", "droplets");
    expect(droplets).to.deep.equal({ count: 2, last_tagged_uri: `${rig.simulator.url}/v2/droplets/${id}` });
  });

  it("are taken off everything when they are deleted", async () => {
    const { id } = rig.simulator.state.addDroplet({ tags: ["web"] });
    const firewall = rig.simulator.state.firewalls.add({ name: "by-tag", tags: ["web"] });
    await rig.call("DELETE", "/v2/tags/web");
    expect(rig.simulator.state.droplet(id).tags).to.deep.equal([]);
    expect(rig.simulator.state.firewalls.get(firewall.id).config.tags).to.deep.equal([]);
  });

  it("are put on all droplets of a request or on none", async () => {
    const { id } = rig.simulator.state.addDroplet();
    await rig.call("POST", "/v2/tags", { name: "web" });
    const resources = [id, 1].map((each) => ({ resource_id: String(each), resource_type: "droplet" }));
    expect((await rig.call("POST", "/v2/tags/web/resources", { resources })).status).to.equal(404);
    expect(rig.simulator.state.droplet(id).tags).to.deep.equal([]);
  });
});
