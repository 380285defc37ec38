import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type CloudflareAnswer, type CloudflareRig, startCloudflareRig } from "../support/cloudflare-rig.js";

describe("simulated Cloudflare: records", () => {
  let rig: CloudflareRig;
  let path: string;
  beforeEach(async () => {
    const zones = [{ name: "example.com" }, { name: "big.example", plan: "enterprise" as const }];
    rig = await startCloudflareRig({ zones });
    path = recordsOf("example.com");
  });
  afterEach(() => rig.close());

  const recordsOf = (zone: string) => `/zones/${rig.simulator.zone(zone).id}/dns_records`;
  const post = (body: object) => rig.call("POST", path, body);
  const a = (name: string, content: string, more: object = {}) => ({ type: "A", name, content, ttl: 60, ...more });
  const seen = ({ status, codes }: CloudflareAnswer) => [status, ...codes];

  it("takes names relative or full, in any case, and @ for the zone itself", async () => {
    const names = ["www", "WWW.Example.com.", "@", "example.com", "*.apps", "münchen"];
    const answers = [];
    for (const [index, name] of names.entries()) answers.push(await post(a(name, `192.0.2.${index}`)));
    expect(answers.map((answer) => answer.get("result", "name"))).to.deep.equal([
      ...["www.example.com", "www.example.com", "example.com", "example.com", "*.apps.example.com"],
      "xn--mnchen-3ya.example.com",
    ]);
  });

  it("takes a name of another zone as relative to its own", async () => {
    const answer = await post(a("www.example.net", "192.0.2.1"));
    expect(answer.get("result", "name")).to.equal("www.example.net.example.com");
  });

  it("refuses fields that cannot be, with the code of each under the general one", async () => {
    const wrong = [
      a("no spaces", "192.0.2.1"),
      a("www", "192.0.2.256"),
      { type: "AAAA", name: "www", content: "192.0.2.1" },
      { type: "CNAME", name: "www", content: "" },
      { type: "WKS", name: "www", content: "x" },
      a("www", "192.0.2.1", { comment: "x".repeat(101) }),
      a("www", "192.0.2.1", { tags: ["a:b"] }),
    ];
    const codes = [];
    for (const body of wrong) codes.push(seen(await post(body)));
    const chain = [9000, 9005, 9006, 9007, 9004, 9313, 9300];
    expect(codes).to.deep.equal(chain.map((code) => [400, 1004, code]));
  });

  it("takes a TTL of 1 or 60 to 86400, on the Enterprise plan from 30", async () => {
    const accepted = async (ttl: number) => (await post(a(`t${ttl}`, "192.0.2.1", { ttl }))).status === 200;
    const free = [];
    for (const ttl of [0, 1, 2, 59, 60, 86_400, 86_401, 60.5]) free.push(await accepted(ttl));
    path = recordsOf("big.example");
    const enterprise = [await accepted(29), await accepted(30)];
    expect([free, enterprise]).to.deep.equal([
      [false, true, false, false, true, true, false, false],
      [false, true],
    ]);
  });

  it("decides on the TTL of proxied records itself, and gives it back when they are not", async () => {
    const made = await post(a("www", "192.0.2.1", { proxied: true, ttl: 300 }));
    const record = `${path}/${String(made.get("result", "id"))}`;
    const kept = await rig.call("PATCH", record, { ttl: 600 });
    const bare = await rig.call("PATCH", record, { ttl: 600, proxied: false });
    expect([made, kept, bare].map((answer) => answer.get("result", "ttl"))).to.deep.equal([1, 1, 600]);
  });

  it("refuses a second record of the same content, whether its settings differ or not", async () => {
    await post(a("www", "192.0.2.1"));
    expect([
      seen(await post(a("www", "192.0.2.1"))),
      seen(await post(a("www", "192.0.2.1", { ttl: 61 }))),
    ]).to.deep.equal([
      [400, 81058],
      [400, 81057],
    ]);
  });

  it("refuses addresses beside a CNAME, and a CNAME beside addresses", async () => {
    await post({ type: "CNAME", name: "alias", content: "example.net" });
    await post(a("www", "192.0.2.1"));
    const answers = [
      await post(a("alias", "192.0.2.1")),
      await post({ type: "CNAME", name: "www", content: "x.example" }),
    ];
    expect(answers.map(seen)).to.deep.equal([
      [400, 81054],
      [400, 81053],
    ]);
  });

  it("does not know records that were never there, and cannot route to what is no id", async () => {
    const answers = [await rig.call("PATCH", `${path}/${"0".repeat(32)}`, {}), await rig.call("DELETE", `${path}/www`)];
    expect(answers.map(seen)).to.deep.equal([
      [404, 81044],
      [404, 7003],
    ]);
  });

  it("resets what PUT leaves out, and keeps what PATCH leaves out", async () => {
    const made = await post(a("www", "192.0.2.1", { comment: "mine", ttl: 300 }));
    const record = `${path}/${String(made.get("result", "id"))}`;
    const patched = await rig.call("PATCH", record, { content: "192.0.2.2" });
    const put = await rig.call("PUT", record, { type: "A", name: "www", content: "192.0.2.3" });
    const facts = (answer: CloudflareAnswer) => [answer.get("result", "ttl"), answer.get("result", "comment")];
    expect([facts(patched), facts(put)]).to.deep.equal([
      [300, "mine"],
      [1, null],
    ]);
  });

  it("ends at the quota of the plan", async () => {
    for (let index = 0; index < 1_000; index++) {
      rig.simulator.addRecord("example.com", { type: "TXT", name: `t${index}`, content: "x" });
    }
    expect(seen(await post(a("www", "192.0.2.1")))).to.deep.equal([400, 81045]);
  });

  it("filters by name, type, content and comment, all or any, in any case", async () => {
    await post(a("www", "192.0.2.1", { comment: "Ours" }));
    await post(a("www", "192.0.2.2"));
    await post({ type: "AAAA", name: "www", content: "2001:db8::1", ttl: 60 });
    await post(a("other", "192.0.2.1"));
    const queries = [
      ...["name=WWW.example.com", "name.exact=www.example.com&type=A", "name.exact=www", "content=192.0.2.1"],
      ...["name.startswith=oth", "name.endswith=example.com", "name.contains=the", "comment.exact=ours"],
      ...["comment.present=true", "comment.absent=true", "type=AAAA&content=192.0.2.2&match=any", "proxied=true"],
    ];
    const counts = [];
    for (const query of queries) {
      counts.push((await rig.call("GET", `${path}?${query}`)).get("result_info", "total_count"));
    }
    expect(counts).to.deep.equal([3, 2, 0, 2, 1, 4, 1, 1, 1, 3, 2, 0]);
  });

  it("sorts where that is asked for, and refuses an order that it does not have", async () => {
    for (const content of ["192.0.2.2", "192.0.2.3", "192.0.2.1"]) await post(a("www", content));
    const answer = await rig.call("GET", `${path}?order=content&direction=desc&per_page=1&page=2`);
    const wrong = await rig.call("GET", `${path}?order=age`);
    expect([answer.get("result", 0, "content"), wrong.status]).to.deep.equal(["192.0.2.2", 400]);
  });

  it("exports a zone as BIND reads it", async () => {
    rig = await startCloudflareRig({ zones: [{ name: "example.com", plan: "pro" }] });
    const records = `/zones/${rig.simulator.zone("example.com").id}/dns_records`;
    await rig.call("POST", records, { type: "A", name: "www", content: "192.0.2.1", ttl: 300, comment: "ours" });
    await rig.call("POST", records, { type: "CNAME", name: "alias", content: "www.example.com", ttl: 60 });
    const file = await rig.call("GET", `${records}/export`);
    expect(file.headers["content-type"]).to.match(/^text\/plain/);
    const lines = String(file.get()).split("\n");
    expect(lines).to.include(";; Domain:     example.com.");
    expect(lines).to.include("www.example.com.\t300\tIN\tA\t192.0.2.1 ; ours cf_tags=cf-proxied:false");
    expect(lines).to.include("alias.example.com.\t60\tIN\tCNAME\twww.example.com. ; cf_tags=cf-proxied:false");
  });
});
