import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { Redactor } from "../../src/logging.js";
import { cloudflare } from "../../src/providers/cloudflare/index.js";
import { fixedToken } from "../../src/providers/credentials.js";
import { digitalOcean } from "../../src/providers/digitalocean/index.js";
import { Answer, MalformedAnswer } from "../../src/providers/http.js";
import type { ProviderSet } from "../../src/providers/layers/compose.js";
import { direct } from "../../src/providers/layers/deadlines-and-retries.js";
import { answer, errorOf, HttpRig } from "../support/http-rig.js";
import { ASKER } from "./conformance/benches.js";

const ZONE_ID = "0123456789abcdef0123456789abcdef";
const RESERVED = { ip: "203.0.113.7", droplet: null, region: { slug: "nyc3" }, locked: false, project_id: "p" };
const ZONE = { id: ZONE_ID, name: "example.com" };
const BUILD = { digitalocean: digitalOcean.build, cloudflare: cloudflare.build };

/** A page of 30,000 records, and another page after it; the fifth page is the last, so that a test of a broken operator ends. */
function endlessPage(url: string): object {
  if (!url.includes("records")) return { success: true, result: ZONE };
  const page = Number(new URL(url, "http://cloud").searchParams.get("page"));
  const numbers = Array.from({ length: 30_000 }, (_, index) => page * 30_000 + index);
  const found = page < 5 ? numbers : [];
  return {
    success: true,
    result: found.map((id) => ({
      id: String(id),
      type: "A",
      name: "www.example.com",
      content: "203.0.113.7",
      ttl: 60,
    })),
    result_info: {},
    domain_records: found.map((id) => ({ id, type: "A", name: "www", data: "203.0.113.7", ttl: 60 })),
    links: page < 5 ? { pages: { next: "x" } } : {},
    meta: { total: 90_000 },
  };
}

describe("a hostile cloud", () => {
  const rigs: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const rig of rigs.splice(0).reverse()) await rig.close();
  });

  async function startServer(): Promise<HttpRig> {
    const rig = await HttpRig.create();
    rigs.push(rig);
    return rig;
  }

  function setOf(provider: keyof typeof BUILD, baseUrl: string): ProviderSet {
    const credentials = fixedToken("dop_v1_0123456789", new Redactor());
    const setup = { credentials, run: direct, userAgent: "flipop-test", env: {}, now: () => 0, monotonic: () => 0 };
    const set = BUILD[provider]({ ...setup, baseUrl });
    rigs.push(set);
    return set;
  }

  function recordsOf(set: ProviderSet, zone: string): Promise<unknown> {
    return (set.dns ?? expect.fail("no DNS")).read(ASKER, { zone, name: "www", types: ["A"] });
  }

  for (const provider of ["digitalocean", "cloudflare"] as const) {
    for (const status of [301, 302, 307, 308]) {
      it(`of ${provider} gets no request, and so no token, to another host by a redirect with ${status}`, async () => {
        const [cloud, other] = [await startServer(), await startServer()];
        cloud.handler = (_request, response) => answer(response, status, {}, { location: `${other.url}/v2/elsewhere` });

        const error = await errorOf(recordsOf(setOf(provider, cloud.url), ZONE_ID));

        expect(error).to.have.property("name", "ProviderError");
        expect([cloud.seen.length > 0, other.seen.length]).to.deep.equal([true, 0]);
      });
    }

    it(`of ${provider} gets none to another host by the link to the next page`, async () => {
      const [cloud, other] = [await startServer(), await startServer()];
      const links = { pages: { next: `${other.url}/v2/next`, last: `${other.url}/v2/last` } };
      const header = { link: `<${other.url}/next>; rel="next"` };
      const zone = { id: ZONE_ID, name: "example.com" };
      cloud.handler = ({ url = "" }, response) => {
        const body = {
          success: true,
          errors: [],
          result: url.includes("dns_records") ? [] : zone,
          result_info: {},
          links,
        };
        const records = [{ id: 1, type: "A", name: "other", data: "203.0.113.7", ttl: 60 }];
        answer(response, 200, { ...body, domain_records: records, meta: { total: 2 } }, header);
      };

      await recordsOf(setOf(provider, cloud.url), ZONE_ID).catch(() => undefined);

      expect([cloud.seen.length > 0, other.seen.length]).to.deep.equal([true, 0]);
    });
  }

  for (const provider of ["digitalocean", "cloudflare"] as const) {
    it(`of ${provider} gets no list without an end into the memory of the operator`, async () => {
      const cloud = await startServer();
      cloud.handler = ({ url = "" }, response) => answer(response, 200, endlessPage(url));

      const error = await errorOf(recordsOf(setOf(provider, cloud.url), ZONE_ID));

      expect(error).to.include({ kind: "Unavailable", reason: "ListTooLong" });
      expect(cloud.seen.length).to.be.below(10);
    });

    it(`of ${provider} gets no page with a million items there either`, async () => {
      const cloud = await startServer();
      const million = Array.from({ length: 1_000_000 }, () => ({}));
      const body = { success: true, domain_records: million, links: {}, meta: { total: 1_000_000 } };
      cloud.handler = ({ url = "" }, response) =>
        answer(response, 200, { ...body, result: url.includes("dns_records") ? million : ZONE });

      const error = await errorOf(recordsOf(setOf(provider, cloud.url), ZONE_ID));

      expect(error).to.include({ kind: "Unavailable", reason: "MalformedAnswer" });
      expect(String(error)).to.include("1,000,000 items");
    });
  }

  it("is refused with a body of brackets alone, however deep", async () => {
    const cloud = await startServer();
    cloud.handler = (_request, response) => response.end("[".repeat(4_000_000));
    const addresses = setOf("digitalocean", cloud.url).addresses ?? expect.fail("no addresses");
    const error = await errorOf(addresses.list(ASKER, { family: "IPv4", named: [] }));
    expect(error).to.include({ kind: "Unavailable", reason: "MalformedAnswer" });
  });

  it("changes no object of the operator by members such as __proto__, and none stands for one that is missing", async () => {
    const cloud = await startServer();
    const polluting =
      '"__proto__": {"polluted": true, "locked": true}, "constructor": {"prototype": {"polluted": true}}';
    const item = JSON.stringify(RESERVED).replace("{", `{${polluting}, `);
    cloud.handler = (_request, response) =>
      response.end(`{${polluting}, "reserved_ips": [${item}], "links": {}, "meta": {"total": 1}}`);
    const addresses = setOf("digitalocean", cloud.url).addresses ?? expect.fail("no addresses");
    const list = await addresses.list(ASKER, { family: "IPv4", named: [] });

    expect(list).to.have.length(1);
    expect(list[0]).not.to.have.property("action");
    expect({}).not.to.have.property("polluted");
    const inherited = Answer.parse('{"__proto__": {"id": "x"}}');
    for (const key of ["id", "toString", "constructor"]) expect(inherited.at(key).missing, key).to.equal(true);
    expect(() => Answer.of("text").at("length")).to.throw(MalformedAnswer);
  });
});

