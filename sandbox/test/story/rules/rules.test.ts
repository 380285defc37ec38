import { expect } from "chai";
import { describe, it } from "mocha";
import type { Fact, PoolView } from "../../../src/story/rules/facts.js";
import { RULES, verdictsOf } from "../../../src/story/rules/rules.js";
import { allCalls, totalsOf } from "../../../src/story/rules/totals.js";

function view(serving: readonly string[], more: Partial<PoolView> = {}): PoolView {
  return { pool: "a/b", ips: ["x"], entitled: 1, serving: new Set(serving), eligible: new Set(serving), ...more };
}

const pools = (at: number, ...views: readonly PoolView[]): Fact => ({ at, kind: "pools", pools: views });
const moved = (at: number, ip: string, from: string | undefined, to: string | undefined): Fact => ({
  ...{ at, kind: "moved", ip, from, to, by: "operator" },
});
const ordered = (at: number, ip: string, from: string, to?: string): Fact => ({ at, kind: "ordered", ip, from, to });
const records = (at: number, ...values: readonly string[]): Fact => ({
  ...{ at, kind: "records", set: "A www (digitalocean)", values, before: [], by: "operator" },
});

const routed = (at: number, serving: readonly string[], eligible: readonly string[], rules = ["udp 1"]): Fact =>
  pools(at, {
    ...{ pool: "RoutedIP v/g", ips: ["x"], entitled: 0, serving: new Set(serving), eligible: new Set(eligible) },
    ...{ noticeMs: 27_000, firewall: { name: "fw", rules } },
  });
const firewall = (at: number, by: "operator" | "story", rules: readonly string[], nodes: readonly string[]): Fact => ({
  ...{ at, kind: "firewall", name: "fw", rules, nodes, by },
});
const open = firewall(0, "operator", ["udp 1"], ["n", "m"]);
const later = (at: number): Fact => ({ at, kind: "kube-write", what: "PATCH" });
const failed = (at: number): Fact => ({
  ...{ at, kind: "call", cloud: "digitalocean", what: "POST /v2", writes: true, status: 503 },
});

