import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { BOTH_MESSAGE } from "../../src/digitalocean/addresses/reserved-ips.js";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

const SHOP = { name: "shop", purpose: "Web Application" };

describe("DigitalOcean simulator: projects", () => {
  let rig: DigitalOceanRig;
  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });
  afterEach(() => rig.close());

  const urns = async (project: string) =>
    (await rig.call("GET", `/v2/projects/${project}/resources`))
      .list("resources")
      .map((one) => (one as { urn: string }).urn);

  it("has a default project, in which everything is created that names no other one", async () => {
    const { ip } = rig.simulator.state.addAddress();
    const droplet = rig.simulator.state.addDroplet();
    rig.simulator.state.dns.addDomain("example.com");
    const projects = await rig.call("GET", "/v2/projects");
    expect(projects.list("projects")).to.have.length(1);
    expect(projects.get("projects", 0)).to.include({ name: "Default", is_default: true });
    const expected = [`do:droplet:${droplet.id}`, "do:domain:example.com", `do:floatingip:${ip}`];
    expect(await urns("default")).to.deep.equal(expected);
    expect(await urns(projects.text("projects", 0, "id"))).to.deep.equal(expected);
  });

  it("creates an address in a project, and moves it to another one", async () => {
    const id = (await rig.call("POST", "/v2/projects", SHOP)).text("project", "id");
    const made = await rig.call("POST", "/v2/reserved_ips", { region: "nyc3", project_id: id });
    const ip = made.text("reserved_ip", "ip");
    expect(await urns(id)).to.deep.equal([`do:floatingip:${ip}`]);
    await rig.call("POST", "/v2/projects/default/resources", { resources: [`do:floatingip:${ip}`] });
    expect(await urns(id)).to.deep.equal([]);
    const { uuid } = rig.simulator.state.account;
    expect((await rig.call("GET", `/v2/reserved_ips/${ip}`)).get("reserved_ip", "project_id")).to.equal(uuid);
  });

  it("deletes no default project and none with resources", async () => {
    const id = (await rig.call("POST", "/v2/projects", SHOP)).text("project", "id");
    await rig.call("POST", "/v2/reserved_ips", { region: "nyc3", project_id: id });
    expect((await rig.call("DELETE", `/v2/projects/${id}`)).status).to.equal(412);
    expect((await rig.call("DELETE", `/v2/projects/${rig.simulator.state.account.uuid}`)).status).to.equal(412);
  });

  it("refuses a name twice, a missing purpose, and what the account does not have", async () => {
    await rig.call("POST", "/v2/projects", SHOP);
    expect((await rig.call("POST", "/v2/projects", SHOP)).status).to.equal(422);
    expect((await rig.call("POST", "/v2/projects", { name: "other" }, { wrong: true })).status).to.equal(422);
    const absent = { resources: ["do:droplet:1"] };
    expect((await rig.call("POST", "/v2/projects/default/resources", absent)).status).to.equal(404);
    expect((await rig.call("GET", "/v2/projects/00000000-0000-4000-8000-000000000000")).status).to.equal(404);
  });
});

describe("DigitalOcean simulator: requests of one form or the other", () => {
  let rig: DigitalOceanRig;
  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });
  afterEach(() => rig.close());

  for (const path of ["/v2/reserved_ips", "/v2/floating_ips"]) {
    it(`refuses POST ${path} with both a droplet and a region, and with neither`, async () => {
      const { id } = rig.simulator.state.addDroplet();
      const both = await rig.call("POST", path, { droplet_id: id, region: "nyc3" }, { wrong: true });
      expect([both.status, both.get("message")]).to.deep.equal([422, BOTH_MESSAGE]);
      expect((await rig.call("POST", path, {}, { wrong: true })).status).to.equal(422);
      expect(rig.simulator.state.addresses()).to.have.length(0);
    });
  }

  it("refuses a droplet with both a name and names", async () => {
    const body = { name: "a", names: ["b"], size: "s-1vcpu-1gb", image: "debian-12-x64" };
    expect((await rig.call("POST", "/v2/droplets", body, { wrong: true })).status).to.equal(422);
  });
});
