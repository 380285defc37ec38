/** Answers that are damaged in one place, whichever: missing members, other types, other values. */

import { canonicalIp, isIp } from "cdk8s-flipop/api";
import { expect } from "chai";
import fc from "fast-check";
import { afterEach, describe, it } from "mocha";
import { planRecordChanges } from "../../../src/providers/diff.js";
import { ProviderError } from "../../../src/providers/errors.js";
import type { RecordSetFacts } from "../../../src/providers/types.js";
import { MAX_ANSWER_BYTES } from "../../../src/timings.js";
import { context } from "../../support/cloud/cloudflare-rig.js";
import { ok, type Stub, startStub, ZONE_ID } from "./stub.js";

const FQDN = "www.example.com";
const VALUES = ["192.0.2.1", "192.0.2.2"];
const ZONE = { id: ZONE_ID, name: "example.com", status: "active", account: { id: ZONE_ID } };
const WISH = { values: ["192.0.2.3", "192.0.2.4", "192.0.2.5"], ttl: 60 };

const record = (content: string) => ({
  ...{ id: `id-${content}`, type: "A", name: FQDN, content, ttl: 60, proxied: false, comment: null },
});
const info = (count: number) => ({
  result_info: { page: 1, per_page: 1_000, count, total_count: count, total_pages: 1 },
});

/** A whole answer for each route. */
function honest(path: string): unknown {
  if (path.includes("/batch"))
    return ok({ deletes: [], patches: VALUES.map(record), posts: [record("192.0.2.5")] }).body;
  if (path.includes("/dns_records")) return ok(VALUES.map(record), info(VALUES.length)).body;
  return ok([ZONE], info(1)).body;
}

const JUNK: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1.5,
  1e300,
  true,
  "",
  "x",
  [],
  [null],
  {},
  { id: {} },
  "10.0.0.300",
];

interface Damage {
  readonly route: RegExp;
  /** Picks the place among all of the answer. */
  readonly place: number;
  readonly junk: unknown;
}

const damages: fc.Arbitrary<Damage> = fc.record({
  route: fc.constantFrom(/\/zones\?/, /\/dns_records\?/, /\/batch/),
  place: fc.nat(1_000),
  junk: fc.constantFrom(...JUNK),
});

describe("Cloudflare provider: malformed answers", () => {
  let stub: Stub | undefined;
  afterEach(() => stub?.close());

  it("become ProviderErrors, or have no part in what is read", async () => {
    let damage: Damage | undefined;
    stub = await startStub((path) => {
      const answer = honest(path);
      return { body: damage?.route.test(path) === true ? damaged(answer, damage) : answer };
    });
    const { provider } = stub;
    const property = fc.asyncProperty(damages, async (next) => {
      damage = next;
      const dns = provider();
      try {
        const set = await dns.read(context, { zone: "example.com", name: "www", types: ["A"] });
        expectHonest(set);
        await dns.apply(context, planRecordChanges(set, WISH));
      } catch (error) {
        expect(error, String(error)).to.be.instanceOf(ProviderError);
        const { kind, remedy } = error as ProviderError;
        const advice = typeof remedy === "string" ? remedy : remedy.operator;
        expect([kind, advice.length > 10]).to.deep.equal([kind, true]);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it("are named by the place that is wrong, never by the value", async () => {
    stub = await startStub((path) => ({ body: path.includes("dns_records") ? damagedRecord() : honest(path) }));
    const dns = stub.provider();
    const error = await dns.read(context, { zone: "example.com", name: "www", types: ["A"] }).catch(String);
    expect(error).to.equal(
      "ProviderError: cloudflare: read records of www.example.com: malformed answer: \"result[0].content\" is another string, expected an address; fix: have the cluster's administrator check that CLOUDFLARE_API_URL of the operator leads to Cloudflare's API, and that no proxy answers in its place",
    );
  });

  it("with an address of the other family are refused", async () => {
    const records = [record("192.0.2.1"), record("2001:db8::1")];
    stub = await startStub((path) => (path.includes("dns_records") ? ok(records, info(2)) : { body: honest(path) }));
    const read = stub.provider().read(context, { zone: "example.com", name: "www", types: ["A"] });
    expect(await read.catch((error: ProviderError) => error.reason)).to.equal("MalformedAnswer");
  });

  it("of more than 10 MB are not even read", async () => {
    const padding = "x".repeat(MAX_ANSWER_BYTES);
    stub = await startStub((path) => ok([ZONE], { ...info(1), ...(path.includes("/zones?") ? { padding } : {}) }));
    const read = stub.provider().read(context, { zone: "example.com", name: "www", types: ["A"] });
    expect(await read.catch((error: ProviderError) => error.seen)).to.equal(
      "malformed answer: an answer of more than 10000000 bytes",
    );
  });

  it("of a whole zone in a name's place are no record set", async () => {
    const others = VALUES.map((content) => ({ ...record(content), name: "other.example.com" }));
    stub = await startStub((path) => (path.includes("dns_records") ? ok(others, info(2)) : { body: honest(path) }));
    const read = stub.provider().read(context, { zone: "example.com", name: "www", types: ["A"] });
    expect(await read.catch((error: ProviderError) => error.reason)).to.equal("MalformedAnswer");
  });
});

function damagedRecord(): unknown {
  return ok([{ ...record("192.0.2.1"), content: "secret" }, record("192.0.2.2")], info(2)).body;
}

/** What got through is what the API has, or less in what does not matter: TTLs and ids are passed on as they were sent. */
function expectHonest({ records, fqdn, zone }: RecordSetFacts): void {
  expect([fqdn, zone]).to.deep.equal([FQDN, ZONE_ID]);
  for (const { id, type, value, ttl } of records) {
    expect([typeof id, type, isIp(value), canonicalIp(value), Number.isSafeInteger(ttl)]).to.deep.equal([
      ...["string", "A"],
      true,
      value,
      true,
    ]);
  }
}

/** A copy with junk in one place. */
function damaged(answer: unknown, { place, junk }: Damage): unknown {
  const copy: unknown = structuredClone(answer);
  const places = placesIn(copy);
  const chosen = places[place % places.length];
  if (chosen === undefined) return junk ?? "";
  chosen(junk);
  return copy;
}

function placesIn(value: unknown): readonly ((junk: unknown) => void)[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [
    (junk: unknown) => {
      holder[key] = junk;
    },
    ...placesIn(holder[key]),
  ]);
}
