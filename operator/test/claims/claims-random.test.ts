import { expect } from "chai";
import fc from "fast-check";
import { describe, it } from "mocha";
import type { Claimant } from "../../src/claims/claimant.js";
import { Claims, type ClaimView } from "../../src/claims/claims.js";
import { nodeRecordClaims, poolClaims, routedIpClaims } from "../../src/claims/read-claims.js";
import { meta, pool, routed } from "./resources.js";

/** Few, so that they meet. */
const IPS = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
const RECORDS = ["a", "b"];
const NAMES = ["p1", "p2", "p3", "n1", "n2", "r1", "r2"];
const DAYS: Readonly<Record<string, number>> = { p1: 3, p2: 2, p3: 1, n1: 2, n2: 1, r1: 2, r2: 3 };

/** What a person asks for. */
interface Desired {
  readonly ips: readonly string[];
  readonly record: string | undefined;
  readonly deletionPolicy: "Retain" | "Delete";
}

/** What the operator has written into the status. */
interface Written {
  readonly ours: readonly string[];
  readonly lost: readonly string[];
  readonly created: readonly string[];
  readonly record: string | undefined;
}

const NOTHING: Written = { ours: [], lost: [], created: [], record: undefined };

/** Resources, their statuses as the operator would write them, and claims that follow. */
class World {
  readonly claims = new Claims();
  readonly desiredItems = new Map<string, Desired>();
  private readonly written = new Map<string, Written>();
  /** `resource thing`: whose status has it, and has not been dropped since. */
  readonly incumbents = new Set<string>();

  ask(name: string, desired: Desired): void {
    // The operator sees each edit before the next one of the same resource.
    this.write(name);
    this.desiredItems.set(name, desired);
    this.put(name);
    for (const thing of this.thingsOf(name)) if (!this.asksFor(name, thing)) this.incumbents.delete(`${name} ${thing}`);
  }

  remove(name: string): void {
    this.desiredItems.delete(name);
    this.written.delete(name);
    this.claims.drop(`uid-${name}`);
    for (const thing of this.thingsOf(name)) this.incumbents.delete(`${name} ${thing}`);
  }

  /** The operator writes a status from the view. */
  write(name: string): void {
    const desired = this.desiredItems.get(name);
    if (desired === undefined) return;
    const [view, created] = [this.view(name), this.written.get(name)?.created ?? []];
    const ips = [...new Set([...desired.ips, ...created])];
    const ours = ips.filter((ip) => view.addresses.get(ip)?.ours);
    const named = desired.record !== undefined && isOurs(view, desired.record);
    this.written.set(name, {
      ours,
      lost: ips.filter((ip) => !ours.includes(ip)),
      created,
      record: named ? desired.record : undefined,
    });
    this.put(name);
    for (const thing of [...ours, ...(named ? [desired.record] : [])]) this.incumbents.add(`${name} ${thing}`);
  }

  /** The pool creates an address that no other resource can know yet. */
  create(name: string, ip: string): void {
    if (!name.startsWith("p") || !this.desiredItems.has(name) || this.claims.holderOf(ip) !== undefined) return;
    const known = this.written.get(name) ?? NOTHING;
    this.written.set(name, { ...known, ours: [...known.ours, ip], created: [...known.created, ip] });
    this.put(name);
    this.incumbents.add(`${name} ${ip}`);
  }

  view(name: string): ClaimView {
    return this.claims.view(`uid-${name}`);
  }

  claimants(): readonly Claimant[] {
    return [...this.desiredItems.keys()].map((name) => this.claimant(name));
  }

  uses(name: string, thing: string): boolean {
    return IPS.includes(thing) ? this.view(name).addresses.get(thing)?.ours === true : isOurs(this.view(name), thing);
  }

  asksFor(name: string, thing: string): boolean {
    const desired = this.desiredItems.get(name);
    return (
      desired?.record === thing ||
      desired?.ips.includes(thing) ||
      (this.written.get(name) ?? NOTHING).created.includes(thing)
    );
  }

  private thingsOf(name: string): readonly string[] {
    return [...this.incumbents]
      .filter((entry) => entry.startsWith(`${name} `))
      .map((entry) => entry.slice(name.length + 1));
  }

  private put(name: string): void {
    this.claims.put(this.claimant(name));
  }

  private claimant(name: string): Claimant {
    const desired = this.desiredItems.get(name) ?? { ips: [], record: undefined, deletionPolicy: "Retain" };
    const written = this.written.get(name) ?? NOTHING;
    if (name.startsWith("n")) return nodeRecords(name, desired, written);
    return name.startsWith("r") ? routedIp(name, desired, written) : ipPool(name, desired, written);
  }
}

function ipPool(name: string, { ips, ...desired }: Desired, { ours, lost, created, ...written }: Written): Claimant {
  const held = ours.map((ip) => [ip, { state: "active" as const }] as const);
  const states = Object.fromEntries([...held, ...lost.map((ip) => [ip, { reason: "ClaimedByOther" }] as const)]);
  const createdIPs = created.map((ip) => ({ ip, createdTime: "2025-01-01T00:00:00Z" }));
  const status = { ips: states, createdIPs, ...dnsStatus(written) };
  return poolClaims(pool(name, { day: dayOf(name), spec: { ips, ...dnsSpec(desired) }, status }));
}

