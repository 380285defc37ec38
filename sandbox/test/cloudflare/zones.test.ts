import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { type CloudflareRig, startCloudflareRig } from "../support/cloudflare-rig.js";

describe("simulated Cloudflare: zones and tokens", () => {
  let rig: CloudflareRig;
  afterEach(() => rig.close());

  it("lists zones by name, in any case", async () => {
    rig = await startCloudflareRig({ zones: [{ name: "example.com" }, { name: "example.net" }] });
    const answer = await rig.call("GET", "/zones?name=Example.NET");
    expect([answer.get("result_info", "total_count"), answer.get("result", 0, "name")]).to.deep.equal([
      1,
      "example.net",
    ]);
  });

  it("gives 20 zones a page, and an empty page behind the last", async () => {
    rig = await startCloudflareRig({
      zones: Array.from({ length: 21 }, (_, index) => ({ name: `z${index}.example` })),
    });
    const counts = [];
    for (const page of [1, 2, 3])
      counts.push((await rig.call("GET", `/zones?page=${page}`)).get("result_info", "count"));
    expect(counts).to.deep.equal([20, 1, 0]);
  });

  it("refuses pages that cannot be", async () => {
    rig = await startCloudflareRig();
    const statuses = [];
    for (const query of ["per_page=51", "per_page=4", "page=0", "page=x"]) {
      statuses.push((await rig.call("GET", `/zones?${query}`)).status);
    }
    expect(statuses).to.deep.equal([400, 400, 400, 400]);
  });

  it("sorts zones by account where that is asked for, and backwards", async () => {
    const zones = ["b", "a", "c"].map((name) => ({ name: `${name}.example`, account: name }));
    rig = await startCloudflareRig({ zones });
    const answer = await rig.call("GET", "/zones?order=account.id&direction=desc");
    const ids = [0, 1, 2].map((index) => String(answer.get("result", index, "account", "id")));
    expect(ids).to.deep.equal([...ids].sort().reverse());
  });

  it("gives a zone by its id", async () => {
    rig = await startCloudflareRig();
    const answer = await rig.call("GET", `/zones/${rig.simulator.zone("example.com").id}`);
    expect(answer.get("result", "name")).to.equal("example.com");
  });

  it("cannot route to a name in the id's place", async () => {
    rig = await startCloudflareRig();
    const answer = await rig.call("GET", "/zones/example.com/dns_records");
    expect([answer.status, answer.codes, answer.get("errors", 0, "message")]).to.deep.equal([
      404,
      [7003],
      "Could not route to /client/v4/zones/example.com/dns_records, perhaps your object identifier is invalid?",
    ]);
  });

  it("does not know other ids, and says no more to a token for some zones only", async () => {
    rig = await startCloudflareRig();
    const secret = "some-zones-only-00000000000000000000000";
    rig.simulator.tokens.add({ name: "some", secret, zones: ["example.com"] });
    const path = `/zones/${"0".repeat(32)}`;
    const answers = [await rig.call("GET", path), await rig.call("GET", path, undefined, { token: secret })];
    expect(answers.map(({ status, codes }) => [status, ...codes])).to.deep.equal([
      [404, 1001],
      [403, 9109],
    ]);
  });

  it("shows a token for some zones only those, and no records of others", async () => {
    rig = await startCloudflareRig({ zones: [{ name: "example.com" }, { name: "example.net" }] });
    const token = "some-zones-only-00000000000000000000000";
    rig.simulator.tokens.add({ name: "some", secret: token, zones: ["example.com"] });
    const zones = await rig.call("GET", "/zones", undefined, { token });
    const other = `/zones/${rig.simulator.zone("example.net").id}/dns_records`;
    const records = await rig.call("GET", other, undefined, { token });
    expect([zones.get("result_info", "total_count"), zones.get("result", 0, "name"), records.status]).to.deep.equal([
      ...[1, "example.com"],
      403,
    ]);
  });

  it("refuses wrong credentials as the API does", async () => {
    rig = await startCloudflareRig();
    const answers = [];
    for (const token of [null, "no token", "unknown-token"]) {
      answers.push(await rig.call("GET", "/zones", undefined, { token }));
    }
    expect(answers.map(({ status, codes }) => [status, ...codes])).to.deep.equal([
      [400, 9106],
      [400, 6003, 6111],
      [403, 9109],
    ]);
  });

  it("lets a token for DNS alone change records, but neither list nor read zones", async () => {
    rig = await startCloudflareRig();
    const token = "dns-only-0000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "dns", secret: token, scopes: ["dns:edit"] });
    const path = `/zones/${rig.simulator.zone("example.com").id}`;
    const body = { type: "A", name: "www", content: "192.0.2.1", ttl: 60 };
    const zones = await rig.call("GET", "/zones", undefined, { token });
    const answers = [
      await rig.call("GET", path, undefined, { token }),
      await rig.call("GET", `${path}/dns_records`, undefined, { token }),
      await rig.call("POST", `${path}/dns_records`, body, { token }),
    ];
    expect([zones.get("result"), ...answers.map(({ status }) => status)]).to.deep.equal([[], 403, 200, 200]);
  });

  it("refuses changes to a token that may only read", async () => {
    rig = await startCloudflareRig();
    const token = "read-only-000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "read", secret: token, scopes: ["zone:read", "dns:read"] });
    const path = `/zones/${rig.simulator.zone("example.com").id}/dns_records/batch`;
    const answer = await rig.call("POST", path, { deletes: [{ id: "0".repeat(32) }] }, { token });
    expect([answer.status, answer.codes]).to.deep.equal([403, [10000]]);
  });

  it("blocks all calls for 5 minutes after one too many, and says for how long", async () => {
    rig = await startCloudflareRig({ rateLimit: { calls: 3 } });
    const statuses = [];
    for (const _ of [1, 2, 3, 4]) statuses.push((await rig.call("GET", "/zones")).status);
    await rig.clock.advance(299_000);
    const blocked = await rig.call("GET", "/zones");
    await rig.clock.advance(1_000);
    const after = await rig.call("GET", "/zones");
    expect(statuses).to.deep.equal([200, 200, 200, 429]);
    expect([blocked.status, blocked.headers["retry-after"], blocked.codes, after.status]).to.deep.equal([
      ...[429, "1"],
      [10100],
      200,
    ]);
  });

  it("sends the limit and what is left of it", async () => {
    rig = await startCloudflareRig();
    const { headers } = await rig.call("GET", "/zones");
    expect([headers["ratelimit"], headers["ratelimit-policy"]]).to.deep.equal([
      '"default";r=1199;t=300',
      '"default";q=1200;w=300',
    ]);
  });

  it("names routes that it does not have, and bodies that are no JSON", async () => {
    rig = await startCloudflareRig();
    const path = `/zones/${rig.simulator.zone("example.com").id}/dns_records`;
    const malformed = await rig.call("POST", path, "{");
    expect([malformed.status, malformed.codes]).to.deep.equal([400, [6007]]);
  });

  it("answers whether a token works, without any right", async () => {
    rig = await startCloudflareRig();
    rig.simulator.tokens.add({ name: "bare", secret: "bare-bare-bare-bare-bare-bare-bare-bare-", scopes: [] });
    const token = "bare-bare-bare-bare-bare-bare-bare-bare-";
    const works = await rig.call("GET", "/user/tokens/verify", undefined, { token });
    expect([works.status, works.get("result", "status")]).to.deep.equal([200, "active"]);
    expect(works.get("result", "id")).to.match(/^[0-9a-f]{32}$/);
    const unknown = await rig.call("GET", "/user/tokens/verify", undefined, { token: `${token}x` });
    expect([unknown.status, ...unknown.codes]).to.deep.equal([401, 1000]);
  });
});
