import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { RULES } from "flipop-sandbox/story";
import { describe, it } from "mocha";
import { parse } from "yaml";
import { excerpt, SHOWN_ACTS } from "../tools/recording/excerpt.js";
import { terminalSvg } from "../tools/recording/svg.js";

const ROOT = resolve(import.meta.dirname, "..");
const PICTURE = "docs/images/sandbox.svg";
const RENEW = "npx tsx tools/recording/main.ts renews it";
const ESCAPE = String.fromCodePoint(0x1b);

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

describe("the picture of the sandbox", () => {
  it("shows the story of npm start; npx tsx tools/recording/main.ts updates it", () => {
    const { title, acts } = parse(read("examples/scenarios/story.yaml")) as {
      title: string;
      acts: { title: string }[];
    };
    const words = read(PICTURE).replaceAll(/<[^>]+>/g, "\n");
    const titles = SHOWN_ACTS.map((number) => `Act ${number}: ${acts[number - 1]?.title} -`);
    for (const text of [`flipop sandbox: ${title}`, ...titles, ...RULES.map((rule) => rule.title)]) {
      expect(words, RENEW).to.include(text.replaceAll("&", "&amp;"));
    }
    expect(words.match(/^PASS$/gm), RENEW).to.have.length(RULES.length);
    expect(words).to.not.include("FAIL");
  });

  it("is in the README", () => {
    expect(read("README.md")).to.include(`](${PICTURE})`);
  });
});

describe("a picture of a terminal", () => {
  it("keeps the colours, and escapes XML characters", () => {
    const svg = terminalSvg(`a ${ESCAPE}[32mPASS${ESCAPE}[39m <b> & c`, "t");
    expect(svg).to.match(/class="green"[^>]*>PASS<\/text>/);
    expect(svg).to.include("> &lt;b&gt; &amp; c</text>").and.not.include(ESCAPE);
    expect(svg.match(/x="([\d.]+)" y="52"/g)).to.have.length(3);
  });

  it("shows some acts without their tables, and marks omitted ones", () => {
    const act = (number: number) => `00:00  Act ${number}: t ----\n       about ${number}\n\n       table`;
    const text = [
      "opening",
      "",
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(act),
      "00:09  Summary ----",
      "moves 1",
      "",
      "PASS",
    ].join("\n");
    const lines = excerpt(text)
      .split("\n")
      .filter((line) => line !== "");
    expect(lines.map((line) => line.trim())).to.deep.equal([
      ...["opening", "...", "00:00  Act 4: t ----", "about 4", "...", "00:00  Act 7: t ----", "about 7", "..."],
      ...["00:09  Summary ----", "moves 1", "PASS"],
    ]);
  });
});