function routedIp(name: string, { ips: [ip], ...desired }: Desired, { ours, lost, ...written }: Written): Claimant {
  const asked = ip === undefined ? {} : { routedIP: ip };
  const reason = ip !== undefined && lost.includes(ip) ? { reason: "ClaimedByOther" } : {};
  const seen = ip !== undefined && [...ours, ...lost].includes(ip) ? asked : {};
  const status = { ...seen, ...reason, ...dnsStatus(written) };
  const resource = { ...routed(name, { ...asked, ...dnsSpec(desired) }, status), metadata: meta(name, dayOf(name)) };
  return routedIpClaims(resource, { provider: "digitalocean" });
}

function nodeRecords(name: string, desired: Desired, written: Written): Claimant {
  const spec = { dnsRecordSet: { recordName: "", zone: "" }, ...dnsSpec(desired) };
  return nodeRecordClaims({ metadata: meta(name, dayOf(name)), spec, status: dnsStatus(written) });
}

function dnsSpec({ record, deletionPolicy }: Pick<Desired, "record" | "deletionPolicy">) {
  return record === undefined ? {} : { dnsRecordSet: { recordName: record, zone: "example.com", deletionPolicy } };
}

function dnsStatus({ record }: Pick<Written, "record">) {
  const where = { provider: "digitalocean", zone: "example.com", types: ["A"] as const, values: [] };
  return record === undefined ? {} : { dns: { recordName: record, ...where } };
}

function dayOf(name: string): number {
  return DAYS[name] ?? 1;
}

function isOurs({ names }: ClaimView, record: string): boolean {
  return names.some(({ fqdn, claim }) => fqdn === `${record}.example.com` && claim.ours);
}

const desired: fc.Arbitrary<Desired> = fc.record({
  ips: fc.subarray(IPS),
  record: fc.constantFrom(undefined, ...RECORDS),
  deletionPolicy: fc.constantFrom("Retain", "Delete"),
});
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(name, desired).map(
      ([who, what]) =>
        (world: World) =>
          world.ask(who, oneIpFor(who, what)),
    ),
  },
  { weight: 6, arbitrary: name.map((who) => (world: World) => world.write(who)) },
  { weight: 1, arbitrary: name.map((who) => (world: World) => world.remove(who)) },
  {
    weight: 1,
    arbitrary: fc.tuple(name, fc.constantFrom(...IPS)).map(
      ([who, ip]) =>
        (world: World) =>
          world.create(who, ip),
    ),
  },
);
const history = fc.array(step, { maxLength: 40 });

function oneIpFor(who: string, what: Desired): Desired {
  if (who.startsWith("n")) return { ...what, ips: [] };
  return who.startsWith("r") ? { ...what, ips: what.ips.slice(0, 1) } : what;
}

function play(steps: readonly ((world: World) => void)[], check: (world: World) => void): void {
  const world = new World();
  for (const apply of steps) {
    apply(world);
    check(world);
  }
}

describe("claims, in random histories", () => {
  it("give each address and each name to exactly one of those that ask for it", () => {
    const check = (world: World) => {
      for (const thing of [...IPS, ...RECORDS]) {
        const asking = NAMES.filter((who) => world.asksFor(who, thing));
        const using = NAMES.filter((who) => world.uses(who, thing));
        expect(using.length, `${thing} of ${asking.join()}`).to.be.lessThanOrEqual(1);
        // A former name under Delete is used by one that no longer asks for it.
        if (asking.length > 0) expect(using.length, `${thing} of ${asking.join()}`).to.equal(1);
      }
    };
    fc.assert(fc.property(history, (steps) => play(steps, check)));
  });

  it("never take from a resource what its status has and its spec has not dropped", () => {
    const check = (world: World) => {
      for (const entry of world.incumbents) {
        const [who = "", thing = ""] = entry.split(" ");
        expect(world.uses(who, thing), entry).to.equal(true);
      }
    };
    fc.assert(fc.property(history, (steps) => play(steps, check)));
  });

  it("are what they would be if all were read anew, in any order", () => {
    const check = (world: World) => {
      const anew = new Claims();
      for (const claimant of [...world.claimants()].reverse()) anew.put(claimant);
      for (const who of NAMES) expect(world.view(who)).to.deep.equal(anew.view(`uid-${who}`));
    };
    fc.assert(fc.property(history, (steps) => play(steps, check)));
  });

  it("notify every resource whose view has changed", () => {
    fc.assert(
      fc.property(history, (steps) => {
        let notified = new Set<string>();
        const copy = new Claims((uids) => {
          notified = new Set([...notified, ...uids]);
        });
        const world = new World();
        for (const apply of steps) {
          const before = new Map(NAMES.map((who) => [who, copy.view(`uid-${who}`)]));
          const previous = new Set(world.desiredItems.keys());
          apply(world);
          notified = new Set();
          for (const who of previous) if (!world.desiredItems.has(who)) copy.drop(`uid-${who}`);
          for (const claimant of world.claimants()) copy.put(claimant);
          for (const who of world.desiredItems.keys()) {
            if (notified.has(`uid-${who}`)) continue;
            expect(copy.view(`uid-${who}`), who).to.deep.equal(before.get(who));
          }
        }
      }),
    );
  });
});
