/** Each check finds what it is for in a made-up history, and nothing in the same history without the mistake. */

import { expect } from "chai";
import { describe, it } from "mocha";
import type { Check, History, ResourceState } from "./history.js";
import {
  assign,
  call,
  fact,
  held,
  history,
  IP,
  NODE,
  NOW,
  OTHER_IP,
  object,
  POOL,
  release,
  renewals,
} from "./made-up.js";
import { coolOffHolds, noMoreThanDesired, oneAddressPerNode, releasesAreRightful } from "./oracle/addresses.js";
import { noLimitReached, noReadLoop, noStatusLoop, noWriteLoop } from "./oracle/calls.js";
import { judge } from "./oracle/index.js";
import { graceHolds, healthyHolderKeeps, targetIsFit } from "./oracle/moves.js";
import { goesInTime, logProblems, noCrash } from "./oracle/processes.js";
import { recordSetNeverEmptied } from "./oracle/records.js";
import { oneWriter } from "./oracle/writers.js";
import { timeline } from "./report.js";

function finds(check: Check, change: Partial<History>, words: RegExp): void {
  const found = check(history(change));
  expect(found.map(({ message }) => message).join("\n")).to.match(words);
  expect(found[0]?.at).to.be.a("number");
}

function passes(check: Check, change: Partial<History>): void {
  expect(check(history(change))).to.deep.equal([]);
}

const SECOND = 1000;
/** The first node fails 20 s before the story begins, so that its address may move. */
const FAILED = [...history().nodes, fact("node-1", NOW - 20 * SECOND, { ...NODE, ready: false })];