describe("a path of DigitalOcean's API", () => {
  const rigs: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const rig of rigs.splice(0).reverse()) await rig.close();
  });

  async function start(provider: "digitalocean" | "cloudflare" = "digitalocean") {
    const cloud = await HttpRig.create();
    const credentials = fixedToken("dop_v1_0123456789", new Redactor());
    const setup = { credentials, run: direct, userAgent: "flipop-test", env: {}, now: () => 0, monotonic: () => 0 };
    const set = BUILD[provider]({ ...setup, baseUrl: cloud.url });
    rigs.push(cloud, set);
    return { cloud, set };
  }

  // A URL with ".." leads elsewhere: zone "..." once sent GET, POST and PUT to /v2/records.
  for (const zone of ["...", "..", ".", " ", "a..b", "../.."]) {
    it(`is not left by zone ${JSON.stringify(zone)}: nothing is sent, and the error names the field`, async () => {
      const { cloud, set } = await start();
      const error = await errorOf(
        Promise.resolve().then(() => set.dns?.read(ASKER, { zone, name: "www", types: ["A"] })),
      );
      expect(error).to.include({ kind: "Terminal", outcome: "not-sent" });
      expect(String(error)).to.include("dnsRecordSet.zone");
      expect(cloud.seen).to.deep.equal([]);
    });
  }

  const MISTAKES = [
    ["example.com..", "it ends with more than one dot"],
    [".example.com", "it begins with a dot"],
    ["example..com", "it has two dots side by side"],
    ["example.com/a", "it contains a slash"],
    ["example com", "it contains a space"],
  ] as const;
  for (const provider of ["digitalocean", "cloudflare"] as const) {
    for (const [zone, mistake] of MISTAKES) {
      it(`of zone ${zone} at ${provider} is not asked for: the error quotes the zone as written, and names the mistake`, async () => {
        const { cloud, set } = await start(provider);
        const read = () => set.dns?.read(ASKER, { zone, name: "www", types: ["A"] });
        const name = () => set.dns?.fqdn(ASKER, { zone, name: "www", types: [] });
        for (const call of [read, name]) {
          const error = await errorOf(Promise.resolve().then<unknown>(call));
          expect(error).to.include({ kind: "Terminal", outcome: "not-sent" });
          expect(String(error)).to.include(`zone "${zone}": it is not the name of a zone: ${mistake}`);
        }
        expect(cloud.seen).to.deep.equal([]);
      });
    }
  }

  for (const id of ["..", ".", ""]) {
    it(`is not left by ${JSON.stringify(id)} as the id of a firewall: nothing is sent`, async () => {
      const { cloud, set } = await start();
      const error = await errorOf(Promise.resolve().then(() => set.firewalls?.remove(ASKER, { id, name: "web" })));
      expect(error).to.include({ kind: "Terminal", outcome: "not-sent" });
      expect(cloud.seen).to.deep.equal([]);
    });
  }
});
