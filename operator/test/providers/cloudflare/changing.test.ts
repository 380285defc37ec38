import { canonicalIp } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { type DesiredRecord, planRecordChanges, planRemoval } from "../../../src/providers/diff.js";
import type { ProviderError } from "../../../src/providers/errors.js";
import type { DnsProvider, RecordSetFacts } from "../../../src/providers/types.js";
import {
  BATCH,
  type CloudflareRig,
  context,
  failureOf,
  startCloudflareRig,
} from "../../support/cloud/cloudflare-rig.js";

const OWNER = "default/web";

describe("Cloudflare provider: changing a record set", () => {
  let rig: CloudflareRig;
  let provider: DnsProvider;
  beforeEach(async () => {
    rig = await startCloudflareRig();
    provider = rig.provider();
  });
  afterEach(() => rig.close());

  const add = (content: string, more: object = {}) =>
    rig.simulator.addRecord("example.com", { type: "A", name: "www", content, ttl: 60, ...more });
  const read = () => provider.read(context, { zone: "example.com", name: "www", types: ["A", "AAAA"] });
  const plan = (set: RecordSetFacts, request: Partial<DesiredRecord>) =>
    planRecordChanges(set, { values: [], ttl: "keep", owner: OWNER, ...request });
  const change = async (request: Partial<DesiredRecord>) => provider.apply(context, plan(await read(), request));
  const records = () => rig.simulator.records("example.com", "www.example.com");
  const contents = () =>
    records()
      .map(({ content }) => content)
      .sort();
  const batches = () => rig.simulator.journal.count({ on: BATCH });
  const addresses = (count: number, net = 0) =>
    Array.from({ length: count }, (_, index) => `10.${net}.${Math.floor(index / 250)}.${index % 250}`);

  it("re-points, creates and deletes in one transaction", async () => {
    for (const content of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) add(content);
    await change({ values: ["192.0.2.3", "192.0.2.4", canonicalIp("2001:db8::1")] });
    expect([contents(), batches()]).to.deep.equal([["192.0.2.3", "192.0.2.4", "2001:db8::1"], 1]);
  });

  it("finds nothing left to do afterwards", async () => {
    add("192.0.2.1");
    const request = { values: ["192.0.2.2", canonicalIp("2001:db8::1")], ttl: 300 };
    await change(request);
    expect(plan(await read(), request).steps).to.deep.equal([]);
  });

  it("sends one batch for each 200 changes", async () => {
    const sent = [];
    for (const [net, count] of [1, 200, 201, 500].entries()) {
      const before = batches();
      await change({ values: addresses(count, net) });
      sent.push([contents().length, batches() - before]);
    }
    // Each set takes over the records of the one before.
    expect(sent).to.deep.equal([
      [1, 1],
      [200, 1],
      [201, 2],
      [500, 3],
    ]);
  });

  it("sends nothing for an empty change set", async () => {
    add("192.0.2.1");
    await change({ values: ["192.0.2.1"] });
    expect(batches()).to.equal(0);
  });

  it("removes a record set where that is asked for", async () => {
    for (const content of addresses(250)) add(content);
    await provider.apply(context, planRemoval(await read()));
    expect([contents(), batches()]).to.deep.equal([[], 2]);
  });

  it("writes a TTL of 2 to 59 s as 60, says so, and is then at rest", async () => {
    const ttl = provider.capabilities.ttl(30);
    await change({ values: ["192.0.2.1"], ttl });
    expect([ttl, records()[0]?.ttl, plan(await read(), { values: ["192.0.2.1"], ttl }).steps]).to.deep.equal([
      60,
      60,
      [],
    ]);
  });

  it("names the nearest TTL that is allowed", () => {
    const allowed = [0, 1, 2, 59, 60, 3_600, 86_400, 86_401].map((seconds) => provider.capabilities.ttl(seconds));
    expect(allowed).to.deep.equal([60, 1, 60, 60, 60, 3_600, 86_400, 86_400]);
  });

  it("sends an allowed TTL even where the change set has another", async () => {
    await provider.apply(context, {
      ...plan(await read(), { values: ["192.0.2.1"] }),
      steps: [{ do: "create", type: "A", to: "192.0.2.1", ttl: 5 }],
    });
    expect(records()[0]?.ttl).to.equal(60);
  });

  it("keeps the 30 s of a zone on the Enterprise plan when it re-points and adds", async () => {
    rig.simulator.addZone({ name: "big.example", plan: "enterprise" });
    rig.simulator.addRecord("big.example", { type: "A", name: "www", content: "192.0.2.1", ttl: 30 });
    const set = await provider.read(context, { zone: "big.example", name: "www", types: ["A"] });
    await provider.apply(context, plan(set, { values: ["192.0.2.2", "192.0.2.3"] }));
    expect(rig.simulator.records("big.example").map(({ ttl }) => ttl)).to.deep.equal([30, 30]);
  });

  it("leaves proxied records proxied, adds proxied ones beside them, and is then at rest", async () => {
    add("192.0.2.1", { proxied: true });
    const request = { values: ["192.0.2.2", "192.0.2.3"], ttl: 300 };
    await change(request);
    expect([records().map(({ proxied }) => proxied), plan(await read(), request).steps]).to.deep.equal([
      [true, true],
      [],
    ]);
  });

  it("takes the proxy of the others from the last reading, and never from a record that it has deleted since", async () => {
    add("192.0.2.1", { proxied: true });
    add("192.0.2.2");
    const set = await read();
    const left = { ...set, records: set.records.filter(({ value }) => value === "192.0.2.2") };
    await provider.apply(context, plan(set, { values: ["192.0.2.2"] }));
    await provider.apply(context, plan(left, { values: ["192.0.2.2", "192.0.2.3"] }));
    expect(records().map(({ proxied }) => proxied)).to.deep.equal([false, false]);
    rig.simulator.addRecord("example.com", { type: "AAAA", name: "www", content: "2001:db8::1", proxied: true });
    await change({ values: ["192.0.2.2", "192.0.2.3", "192.0.2.4"] });
    const made = records().find(({ content }) => content === "192.0.2.4");
    expect(made?.proxied, "one proxied record makes the whole name so").to.equal(true);
  });

  it("sends proxied records the TTL that they have anyway", async () => {
    add("192.0.2.1", { proxied: true });
    await change({ values: ["192.0.2.2"], ttl: 300 });
    const [sent] = rig.simulator.journal.calls({ on: BATCH });
    expect(sent?.body).to.have.nested.property("patches[0].ttl", 1);
  });

  it("marks what it creates, and what has no mark yet", async () => {
    add("192.0.2.1");
    await change({ values: ["192.0.2.2", "192.0.2.3"] });
    expect((await read()).records.map(({ owner }) => owner)).to.deep.equal([OWNER, OWNER]);
  });

  it("takes over the mark of another resource of ours", async () => {
    add("192.0.2.1", { comment: "flipop: default/former" });
    await change({ values: ["192.0.2.2"] });
    expect(records()[0]?.comment).to.equal("flipop: default/web");
  });

  it("never touches comments and tags of others", async () => {
    rig.simulator.addZone({ name: "paid.example", plan: "pro" });
    const theirs = { comment: "do not touch", tags: ["team:web"] };
    rig.simulator.addRecord("paid.example", { type: "A", name: "www", content: "192.0.2.1", ttl: 60, ...theirs });
    const set = await provider.read(context, { zone: "paid.example", name: "www", types: ["A"] });
    await provider.apply(context, plan(set, { values: ["192.0.2.2"], ttl: 300 }));
    const [record] = rig.simulator.records("paid.example");
    expect([record?.content, record?.comment, record?.tags]).to.deep.equal(["192.0.2.2", theirs.comment, theirs.tags]);
  });

  it("leaves comments alone that it has not read", async () => {
    add("192.0.2.1", { comment: "do not touch" });
    const changes = plan(await read(), { values: ["192.0.2.2"] });
    await rig.provider().apply(context, changes);
    expect(records()[0]?.comment).to.equal("do not touch");
  });

  it("cuts an owner's name to the 100 characters that a comment may have", async () => {
    await change({ values: ["192.0.2.1"], owner: "n".repeat(300) });
    expect(records()[0]?.comment).to.have.length(100);
  });

  it("asks to read again where a record exists already", async () => {
    const changes = plan(await read(), { values: ["192.0.2.1"] });
    add("192.0.2.1");
    const error = (await failureOf(provider.apply(context, changes))) as ProviderError;
    expect([error.kind, error.reason, error.outcome, error.message]).to.deep.equal([
      ...["Conflict", "RecordExists", "refused"],
      "cloudflare: change records of www.example.com: answer 400 (81058): An identical record already exists; the operator reads the record set again and makes a new plan",
    ]);
  });

  it("asks to read again where a record is gone, and changes nothing", async () => {
    const { id } = add("192.0.2.1");
    add("192.0.2.2");
    const changes = plan(await read(), { values: ["192.0.2.3", "192.0.2.4"] });
    await rig.call("DELETE", `/zones/${changes.zone}/dns_records/${id}`);
    const error = (await failureOf(provider.apply(context, changes))) as ProviderError;
    expect([error.kind, error.status, contents()]).to.deep.equal(["Conflict", 404, ["192.0.2.2"]]);
  });

  it("says that a CNAME is in the way", async () => {
    rig.simulator.addRecord("example.com", { type: "CNAME", name: "www", content: "example.net" });
    const error = (await failureOf(change({ values: ["192.0.2.1"] }))) as ProviderError;
    expect([error.kind, error.reason, error.remedy]).to.deep.equal([
      ...["Conflict", "RecordExists"],
      "have the owner of the DNS account delete the CNAME or NS record of this name, which excludes addresses, or set another recordName",
    ]);
  });

  it("says that the zone's quota is used up", async () => {
    for (let index = 0; index < 1_000; index++) {
      rig.simulator.addRecord("example.com", { type: "TXT", name: `t${index}`, content: "x" });
    }
    const error = (await failureOf(change({ values: ["192.0.2.1"] }))) as ProviderError;
    expect([error.kind, error.retrySafe]).to.deep.equal(["QuotaExceeded", false]);
  });

  it("says that a token may not change records", async () => {
    const secret = "read-only-000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "read", secret, scopes: ["zone:read", "dns:read"] });
    provider = rig.provider({ token: () => secret });
    const error = (await failureOf(change({ values: ["192.0.2.1"] }))) as ProviderError;
    expect([error.kind, error.message]).to.deep.equal([
      "Unauthorized",
      "cloudflare: change records of www.example.com: answer 403 (10000): Authentication error; fix: have the owner of the DNS account give the token the rights Zone:Read and DNS:Edit on this zone",
    ]);
  });

  it("says so where a name that is not in the zone was taken as relative to it", async () => {
    const secret = "dns-only-0000000000000000000000000000000";
    rig.simulator.tokens.add({ name: "dns", secret, scopes: ["dns:edit"] });
    provider = rig.provider({ token: () => secret });
    const zone = rig.simulator.zone("example.com").id;
    const set = await provider.read(context, { zone, name: "api.eu", types: ["A"] });
    const error = (await failureOf(provider.apply(context, plan(set, { values: ["192.0.2.1"] })))) as ProviderError;
    expect([error.kind, error.seen]).to.deep.equal([
      "Terminal",
      "the records were created as api.eu.example.com, since api.eu is not in the zone",
    ]);
  });
});
