import { expect } from "chai";
import { describe, it } from "mocha";
import { deed, factLine, situation, summary } from "../../src/story/narration-lines.js";
import { totalsOf } from "../../src/story/rules/totals.js";
import { parseDuration, secondsText, storyTime } from "../../src/story/scenario/duration.js";
import { styleOf, table, wrapped } from "../../src/story/terminal-text.js";

const PLAIN = { width: 60, colours: false };
const COLOURED = { width: 60, colours: true };
const ESCAPE = String.fromCodePoint(0x1b);

describe("the text of a story", () => {
  it("has colours only on a terminal that wants them", () => {
    expect(styleOf({ isTTY: true, columns: 90 }, {})).to.deep.equal({ width: 90, colours: true });
    expect(styleOf({ isTTY: true, columns: 90 }, { NO_COLOR: "1" }).colours).to.equal(false);
    expect(styleOf({ isTTY: true, columns: 90 }, { TERM: "dumb" }).colours).to.equal(false);
    expect(styleOf({}, {})).to.deep.equal({ width: 100, colours: false });
    expect(styleOf({ isTTY: true, columns: 20 }, {}).width).to.equal(60);
  });

  it("fits the terminal", () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
    const lines = wrapped(PLAIN, `   ${words}`, 5).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).to.be.within(50, 60);
    expect(lines[0]).to.match(/^ {3}word0/);
    expect(lines[1]).to.match(/^ {5}word/);
    expect(lines.map((line) => line.trim()).join(" ")).to.equal(words);
    for (const row of table(PLAIN, [["a", "b".repeat(99)]], 2)) expect(row).to.have.length(60);
  });

  it("has the same words with and without colours", () => {
    const plain = deed(PLAIN, 61_000, "edge-1 fails");
    expect(plain).to.equal("01:01  * edge-1 fails");
    const coloured = deed(COLOURED, 61_000, "edge-1 fails");
    expect(coloured).to.include(ESCAPE).and.include(plain);
  });

  it("shows Events, except for those of record sets, which it reports itself", () => {
    const event = {
      at: 0,
      kind: "event",
      warning: false,
      reason: "Moving",
      about: "FloatingIPPool web",
      note: "n",
    } as const;
    expect(factLine(PLAIN, event)).to.equal("00:00    web: n");
    expect(factLine(PLAIN, { ...event, warning: true })).to.equal("00:00  ! web: n");
    expect(factLine(PLAIN, { ...event, reason: "RecordsChanged" })).to.equal(undefined);
    const set = "A www.example.com (digitalocean)";
    const change = { at: 0, kind: "records", set, values: ["b", "c"], before: ["a", "b"], by: "operator" } as const;
    expect(factLine(PLAIN, change)?.replaceAll(/\s+/g, " ")).to.equal(
      "00:00 www.example.com: + c; - a; 2 addresses now",
    );
    expect(factLine(PLAIN, { ...change, by: "story" })).to.equal(undefined);
  });

  it("shows which address is where", () => {
    const places = [{ ip: "192.0.2.1", pool: "a/b", node: undefined, state: "unassigned", version: "" }];
    const sets = new Map([["A www (digitalocean)", []]]);
    const firewalls = [{ name: "voice", rules: ["tcp 8080", "udp 5060"], nodes: ["edge-1"] }];
    const lines = situation(PLAIN, { places, sets, firewalls }).split("\n");
    expect(lines.map((line) => line.trim().split(/\s{2,}/))).to.deep.equal([
      ["ADDRESS", "NODE", "KUBELET", "STATE", "OF"],
      ["192.0.2.1", "-", "unassigned", "a/b"],
      [""],
      ["RECORD SET", "VALUES"],
      ["A www (digitalocean)", "none"],
      [""],
      ["FIREWALL", "LETS IN", "NODES"],
      ["voice", "tcp 8080, udp 5060", "edge-1"],
    ]);
  });

  it("ends with PASS or FAIL for each rule", () => {
    const violations = Array.from({ length: 7 }, (_, index) => `violation ${index}`);
    const verdicts = [
      { title: "first", violations: [] },
      { title: "second", violations },
    ];
    const text = summary(PLAIN, totalsOf([], 0), verdicts, 0);
    expect(text).to.match(/PASS first\n\s+FAIL second\n\s+violation 0\n/);
    expect(text).to.match(/violation 4\n\s+\.\.\. and 2 more$/);
  });

  it("reads and shows times", () => {
    expect(["90s", "2m", "1h30m", "0.5s"].map(parseDuration)).to.deep.equal([90_000, 120_000, 5_400_000, 500]);
    expect(["", "5", "m", "1d", "2m1h"].map(parseDuration)).to.deep.equal(Array(5).fill(undefined));
    expect([0, 61_900, 3_600_000].map(storyTime)).to.deep.equal(["00:00", "01:01", "60:00"]);
    expect([40, 4_240, 64_400].map(secondsText)).to.deep.equal(["0 s", "4.2 s", "64 s"]);
  });
});