describe("the oracle of the storm", () => {
  it("finds nothing in a world where all is well", () => {
    expect(judge(history({ nodes: FAILED, calls: [assign(NOW, 2)] }))).to.deep.equal([]);
  });

  it("one writer: after the Lease has gone to another process", () => {
    const leases = [...renewals("me", 20_000, NOW), ...renewals("other", NOW, NOW + 20 * SECOND)];
    finds(oneWriter, { leases, calls: [assign(NOW + 2 * SECOND, 2)] }, /the Lease had gone to other/);
    passes(oneWriter, { leases, calls: [assign(NOW - 2 * SECOND, 2), call(NOW + 2 * SECOND)] });
  });

  it("one writer: after the renew deadline, even if no other process has the Lease", () => {
    const leases = renewals("me", 20_000, NOW);
    finds(oneWriter, { leases, calls: [assign(NOW + 6 * SECOND, 2)] }, /last renewal was \d+ ms old/);
    passes(oneWriter, { leases, calls: [assign(NOW + 4 * SECOND, 2)] });
  });

  it("one writer: without ever having held the Lease", () => {
    const processes = [{ name: "replica-1", identity: "stranger", startedAt: 0, signals: [] }];
    const leases = renewals("me", 20_000, NOW).slice(0, 0);
    finds(oneWriter, { processes, leases, calls: [assign(NOW, 2)] }, /never held the Lease/);
    finds(oneWriter, { processes: [], calls: [assign(NOW, 2)] }, /never named itself/);
  });

  it("one address per node", () => {
    const two = [...history().holders, held(NOW, OTHER_IP, 1)];
    finds(oneAddressPerNode, { holders: two }, /droplet 1 holds/);
    passes(oneAddressPerNode, { holders: [...history().holders, held(NOW, OTHER_IP, 1, "hand")] });
    passes(oneAddressPerNode, { holders: [...history().holders, held(NOW, OTHER_IP, 2)] });
  });

  it("a healthy holder keeps its address", () => {
    finds(healthyHolderKeeps, { calls: [assign(NOW, 2)] }, /was taken from node-1/);
    passes(healthyHolderKeeps, { nodes: FAILED, calls: [assign(NOW, 2)] });
  });

  it("a healthy holder keeps its address: but for moves by hand, edits, and trouble with the API server", () => {
    const calls = [assign(NOW, 2)];
    passes(healthyHolderKeeps, { calls, holders: [held(20_000, IP, null, "hand"), held(20_001, IP, 1, "hand")] });
    const edit = fact("web", NOW - SECOND, { ...POOL, groups: ["b"] });
    passes(healthyHolderKeeps, { calls, resources: [...history().resources, edit] });
    passes(healthyHolderKeeps, { calls, blind: [{ from: NOW - 5 * SECOND, to: NOW - 2 * SECOND, what: "freeze" }] });
    const beyond = [object({ known: [IP, OTHER_IP] })];
    passes(healthyHolderKeeps, { calls, objects: beyond, resources: [fact("web", 20_000, { ...POOL, desired: 1 })] });
    const edge = fact("node-1", NOW - 2 * SECOND, { ...NODE, ready: false });
    passes(healthyHolderKeeps, { calls, nodes: [...history().nodes, edge] });
  });

  it("the grace period holds, from the last failure on", () => {
    const resources = [fact("web", 20_000, { ...POOL, graceSeconds: 5 })];
    const nodes = [...history().nodes, fact("node-1", NOW, { ...NODE, ready: false })];
    finds(graceHolds, { resources, nodes, calls: [assign(NOW + 3 * SECOND, 2)] }, /3000 ms after that failed/);
    passes(graceHolds, { resources, nodes, calls: [assign(NOW + 5 * SECOND, 2)] });
    const again = [
      ...nodes,
      fact("node-1", NOW + 2 * SECOND, NODE),
      fact("node-1", NOW + 4 * SECOND, { ...NODE, ready: false }),
    ];
    finds(graceHolds, { resources, nodes: again, calls: [assign(NOW + 6 * SECOND, 2)] }, /2000 ms after that failed/);
    const cordoned = [...nodes, fact("node-1", NOW + SECOND, { ...NODE, ready: false, cordoned: true })];
    passes(graceHolds, { resources, nodes: cordoned, calls: [assign(NOW + 3 * SECOND, 2)] });
  });

  it("no call for a target that has not been Ready for longer than a decision may be old", () => {
    const nodes = [...FAILED, fact("node-2", NOW - 5 * SECOND, { ...NODE, droplet: 2, ready: false })];
    finds(targetIsFit, { nodes, calls: [assign(NOW, 2)] }, /droplet 2 \(node-2\)/);
    finds(targetIsFit, { calls: [assign(NOW, 77)] }, /droplet 77 \(no node\)/);
    passes(targetIsFit, { nodes, calls: [assign(NOW - 4 * SECOND, 2)] });
    passes(targetIsFit, {
      nodes,
      calls: [assign(NOW, 2)],
      blind: [{ from: NOW - 6 * SECOND, to: NOW, what: "restart" }],
    });
  });

  it("never more addresses than desired", () => {
    const resources = [fact("web", 20_000, { ...POOL, listed: [], desired: 1 })];
    const one = [held(NOW, IP, null)];
    passes(noMoreThanDesired, { resources, holders: one });
    finds(noMoreThanDesired, { resources, holders: [...one, held(NOW + 1, OTHER_IP, null)] }, /is address 2/);
    const replaced = [...one, held(NOW + 1, IP, undefined, "hand"), held(NOW + 2, OTHER_IP, null)];
    passes(noMoreThanDesired, { resources, holders: replaced });
  });

  it("releases only what a resource under Delete created and no longer needs", () => {
    const mine = { holders: [held(20_000, IP, null)], objects: [object({ created: [IP] })] };
    const policy = { ...POOL, listed: [], desired: 1, release: true };
    const kept = [fact("web", 20_000, policy)];
    const gone = [...kept, fact<ResourceState>("web", NOW - SECOND)];
    passes(releasesAreRightful, { ...mine, resources: gone, calls: [release(NOW)] });
    finds(releasesAreRightful, { ...mine, resources: kept, calls: [release(NOW)] }, /neither shrunk nor been deleted/);
    const retain = gone.map(({ value, ...rest }) => ({
      ...rest,
      ...(value && { value: { ...value, release: false } }),
    }));
    finds(releasesAreRightful, { ...mine, resources: retain, calls: [release(NOW)] }, /was never Delete/);
    finds(releasesAreRightful, { resources: gone, calls: [release(NOW)] }, /had not created it/);
    finds(releasesAreRightful, { ...mine, objects: [], resources: gone, calls: [release(NOW)] }, /no resource had it/);
  });

  it("the cool-off lies between two assignments of a pool", () => {
    const resources = [fact("web", 20_000, { ...POOL, coolOffSeconds: 2 })];
    const objects = [object({ known: [IP, OTHER_IP] })];
    const pool = { resources, objects };
    finds(coolOffHolds, { ...pool, calls: [assign(NOW, 2), assign(NOW + 500, 3, OTHER_IP)] }, /500 ms later/);
    passes(coolOffHolds, { ...pool, calls: [assign(NOW, 2), assign(NOW + 2 * SECOND, 3, OTHER_IP)] });
    const refused = { ...assign(NOW, 2), processed: 0, status: 422 };
    passes(coolOffHolds, { ...pool, calls: [refused, assign(NOW + 500, 3, OTHER_IP)] });
  });

  it("a record set is never emptied", () => {
    const set = (at: number, values: readonly string[], by: "api" | "hand" = "api") =>
      ({ at, cloud: "digitalocean", key: "A web.example.com", values, by }) as const;
    finds(recordSetNeverEmptied, { records: [set(NOW, [IP]), set(NOW + 1, [])] }, /lost its last value/);
    passes(recordSetNeverEmptied, { records: [set(NOW, [IP]), set(NOW + 1, [OTHER_IP])] });
    passes(recordSetNeverEmptied, { records: [set(NOW, [IP]), set(NOW + 1, [], "hand")] });
    const dns = { cloud: "digitalocean", fqdn: "web.example.com", deletes: true } as const;
    const resources = [fact("web", 20_000, { ...POOL, dns }), fact<ResourceState>("web", NOW)];
    passes(recordSetNeverEmptied, { resources, records: [set(NOW - 1, [IP]), set(NOW + 1, [])] });
  });

  it("a record set that the operator believes to have another value, since a person removed it unseen", () => {
    const set = (at: number, values: readonly string[], by: "api" | "hand" = "api") =>
      ({ at, cloud: "digitalocean", key: "A web.example.com", values, by }) as const;
    const full = [set(NOW, [IP, OTHER_IP]), set(NOW + 10, [IP], "hand")];
    const records = [...full, set(NOW + 30, [])];
    const route = "GET /v2/domains/{domain_name}/records";
    const read = { path: "/v2/domains/example.com/records", route, query: "name=web.example.com&type=A&page=1" };
    passes(recordSetNeverEmptied, { records });
    passes(recordSetNeverEmptied, { records, calls: [call(NOW + 5, read)] });
    passes(recordSetNeverEmptied, { records, calls: [call(NOW + 20, { ...read, fault: "stale" })] });
    passes(recordSetNeverEmptied, { records, calls: [call(NOW + 20, { ...read, query: "name=other.example.com" })] });
    finds(recordSetNeverEmptied, { records, calls: [call(NOW + 20, read)] }, /lost its last value/);
    const again = [...full, set(NOW + 20, [IP, OTHER_IP]), set(NOW + 25, [IP]), set(NOW + 30, [])];
    finds(recordSetNeverEmptied, { records: again }, /lost its last value/);
  });

  it("no read loop, and no limit reached", () => {
    const reads = (gap: number) => Array.from({ length: 9 }, (_, index) => call(NOW + index * gap));
    finds(noReadLoop, { calls: reads(12) }, /was read 9 times in a second/);
    passes(noReadLoop, { calls: reads(SECOND) });
    const changes = [10, 40, 70].map((after) => assign(NOW + after, 2));
    passes(noReadLoop, { calls: [...reads(12), ...changes] });
    const ranges = reads(12).map((read) => ({ ...read, path: "/v2/byoip_prefixes" }));
    finds(noReadLoop, { calls: ranges }, /was read 9 times in a second/);
    passes(noReadLoop, { calls: [...ranges, ...changes] });
    finds(noLimitReached, { calls: [call(NOW, { status: 429 })] }, /ran into the cloud's limit/);
    passes(noLimitReached, { calls: [call(NOW, { status: 429, fault: "status" })] });
    const create = { method: "POST", path: "/v2/reserved_ips" };
    const created = (caller: string) =>
      Array.from({ length: 12 }, (_, index) => call(NOW + index * SECOND, { ...create, caller, status: 202 }));
    const refused = call(NOW + 20 * SECOND, { ...create, status: 429 });
    passes(noLimitReached, { calls: [...created("replica-of-before"), refused] });
    finds(noLimitReached, { calls: [...created(refused.caller), refused] }, /ran into the cloud's limit/);
  });

  it("no write loop: a refused change is not repeated at once", () => {
    const refused = (gap: number) =>
      Array.from({ length: 5 }, (_, index) => ({ ...assign(NOW + index * gap, 2), processed: 0, status: 404 }));
    finds(noWriteLoop, { calls: refused(50) }, /was refused 5 times in a second/);
    passes(noWriteLoop, { calls: refused(SECOND) });
    passes(noWriteLoop, { calls: refused(50).map((one) => ({ ...one, fault: "status" })) });
  });

  it("no status loop: a resource that is written in each run, and so runs again", () => {
    const writes = (pauseMs: number) => ({
      objects: Array.from({ length: 300 }, (_, index) => object({ at: NOW + index * pauseMs })),
    });
    finds(noStatusLoop, writes(20), /web was written more than 200 times in 10 s/);
    passes(noStatusLoop, writes(200));
  });

  it("no process crashes, and one that gets SIGTERM goes in time, without the Lease", () => {
    const [process] = history().processes;
    const one = (change: object) => ({
      processes: [{ ...(process ?? { name: "", startedAt: 0, signals: [] }), ...change }],
    });
    const asked = [{ at: NOW, signal: "SIGTERM" as const }];
    finds(noCrash, one({ exit: { at: NOW, code: 1, signal: null } }), /ended with code 1/);
    finds(noCrash, one({ exit: { at: NOW, code: null, signal: "SIGSEGV" } }), /SIGSEGV/);
    passes(noCrash, one({ exit: { at: NOW, code: 3, signal: null } }));
    const ended = { signals: asked, exit: { at: NOW + 5, code: null, signal: "SIGTERM" } };
    finds(noCrash, one(ended), /SIGTERM/);
    passes(noCrash, one({ ...ended, startedAt: NOW - 10 }));
    const asleep = { ...ended, startedAt: NOW - 5 * SECOND };
    const stoppedAt = (at: number) => [{ at, signal: "SIGSTOP" as const }, ...asked];
    passes(noCrash, one({ ...asleep, signals: stoppedAt(NOW - 4.9 * SECOND) }));
    finds(noCrash, one({ ...asleep, signals: stoppedAt(NOW - SECOND) }), /SIGTERM/);
    const late = { signals: asked, exit: { at: NOW + 40 * SECOND, code: 0, signal: null } };
    finds(goesInTime, one(late), /ran on for 40000 ms/);
    const stopped = [
      { at: NOW - SECOND, signal: "SIGSTOP" as const },
      ...asked,
      { at: NOW + 20 * SECOND, signal: "SIGCONT" as const },
    ];
    const soon = { signals: asked, exit: { at: NOW + SECOND, code: 0, signal: null } };
    finds(goesInTime, { ...one(soon), leases: renewals("me", 20_000, NOW) }, /kept the Lease/);
    const omitUndefined = [...renewals("me", 20_000, NOW), { at: NOW + 500, holder: "", renewedAt: NOW }];
    passes(goesInTime, { ...one(soon), leases: omitUndefined });
    passes(goesInTime, { ...one({ ...late, signals: stopped }), leases: omitUndefined });
  });

  it("no token and no bug in a log", () => {
    const secrets = ["dop_v1_secret"];
    expect(logProblems("replica-1", '{"msg":"sent dop_v1_secret"}', secrets)).to.have.length(1);
    expect(logProblems("replica-1", '{"error":"TypeError: x is not a function"}', secrets)).to.have.length(1);
    expect(logProblems("replica-1", '{"msg":"leading"}', secrets)).to.deep.equal([]);
  });

  it("shows what happened around a violation", () => {
    const seen = history({ calls: [assign(NOW, 2)], steps: [{ at: NOW - 10, text: "node: slot=1" }] });
    const [violation] = healthyHolderKeeps(seen);
    if (violation === undefined) throw new Error("the check found nothing");
    const text = timeline(seen, violation);
    expect(text).to.match(/step {3}node: slot=1\n.*call {3}replica-1 digitalocean POST .*\n.*>>> healthy holder/);
  });
});
