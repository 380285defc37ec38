import { expect } from "chai";
import { skip } from "flipop-testbed";
import { describe, it } from "mocha";
import { DIGITALOCEAN_ROUTES } from "../../src/digitalocean/api.js";
import { scopesFor } from "../../src/digitalocean/scopes.js";
import { routeKey } from "../../src/http/router.js";
import { digitalOceanOpenApi } from "../support/digitalocean-openapi.js";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";
import { NO_DESCRIPTION } from "../support/openapi.js";

const ROUTE_KEYS = DIGITALOCEAN_ROUTES.map((route) => routeKey(route));
const OPEN_API = digitalOceanOpenApi();

describe("DigitalOcean simulator against the official description", () => {
  let rig: DigitalOceanRig;

  before(function () {
    if (OPEN_API === undefined) skip(this, NO_DESCRIPTION);
  });

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
  });

  afterEach(() => rig.close());

  it("has the routes that are described", () => {
    const described = (OPEN_API?.operations ?? []).map(({ key }) => key);
    expect([...ROUTE_KEYS].sort()).to.deep.equal(described.sort());
  });

  it("asks for the scopes that are described", () => {
    for (const { key, scopes } of OPEN_API?.operations ?? []) {
      expect(scopesFor(key), key).to.have.members(scopes);
    }
  });

  it("answers every operation as described, complete and without unknown fields", async () => {
    OPEN_API?.hit.clear();
    await walkEverything(rig);
    expect(ROUTE_KEYS.filter((key) => !OPEN_API?.hit.has(key))).to.deep.equal([]);
    expect(ROUTE_KEYS.filter((key) => rig.simulator.journal.count({ on: key }) === 0)).to.deep.equal([]);
  });
});

/** Each operation at least once, with all that it can show. */
async function walkEverything(rig: DigitalOceanRig): Promise<void> {
  await rig.call("GET", "/v2/account");
  await rig.call("GET", "/v2/regions?per_page=3");
  const droplet = await walkDroplets(rig);
  for (const name of ["reserved_ips", "floating_ips"] as const) await walkAddresses(rig, name, droplet);
  await walkIpv6(rig, droplet);
  await walkByoip(rig, droplet);
  await rig.call("GET", "/v2/actions?per_page=2&page=2");
  await walkDomains(rig);
  await walkTagsAndFirewalls(rig, droplet);
  await walkProjects(rig, droplet);
  await rig.call("DELETE", "/v2/droplets?tag_name=web");
  await rig.call("DELETE", `/v2/droplets/${droplet}`);
}

async function walkDroplets({ call, clock }: DigitalOceanRig): Promise<number> {
  const body = { name: "a", region: "nyc3", size: "s-1vcpu-1gb", image: "debian-12-x64", tags: ["web"], ipv6: true };
  const { name: _, ...shared } = body;
  const one = await call("POST", "/v2/droplets", { ...body, tags: [] });
  await call("POST", "/v2/droplets", { ...shared, names: ["b", "c"] });
  await clock.advance(30_000);
  const id = one.number("droplet", "id");
  await call("GET", "/v2/droplets?tag_name=web");
  await call("GET", "/v2/droplets?type=gpus");
  await call("GET", `/v2/droplets/${id}`);
  const event = await call("POST", `/v2/droplets/${id}/actions`, { type: "power_cycle" });
  await call("GET", `/v2/droplets/${id}/actions/${event.number("action", "id")}`);
  await call("GET", `/v2/droplets/${id}/actions`);
  await call("GET", `/v2/actions/${event.number("action", "id")}`);
  await clock.advance(8_000);
  return id;
}

async function walkAddresses({ call, clock }: DigitalOceanRig, name: "reserved_ips" | "floating_ips", droplet: number) {
  const one = name.slice(0, -1);
  const list = `/v2/${name}`;
  const ip = (await call("POST", list, { region: "nyc3" })).text(one, "ip");
  await call("GET", `${list}/${ip}`);
  const action = await call("POST", `${list}/${ip}/actions`, { type: "assign", droplet_id: droplet });
  await clock.advance(4_000);
  await call("GET", `${list}/${ip}/actions/${action.number("action", "id")}`);
  await call("GET", `${list}/${ip}/actions`);
  await call("GET", `/v2/droplets/${droplet}`);
  await call("GET", list);
  await call("POST", `${list}/${ip}/actions`, { type: "unassign" });
  await clock.advance(3_000);
  await call("DELETE", `${list}/${ip}`);
  const held = (await call("POST", list, { droplet_id: droplet })).text(one, "ip");
  await clock.advance(4_000);
  await call("DELETE", `${list}/${held}`);
}

