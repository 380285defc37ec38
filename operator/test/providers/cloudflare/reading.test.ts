import { canonicalIp } from "cdk8s-flipop/api";
import { expect } from "chai";
import { DEFAULT_TOKEN } from "flipop-sandbox/cloudflare";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { ProviderError } from "../../../src/providers/errors.js";
import type { RecordType } from "../../../src/providers/types.js";
import { ZONE_MAX_AGE_MS } from "../../../src/timings.js";
import {
  type CloudflareRig,
  context,
  failureOf,
  LIST,
  startCloudflareRig,
} from "../../support/cloud/cloudflare-rig.js";
import { drive } from "../conformance/drive.js";

const ZONE = "GET /zones/{zone_id}";
const ZONES = "GET /zones";
const BOTH: readonly RecordType[] = ["A", "AAAA"];

describe("Cloudflare provider: reading a record set", () => {
  let rig: CloudflareRig;
  beforeEach(async () => {
    rig = await startCloudflareRig({ zones: [{ name: "example.com" }, { name: "example.net" }] });
  });
  afterEach(() => rig.close());

  const add = (content: string, more: object = {}) =>
    rig.simulator.addRecord("example.com", { type: "A", name: "www", content, ttl: 60, ...more });
  const zoneId = () => rig.simulator.zone("example.com").id;
  const read = (zone: string, name: string, types = BOTH) => rig.provider().read(context, { zone, name, types });
  const routes = () => [...rig.simulator.journal.countByRoute()].map(([route, count]) => `${count} ${route}`);

  it("takes the zone by its name or id, and the record's name in either form", async () => {
    add("192.0.2.1");
    const spellings = [
      ["example.com", "www"],
      ["Example.com.", "WWW.example.com."],
      [zoneId(), "www"],
      [zoneId().toUpperCase(), "www.example.com"],
    ] as const;
    const sets = [];
    for (const [zone, name] of spellings) sets.push(await read(zone, name));
    const expected = { zone: zoneId(), fqdn: "www.example.com", values: ["192.0.2.1"] };
    expect(
      sets.map(({ zone, fqdn, records }) => ({ zone, fqdn, values: records.map(({ value }) => value) })),
    ).to.deep.equal(spellings.map(() => expected));
  });

  it("takes @ for the zone itself, and names that are not ASCII", async () => {
    const names = [];
    for (const name of ["@", "Bücher", "bücher.example.com"]) names.push((await read("example.com", name)).fqdn);
    expect(names).to.deep.equal(["example.com", "xn--bcher-kva.example.com", "xn--bcher-kva.example.com"]);
  });

  it("gives the full name without a call if the zone is named, and asks once if it is not", async () => {
    const provider = rig.provider();
    const byName = await provider.fqdn(context, { zone: "example.com", name: "www", types: BOTH });
    const without = routes();
    await provider.fqdn(context, { zone: zoneId(), name: "www", types: BOTH });
    const byId = await provider.fqdn(context, { zone: zoneId(), name: "@", types: BOTH });
    expect([byName, without, byId, routes()]).to.deep.equal(["www.example.com", [], "example.com", [`1 ${ZONE}`]]);
  });

  it("finds a zone once for many record sets that are read at the same time", async () => {
    const provider = rig.provider();
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => provider.read(context, { zone: "example.com", name, types: ["A"] })));
    expect(routes()).to.deep.equal([`1 ${ZONES}`, `20 ${LIST}`]);
  });

  it("reads the zone again after an hour, in which it may have been replaced by another of its name", async () => {
    const provider = rig.provider();
    const request = { zone: "example.com", name: "www", types: BOTH };
    for (const waitMs of [0, ZONE_MAX_AGE_MS - 1, 1]) {
      await rig.clock.advance(waitMs);
      await drive(rig.clock, () => rig.simulator.journal.mark, provider.read(context, request));
    }
    expect(rig.simulator.journal.count({ on: ZONES })).to.equal(2);
  });

  it("reads by name, never the whole zone, and shows the addresses of the other type in the same call", async () => {
    add("192.0.2.1");
    rig.simulator.addRecord("example.com", { type: "AAAA", name: "www", content: "2001:db8::1" });
    const { records, others = [] } = await read(zoneId(), "www", ["A"]);
    const lists = rig.simulator.journal.calls({ on: LIST });
    expect(lists.map(({ query }) => query.get("name.exact"))).to.deep.equal(["www.example.com"]);
    expect([records, others].map((each) => each.map(({ value }) => value))).to.deep.equal([
      ["192.0.2.1"],
      ["2001:db8::1"],
    ]);
  });

  it("reads both types in one call, and leaves other types of the name out", async () => {
    add("192.0.2.1");
    rig.simulator.addRecord("example.com", { type: "AAAA", name: "www", content: "2001:DB8:0::1" });
    rig.simulator.addRecord("example.com", { type: "TXT", name: "www", content: "text" });
    const { records } = await read(zoneId(), "www");
    expect([records.map(({ value }) => value), rig.simulator.journal.count({ on: LIST })]).to.deep.equal([
      ["192.0.2.1", canonicalIp("2001:db8::1")],
      1,
    ]);
  });

  it("answers an empty set for a name without records", async () => {
    const { records, types } = await read("example.com", "nothing", ["AAAA"]);
    expect([records, types]).to.deep.equal([[], ["AAAA"]]);
  });

  it("reads all pages of a large set", async () => {
    const zone = rig.simulator.addZone({ name: "large.example", plan: "pro" });
    const contents = Array.from({ length: 2_001 }, (_, index) => `10.0.${Math.floor(index / 250)}.${index % 250}`);
    const posts = contents.map((content) => ({ type: "A", name: "www", content }));
    await rig.call("POST", `/zones/${zone.id}/dns_records/batch`, { posts });
    const { records } = await read(zone.id, "www", ["A"]);
    expect([new Set(records.map(({ value }) => value)).size, rig.simulator.journal.count({ on: LIST })]).to.deep.equal([
      2_001, 3,
    ]);
  });

  it("distinguishes owners from comments of others, and knows which TTLs it may not choose", async () => {
    add("192.0.2.1", { comment: "flipop: default/web" });
    add("192.0.2.2", { comment: "the old web server", proxied: true });
    const { records } = await read("example.com", "www", ["A"]);
    expect(records.map(({ owner, ttl, proxied }) => ({ owner, ttl, proxied }))).to.deep.equal([
      { owner: "default/web", ttl: 60, proxied: undefined },
      { owner: undefined, ttl: 1, proxied: true },
    ]);
  });

  it("says what to do where no zone has the name", async () => {
    const error = (await failureOf(read("example.org", "www"))) as ProviderError;
    expect([error.kind, error.message]).to.deep.equal([
      "NotFound",
      "cloudflare: find zone example.org: the token sees no zone of this name; fix: correct dnsRecordSet.zone, which is the domain as the account lists it (what stands before it, such as www, belongs to recordName), or dnsRecordSet.provider if the zone is in the account of another provider; or write the id of the zone there, or have the owner of the DNS account give the token the right Zone:Read on the zone",
    ]);
  });

  it("says what to do where no zone has the id", async () => {
    const error = (await failureOf(read("0".repeat(32), "www"))) as ProviderError;
    expect([error.kind, error.remedy]).to.deep.equal([
      "NotFound",
      "correct dnsRecordSet.zone: write the domain, or the id of the zone (the id of an account looks alike); if that is right, have the cluster's administrator check that CLOUDFLARE_API_URL is not set or ends with /client/v4",
    ]);
  });

  it("takes the active one of several zones of a name, and refuses to choose between two", async () => {
    rig.simulator.addZone({ name: "twice.example", account: "a", status: "moved" });
    const active = rig.simulator.addZone({ name: "twice.example", account: "b" });
    const chosen = await read("twice.example", "www");
    rig.simulator.addZone({ name: "twice.example", account: "c" });
    const error = (await failureOf(read("twice.example", "www"))) as ProviderError;
    expect([chosen.zone, error.kind, error.reason]).to.deep.equal([active.id, "Conflict", "Ambiguous"]);
  });

  it("looks for the zone again after it was removed and came back", async () => {
    const provider = rig.provider();
    const request = { zone: "example.net", name: "www", types: BOTH };
    await provider.read(context, request);
    rig.simulator.removeZone("example.net");
    const gone = (await failureOf(provider.read(context, request))) as ProviderError;
    const { id } = rig.simulator.addZone({ name: "example.net" });
    expect([gone.kind, (await provider.read(context, request)).zone]).to.deep.equal(["NotFound", id]);
  });

  it("does with a token for DNS alone, given the zone's id and full names, as FLIPOP did", async () => {
    const secret = "dns-only-0000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "dns", secret, scopes: ["dns:edit"] });
    add("192.0.2.1");
    const provider = rig.provider({ token: () => secret });
    const { records } = await provider.read(context, { zone: zoneId(), name: "www.example.com", types: BOTH });
    const relative = provider.read(context, { zone: zoneId(), name: "www", types: BOTH });
    const error = (await failureOf(relative)) as ProviderError;
    expect([records.length, error.kind, error.remedy]).to.deep.equal([
      1,
      "Unauthorized",
      "write dnsRecordSet.recordName in full, or have the owner of the DNS account give the token the right Zone:Read",
    ]);
  });

  it("asks again with another token, which may see other zones", async () => {
    const secret = "other-zone-00000000000000000000000000000";
    rig.simulator.tokens.add({ name: "other", secret, zones: ["example.net"] });
    let token = secret;
    const provider = rig.provider({ token: () => token });
    const request = { zone: "example.com", name: "www", types: BOTH };
    const before = (await failureOf(provider.read(context, request))) as ProviderError;
    token = DEFAULT_TOKEN;
    const seen = await provider.read(context, request);
    token = secret;
    const after = (await failureOf(provider.read(context, request))) as ProviderError;
    expect([before.kind, seen.zone, after.kind]).to.deep.equal(["NotFound", zoneId(), "NotFound"]);
  });

  it("has one key for an account, the same for each of its tokens, and none that reveals the token", async () => {
    const secret = "one-zone-0000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "one", secret, zones: ["example.net"] });
    const blind = "dns-only-0000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "blind", secret: blind, scopes: ["dns:edit"] });
    const keys = [];
    for (const token of [undefined, secret, blind]) {
      const provider = rig.provider(token === undefined ? {} : { token: () => token });
      keys.push(await provider.accountKey(context), await provider.accountKey(context));
    }
    const { id } = rig.simulator.zone("example.com").account;
    const [, , , , hashed = ""] = keys;
    expect([keys, rig.simulator.journal.count()]).to.deep.equal([[id, id, id, id, hashed, hashed], 3]);
    expect(hashed).to.match(/^token-[0-9a-f]{16}$/);
  });

  it("gives up waiting for a zone that another goes on waiting for", async () => {
    const controller = new AbortController();
    rig.simulator.faults.inject({ kind: "delay", ms: 1_000 }, { on: ZONES });
    const provider = rig.provider();
    const request = { zone: "example.com", name: "www", types: BOTH };
    const hasty = failureOf(provider.read({ ...context, signal: controller.signal }, request));
    const patient = provider.read(context, request);
    controller.abort();
    const error = (await hasty) as ProviderError;
    const { zone } = await drive(rig.clock, () => rig.simulator.journal.mark, patient);
    expect([error.reason, error.outcome, zone]).to.deep.equal(["Cancelled", "not-sent", zoneId()]);
    expect(rig.simulator.journal.count({ on: ZONES })).to.equal(1);
  });
});
