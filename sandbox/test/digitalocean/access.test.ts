import { expect } from "chai";
import { describe, it } from "mocha";
import { type DigitalOceanRig, startDigitalOceanRig } from "../support/digitalocean-rig.js";

describe("DigitalOcean simulator: access", () => {
  let rig: DigitalOceanRig;

  afterEach(() => rig.close());

  it("answers 401 without a token, with a wrong one and with a revoked one", async () => {
    rig = await startDigitalOceanRig();
    const status = async (token: string | null) => (await rig.call("GET", "/v2/account", undefined, { token })).status;
    expect([await status(null), await status("wrong"), await status(rig.simulator.token)]).to.deep.equal([
      401, 401, 200,
    ]);
    rig.simulator.tokens.revoke(rig.simulator.token);
    expect(await status(rig.simulator.token)).to.equal(401);
  });

  it("answers 403 to a token without the scope, and does nothing", async () => {
    rig = await startDigitalOceanRig({ tokens: [{ name: "reader", secret: "r", scopes: ["reserved_ip:read"] }] });
    expect((await rig.call("GET", "/v2/reserved_ips")).status).to.equal(200);
    expect((await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" })).status).to.equal(403);
    expect(rig.simulator.state.addresses()).to.have.length(0);
  });

  it("keeps the token's name in the journal and its secret out of it", async () => {
    rig = await startDigitalOceanRig({ tokens: [{ name: "operator", secret: "very-secret" }] });
    await rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
    expect(rig.simulator.journal.entries[0]?.caller).to.equal("operator");
    expect(JSON.stringify(rig.simulator.journal.entries)).not.to.contain("very-secret");
  });

  it("answers 400 to a body that is not JSON and 404 to a path that is not there", async () => {
    rig = await startDigitalOceanRig();
    const broken = await rig.call("POST", "/v2/reserved_ips", "{", { wrong: true });
    expect([broken.status, broken.get("id")]).to.deep.equal([400, "bad_request"]);
    const nowhere = await rig.call("GET", "/v2/nothing", undefined, { damaged: true });
    expect([nowhere.status, nowhere.get("id")]).to.deep.equal([404, "not_found"]);
  });

  it("gives the same ids and addresses for the same seed, others for another", async () => {
    const ips: string[] = [];
    for (const seed of [7, 7, 8]) {
      const fresh = await startDigitalOceanRig({ seed });
      ips.push((await fresh.call("POST", "/v2/reserved_ips", { region: "nyc3" })).text("reserved_ip", "ip"));
      await fresh.close();
    }
    rig = await startDigitalOceanRig();
    expect(ips[1]).to.equal(ips[0]);
    expect(ips[2]).not.to.equal(ips[0]);
  });
});

describe("DigitalOcean simulator: pages", () => {
  let rig: DigitalOceanRig;

  beforeEach(async () => {
    rig = await startDigitalOceanRig({ prefix: "/gateway" });
    for (let count = 0; count < 45; count++) rig.simulator.state.addAddress();
  });

  afterEach(() => rig.close());

  const page = async (query: string) => {
    const answer = await rig.call("GET", `/v2/reserved_ips${query}`);
    const links = answer.get("links", "pages") as Record<string, string> | undefined;
    const numbers = Object.entries(links ?? {}).map(([name, url]) => [name, new URL(url).searchParams.get("page")]);
    return { count: answer.list("reserved_ips").length, links: Object.fromEntries(numbers) as object, answer };
  };

  it("have 20 items, next and last on the first, first and prev on the last", async () => {
    expect(await page("")).to.deep.include({ count: 20, links: { next: "2", last: "3" } });
    expect(await page("?page=2")).to.deep.include({
      count: 20,
      links: { first: "1", prev: "1", next: "3", last: "3" },
    });
    expect(await page("?page=3")).to.deep.include({ count: 5, links: { first: "1", prev: "2" } });
    expect(await page("?page=4")).to.deep.include({ count: 0, links: { first: "1", prev: "3" } });
  });

  it("show the total, and have no links where all fits on one", async () => {
    const { count, links, answer } = await page("?per_page=50");
    expect([count, links, answer.get("meta", "total")]).to.deep.equal([45, {}, 45]);
  });

  it("have 200 items at most", async () => {
    for (let count = 0; count < 200; count++) rig.simulator.state.addAddress();
    const answer = await rig.call("GET", "/v2/reserved_ips?per_page=1000", undefined, { wrong: true });
    expect(answer.list("reserved_ips")).to.have.length(200);
  });

  it("are linked with the prefix and the query, and the links work", async () => {
    const { answer } = await page("?per_page=10");
    const next = answer.text("links", "pages", "next");
    expect(next).to.equal(`${rig.simulator.url}/v2/reserved_ips?per_page=10&page=2`);
    const followed = await fetch(next, { headers: { authorization: `Bearer ${rig.simulator.token}` } });
    expect(followed.status).to.equal(200);
  });
});

describe("DigitalOcean simulator: limits of calls", () => {
  let rig: DigitalOceanRig;

  const account = () => rig.call("GET", "/v2/account");
  const header = async (name: string) => Number((await account()).headers[name]);

  afterEach(() => rig.close());

  it("has DigitalOcean's limits unless an option changes them", async () => {
    rig = await startDigitalOceanRig();
    expect(rig.simulator.state.settings.limits).to.deep.equal({ perHour: 5_000, perMinute: 250, createsPerMinute: 12 });
  });

  it("sends the limit, what is left of the hour and when the oldest call expires", async () => {
    rig = await startDigitalOceanRig();
    expect(await header("ratelimit-remaining")).to.equal(4_999);
    const first = rig.clock.now();
    await rig.clock.advance(600_000);
    expect(await header("ratelimit-reset")).to.equal(Math.ceil((first + 3_600_000) / 1_000));
    await rig.clock.advance(3_000_000);
    expect(await header("ratelimit-remaining")).to.equal(4_998);
    expect(await header("ratelimit-limit")).to.equal(5_000);
  });

  it("refuses a burst with retry-after, and lets calls in again when the window has slid on", async () => {
    rig = await startDigitalOceanRig({ limits: { perMinute: 2 } });
    await account();
    await rig.clock.advance(20_000);
    await account();
    const refused = await account();
    expect([refused.status, refused.headers["retry-after"]]).to.deep.equal([429, "40"]);
    await rig.clock.advance(40_000);
    expect((await account()).status).to.equal(200);
    expect((await account()).status).to.equal(429);
  });

  it("refuses beyond the hour's limit without retry-after", async () => {
    rig = await startDigitalOceanRig({ limits: { perHour: 2 } });
    await account();
    await account();
    const refused = await account();
    expect([refused.status, refused.headers["retry-after"]]).to.deep.equal([429, undefined]);
    expect(refused.headers["ratelimit-remaining"]).to.equal("0");
    await rig.clock.advance(3_600_000);
    expect((await account()).status).to.equal(200);
  });

  it("counts each token by itself and can be queried for the 429s", async () => {
    const tokens = ["a", "b"].map((secret) => ({ name: secret, secret }));
    rig = await startDigitalOceanRig({ limits: { perMinute: 1 }, tokens });
    const call = async (token: string) => (await rig.call("GET", "/v2/account", undefined, { token })).status;
    expect([await call("a"), await call("a"), await call("b")]).to.deep.equal([200, 429, 200]);
    expect(rig.simulator.journal.count({ status: 429 })).to.equal(1);
    expect(rig.simulator.journal.count({ status: 429, caller: "b" })).to.equal(0);
  });

  it("throttles creations of addresses, without retry-after", async () => {
    rig = await startDigitalOceanRig({ account: { reservedIpLimit: 100 } });
    const create = () => rig.call("POST", "/v2/reserved_ips", { region: "nyc3" });
    for (let count = 0; count < 12; count++) expect((await create()).status).to.equal(202);
    const refused = await create();
    expect([refused.status, refused.headers["retry-after"]]).to.deep.equal([429, undefined]);
    await rig.clock.advance(60_000);
    expect((await create()).status).to.equal(202);
  });
});