describe("rules of a story", () => {
  const broken: readonly (readonly [rule: string, violation: string, facts: readonly Fact[]])[] = [
    [
      "no node ever held more",
      "00:02 n held x and y",
      [moved(1_000, "x", undefined, "n"), moved(2_000, "y", undefined, "n")],
    ],
    [
      "never more addresses created",
      "00:01 y was created: 2 in all, 1 wanted",
      [pools(0, view([])), { at: 0, kind: "made", ip: "x" }, { at: 1_000, kind: "made", ip: "y" }],
    ],
    ["no record set was ever empty", "00:03 A www (digitalocean) was empty", [records(0, "x"), records(3_000)]],
    [
      "no address left a healthy holder",
      "00:09 a/b: x was taken from n, which was well since 00:01",
      [pools(1_000, view(["n", "m"])), ordered(9_000, "x", "n", "m")],
    ],
    [
      "no address left a healthy holder",
      "00:09 a/b: x was taken from n",
      [pools(1_000, view(["n"])), ordered(9_000, "x", "n")],
    ],
    [
      "at rest nothing was written",
      "00:02 PATCH /api/v1/nodes/n",
      [
        { at: 1_000, kind: "rest-begins" },
        { at: 2_000, kind: "kube-write", what: "PATCH /api/v1/nodes/n" },
      ],
    ],
    [
      "at rest nothing was written",
      "00:02 POST /v2",
      [
        { at: 1_000, kind: "rest-begins" },
        { at: 2_000, kind: "call", cloud: "digitalocean", what: "POST /v2", writes: true, status: 201 },
      ],
    ],
    [
      "no RoutedIP was left",
      "00:40 RoutedIP v/g: its address is on n, which stopped to serve as known since 00:10",
      [open, moved(0, "x", undefined, "n"), routed(10_000, ["n", "m"], ["m"]), routed(40_000, ["m"], ["m"])],
    ],
    [
      "no RoutedIP was left",
      "01:40 RoutedIP v/g: its address is on n, which has not served since 00:10",
      [open, moved(0, "x", undefined, "n"), routed(10_000, ["m"], ["m"]), later(100_000), later(110_000)],
    ],
    [
      "the firewall of a RoutedIP",
      "00:01 RoutedIP v/g: n has the address and is not in fw",
      [firewall(0, "operator", ["udp 1"], ["m"]), routed(0, ["n"], ["n"]), moved(1_000, "x", undefined, "n")],
    ],
    [
      "the firewall of a RoutedIP",
      "00:05 RoutedIP v/g: firewall fw lacks udp 1 while n has the address",
      [open, routed(0, ["n"], ["n"]), moved(1_000, "x", undefined, "n"), firewall(5_000, "operator", [], ["n"])],
    ],
    [
      "the firewall of a RoutedIP",
      "02:06 RoutedIP v/g: firewall fw lacks udp 1",
      [
        ...[open, routed(0, ["n"], ["n"]), moved(1_000, "x", undefined, "n"), firewall(5_000, "story", [], ["n"])],
        later(126_000),
      ],
    ],
    [
      "no firewall rule of somebody else",
      "00:02 somebody's rule was removed from fw: tcp 2",
      [open, firewall(1_000, "story", ["tcp 2", "udp 1"], ["n"]), firewall(2_000, "operator", ["udp 1"], ["n"])],
    ],
    ["everything ended", "00:01 the crash never came", [{ at: 1_000, kind: "failure", what: "the crash never came" }]],
  ];
  for (const [rule, violation, facts] of broken) {
    it(`"${rule} ..." fails: ${violation}`, () => {
      for (const { title, violations } of verdictsOf(facts)) {
        if (title.startsWith(rule)) expect(violations.join()).to.include(violation);
        else expect(violations, title).to.deep.equal([]);
      }
    });
  }
  it("are all broken above", () => {
    for (const { title } of RULES)
      expect(
        broken.some(([rule]) => title.startsWith(rule)),
        title,
      ).to.equal(true);
  });

  const kept: readonly (readonly [string, readonly Fact[]])[] = [
    [
      "a RoutedIP without hostPorts needs no firewall",
      [routed(0, ["n"], ["n"], []), moved(1_000, "x", undefined, "n"), later(2_000)],
    ],
    [
      "a node gets the address after the one before has left",
      [moved(0, "x", undefined, "n"), moved(1, "x", "n", "m"), moved(2, "y", undefined, "n")],
    ],
    [
      "a node has one address of each family",
      [moved(0, "192.0.2.1", undefined, "n"), moved(1, "2001:db8::1", undefined, "n")],
    ],
    [
      "an address is made again after one was released",
      [
        pools(0, view([])),
        { at: 0, kind: "made", ip: "x" },
        { at: 1, kind: "gone", ip: "x" },
        { at: 2, kind: "made", ip: "y" },
      ],
    ],
    ["a person empties a record set", [records(0, "x"), { ...records(1), by: "story" } as Fact]],
    ["a set that never was is empty", [records(0)]],
    [
      "the holder was cordoned",
      [
        pools(0, view(["n"])),
        pools(7_000, view(["n"], { eligible: new Set<string>() })),
        ordered(9_000, "x", "n", "m"),
      ],
    ],
    [
      "a RoutedIP's address leaves before the end of service",
      [
        ...[open, moved(0, "x", undefined, "n"), routed(10_000, ["n", "m"], ["m"]), moved(30_000, "x", "n", "m")],
        routed(40_000, ["m"], ["m"]),
      ],
    ],
    [
      "a RoutedIP's node fails without notice, and the address moves in time",
      [open, moved(0, "x", undefined, "n"), routed(10_000, ["m"], ["m"]), moved(50_000, "x", "n", "m"), later(500_000)],
    ],
    [
      "the cloud fails while a RoutedIP should move",
      [
        ...[open, moved(0, "x", undefined, "n"), routed(10_000, ["n", "m"], ["m"]), failed(30_000)],
        ...[routed(40_000, ["m"], ["m"]), failed(90_000), later(150_000)],
      ],
    ],
    [
      "the only other node of a RoutedIP holds another address",
      [
        ...[open, moved(0, "x", undefined, "n"), moved(0, "z", undefined, "m"), routed(10_000, ["n", "m"], ["m"])],
        ...[routed(40_000, ["m"], ["m"]), later(500_000)],
      ],
    ],
    [
      "a rule that a person took away is back soon, and one that the operator made goes",
      [
        ...[open, routed(0, ["n"], ["n"]), moved(1_000, "x", undefined, "n"), firewall(5_000, "story", [], ["n"])],
        ...[firewall(65_000, "operator", ["tcp 2", "udp 1"], ["n"]), firewall(66_000, "operator", ["udp 1"], ["n"])],
        later(500_000),
      ],
    ],
    [
      "the holder is back for a moment only",
      [pools(0, view([])), pools(8_000, view(["n"])), ordered(9_000, "x", "n", "m")],
    ],
    [
      "reads at rest, and writes after it",
      [
        { at: 0, kind: "rest-begins" },
        { at: 1, kind: "call", cloud: "cloudflare", what: "GET /zones", writes: false, status: 200 },
        { at: 2, kind: "rest-ends" },
        { at: 3, kind: "kube-write", what: "PATCH" },
      ],
    ],
  ];
  for (const [title, facts] of kept) {
    it(`hold where ${title}`, () => {
      expect(verdictsOf(facts).flatMap(({ violations }) => violations)).to.deep.equal([]);
    });
  }
});

describe("totals of a story", () => {
  it("count the time in which an address is on no node that serves it, from the first that did", () => {
    const facts: readonly Fact[] = [
      pools(0, view([])),
      moved(1_000, "x", undefined, "n"),
      pools(3_000, view(["n"])),
      pools(10_000, view(["m"])),
      moved(14_000, "x", "n", "m"),
      pools(20_000, view([])),
    ];
    const [address] = totalsOf(facts, 25_000).addresses;
    expect(address).to.deep.equal({ ip: "x", pool: "a/b", holder: "m", moves: 1, downMs: 4_000 + 5_000 });
  });

  it("count moves by the operator, also with an unassignment between, and no first assignment", () => {
    const facts: readonly Fact[] = [
      pools(0, view(["n", "m"], { ips: ["x", "y"] })),
      moved(1, "x", undefined, "n"),
      moved(2, "x", "n", undefined),
      moved(3, "x", undefined, "m"),
      moved(4, "y", undefined, "n"),
      { ...moved(5, "y", "n", "m"), by: "story" } as Fact,
    ];
    expect(totalsOf(facts, 10).addresses.map(({ ip, moves }) => [ip, moves])).to.deep.equal([
      ["x", 1],
      ["y", 0],
    ]);
  });

  it("count calls by cloud", () => {
    const call = { at: 0, kind: "call", cloud: "digitalocean", what: "GET /v2" } as const;
    const facts: readonly Fact[] = [
      { ...call, writes: false, status: 200 },
      { ...call, writes: true, status: 503 },
      { ...call, writes: true, status: undefined },
      { ...call, cloud: "cloudflare", writes: false, status: 200 },
    ];
    const totals = totalsOf(facts, 1);
    expect(totals.calls).to.deep.equal({
      digitalocean: { all: 3, writes: 2, failed: 2 },
      cloudflare: { all: 1, writes: 0, failed: 0 },
    });
    expect(allCalls(totals)).to.equal(4);
  });
});
