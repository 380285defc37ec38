import { expect } from "chai";
import { describe, it } from "mocha";
import { RECORD_MESSAGES } from "../../src/digitalocean/domains/record-rules.js";
import { type Answer, type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

const RECORDS = "/v2/domains/example.com/records";

describe("DigitalOcean simulator: domains and records", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig();
    rig.simulator.state.dns.addDomain("example.com");
  });

  afterEach(() => rig.close());

  const add = (name: string, data: string, more: object = {}) =>
    rig.call("POST", RECORDS, { type: "A", name, data, ...more });
  const refused = (answer: Answer) => [answer.status, answer.get("message")];
  const found = async (query: string) => (await rig.call("GET", `${RECORDS}${query}`)).list("domain_records");
  const ttls = (name: string) => rig.simulator.state.dns.records("example.com", name).map(({ ttl }) => ttl);

  it("starts a domain with its name servers, and an address at the apex if one is given", async () => {
    await rig.call("POST", "/v2/domains", { name: "example.org", ip_address: "198.51.100.1" });
    const types = rig.simulator.state.dns.records("example.org").map(({ type, name }) => `${type} ${name}`);
    expect(types).to.deep.equal(["SOA @", "NS @", "NS @", "NS @", "A @"]);
  });

  it("refuses a domain that is there already and knows none that is not", async () => {
    expect((await rig.call("POST", "/v2/domains", { name: "example.com" })).status).to.equal(422);
    expect((await rig.call("GET", "/v2/domains/example.net")).status).to.equal(404);
    expect((await rig.call("GET", "/v2/domains/example.net/records")).status).to.equal(404);
  });

  it("takes names as relative, in lower case, and @ for the apex", async () => {
    expect((await add("WWW", "198.51.100.1")).get("domain_record", "name")).to.equal("www");
    expect((await add("@", "198.51.100.1")).get("domain_record", "name")).to.equal("@");
    const mistaken = await add("www.example.com", "198.51.100.1");
    expect(mistaken.get("domain_record", "name")).to.equal("www.example.com");
    expect(await found("?name=www.example.com.example.com")).to.have.length(1);
  });

  it("takes a name that ends with a dot as absolute", async () => {
    expect((await add("api.example.com.", "198.51.100.1")).get("domain_record", "name")).to.equal("api");
  });

  it("filters by type and by fully qualified name, both or either", async () => {
    await add("www", "198.51.100.1");
    await rig.call("POST", RECORDS, { type: "AAAA", name: "www", data: "2001:db8::1" });
    expect(await found("?name=www.example.com")).to.have.length(2);
    expect(await found("?name=www.example.com&type=AAAA")).to.have.length(1);
    expect(await found("?type=NS")).to.have.length(3);
    expect(await found("?name=www")).to.have.length(0);
    expect(await found("?name=example.com&type=A")).to.have.length(0);
  });

  it("lets all records of a name share the TTL that was written last", async () => {
    const first = (await add("www", "198.51.100.1", { ttl: 60 })).number("domain_record", "id");
    await add("www", "198.51.100.2", { ttl: 300 });
    expect(ttls("www")).to.deep.equal([300, 300]);
    await rig.call("PATCH", `${RECORDS}/${first}`, { type: "A", ttl: 90 });
    expect(ttls("www")).to.deep.equal([90, 90]);
    expect((await add("www", "198.51.100.3")).get("domain_record", "ttl")).to.equal(90);
    expect((await add("other", "198.51.100.3")).get("domain_record", "ttl")).to.equal(1_800);
  });

  it("refuses a TTL below the minimum, which is a switch", async () => {
    expect(refused(await add("www", "198.51.100.1", { ttl: 29 }))).to.deep.equal([
      422,
      "TTL must be at least 30 seconds.",
    ]);
    rig.simulator.state.settings.switches.minimumRecordTtl = 1;
    expect((await add("www", "198.51.100.1", { ttl: 29 })).status).to.equal(201);
  });

  for (const [type, data, message] of [
    ["A", "2001:db8::1", RECORD_MESSAGES.notIpv4],
    ["AAAA", "198.51.100.1", RECORD_MESSAGES.notIpv6],
    ["CNAME", "example.org", RECORD_MESSAGES.noDot],
  ] as const) {
    it(`refuses ${data} in a record of type ${type}`, async () => {
      const answer = await rig.call("POST", RECORDS, { type, name: "www", data });
      expect(refused(answer)).to.deep.equal([422, message]);
    });
  }

  it("keeps host names without the dot that they must be sent with", async () => {
    const made = await rig.call("POST", RECORDS, { type: "CNAME", name: "www", data: "example.org." });
    expect(made.get("domain_record", "data")).to.equal("example.org");
  });

  it("lets no CNAME be beside other records nor at the apex", async () => {
    const cname = (name: string) => rig.call("POST", RECORDS, { type: "CNAME", name, data: "example.org." });
    await add("www", "198.51.100.1");
    expect(refused(await cname("www"))).to.deep.equal([422, RECORD_MESSAGES.cnameShares]);
    expect(refused(await cname("@"))).to.deep.equal([422, RECORD_MESSAGES.cnameApex]);
    await cname("alias");
    expect(refused(await add("alias", "198.51.100.1"))).to.deep.equal([422, RECORD_MESSAGES.cnameShares]);
  });

  it("refuses names that no host can have", async () => {
    for (const name of ["a b", "-a", "a..b", "a.*.b", "x".repeat(64)]) {
      expect(refused(await add(name, "198.51.100.1")), name).to.deep.equal([422, RECORD_MESSAGES.badName]);
    }
    expect((await add("*.apps", "198.51.100.1")).status).to.equal(201);
  });

  it("has a record twice when it is created twice, unless the switch forbids it", async () => {
    await add("www", "198.51.100.1");
    expect((await add("www", "198.51.100.1")).status).to.equal(201);
    rig.simulator.state.settings.switches.duplicateRecordRefused = true;
    expect(refused(await add("www", "198.51.100.1"))).to.deep.equal([422, RECORD_MESSAGES.duplicate]);
  });

  it("changes what is sent and keeps the rest, with PUT as with PATCH", async () => {
    const id = (await add("www", "198.51.100.1", { ttl: 60 })).number("domain_record", "id");
    for (const [method, data] of [
      ["PUT", "198.51.100.2"],
      ["PATCH", "198.51.100.3"],
    ] as const) {
      const changed = await rig.call(method, `${RECORDS}/${id}`, { type: "A", data });
      expect(changed.get("domain_record")).to.include({ id, name: "www", data, ttl: 60 });
    }
  });

  it("deletes a record, once", async () => {
    const id = (await add("www", "198.51.100.1")).number("domain_record", "id");
    expect((await rig.call("DELETE", `${RECORDS}/${id}`)).status).to.equal(204);
    expect((await rig.call("DELETE", `${RECORDS}/${id}`)).status).to.equal(404);
  });
});