async function walkIpv6({ call, clock }: DigitalOceanRig, droplet: number): Promise<void> {
  const ip = (await call("POST", "/v2/reserved_ipv6", { region_slug: "nyc3" })).text("reserved_ipv6", "ip");
  await call("POST", `/v2/reserved_ipv6/${ip}/actions`, { type: "assign", droplet_id: droplet });
  await clock.advance(4_000);
  await call("GET", `/v2/reserved_ipv6/${ip}`);
  await call("GET", "/v2/reserved_ipv6");
  await call("POST", `/v2/reserved_ipv6/${ip}/actions`, { type: "unassign" });
  await clock.advance(3_000);
  await call("DELETE", `/v2/reserved_ipv6/${ip}`);
}

async function walkByoip({ call, clock }: DigitalOceanRig, droplet: number): Promise<void> {
  const body = { prefix: "203.0.113.0/24", region: "nyc3", signature: "signed" };
  const uuid = (await call("POST", "/v2/byoip_prefixes", body)).text("uuid");
  await clock.advance(60_000);
  await call("PATCH", `/v2/byoip_prefixes/${uuid}`, { advertise: true });
  await call("GET", `/v2/byoip_prefixes/${uuid}`);
  await call("GET", "/v2/byoip_prefixes");
  await call("POST", "/v2/reserved_ips/203.0.113.7/actions", { type: "assign", droplet_id: droplet });
  await clock.advance(4_000);
  await call("GET", `/v2/byoip_prefixes/${uuid}/ips`);
  await call("POST", "/v2/reserved_ips/203.0.113.7/actions", { type: "unassign" });
  await clock.advance(3_000);
  await call("DELETE", `/v2/byoip_prefixes/${uuid}`);
}

async function walkDomains({ call }: DigitalOceanRig): Promise<void> {
  await call("POST", "/v2/domains", { name: "example.com", ip_address: "198.51.100.1" });
  await call("GET", "/v2/domains");
  await call("GET", "/v2/domains/example.com");
  const records = "/v2/domains/example.com/records";
  const made = await call("POST", records, { type: "A", name: "www", data: "198.51.100.2", ttl: 60 });
  const id = made.number("domain_record", "id");
  await call("GET", `${records}?name=www.example.com&type=A`);
  await call("GET", `${records}?per_page=2`);
  await call("GET", `${records}/${id}`);
  await call("PUT", `${records}/${id}`, { type: "A", data: "198.51.100.3" });
  await call("PATCH", `${records}/${id}`, { type: "A", ttl: 90 });
  await call("DELETE", `${records}/${id}`);
  await call("DELETE", "/v2/domains/example.com");
}

async function walkProjects({ call }: DigitalOceanRig, droplet: number): Promise<void> {
  const content = { name: "shop", description: "the shop", purpose: "Web Application", environment: "Staging" };
  const id = (await call("POST", "/v2/projects", content)).text("project", "id");
  await call("GET", "/v2/projects?per_page=1");
  for (const item of ["/v2/projects/default", `/v2/projects/${id}`]) {
    const { name, ...rest } = content;
    await call("GET", item);
    await call("PUT", item, { ...rest, name: `${name} ${item.length}`, is_default: item.endsWith("default") });
    await call("PATCH", item, { description: "changed" });
    await call("POST", `${item}/resources`, { resources: [`do:droplet:${droplet}`] });
    await call("GET", `${item}/resources`);
  }
  await call("POST", "/v2/projects/default/resources", { resources: [`do:droplet:${droplet}`] });
  await call("DELETE", `/v2/projects/${id}`);
}

async function walkTagsAndFirewalls({ call, clock }: DigitalOceanRig, droplet: number): Promise<void> {
  await call("POST", "/v2/tags", { name: "edge" });
  await call("GET", "/v2/tags");
  const resources = [{ resource_id: String(droplet), resource_type: "droplet" }];
  await call("POST", "/v2/tags/edge/resources", { resources });
  await call("GET", "/v2/tags/edge");
  const inbound = { protocol: "tcp", ports: "80", sources: { addresses: ["0.0.0.0/0", "::/0"], tags: ["edge"] } };
  const outbound = { protocol: "icmp", ports: "0", destinations: { addresses: ["0.0.0.0/0"] } };
  const body = { name: "open", inbound_rules: [inbound], outbound_rules: [outbound], tags: ["edge"] };
  const id = (await call("POST", "/v2/firewalls", body)).text("firewall", "id");
  const item = `/v2/firewalls/${id}`;
  await call("POST", `${item}/droplets`, { droplet_ids: [droplet] });
  await call("GET", item);
  await call("DELETE", `${item}/droplets`, { droplet_ids: [droplet] });
  await call("POST", `${item}/tags`, { tags: ["web"] });
  await call("DELETE", `${item}/tags`, { tags: ["web"] });
  await call("POST", `${item}/rules`, { inbound_rules: [{ ...inbound, ports: "443" }] });
  await call("DELETE", `${item}/rules`, { inbound_rules: [inbound] });
  await clock.advance(5_000);
  await call("GET", "/v2/firewalls");
  await call("PUT", item, { name: "open", inbound_rules: [inbound] });
  await call("DELETE", item);
  await call("DELETE", "/v2/tags/edge/resources", { resources });
  await call("DELETE", "/v2/tags/edge");
}
