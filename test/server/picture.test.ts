import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { playedExcerpt } from "../../tools/recording/play.js";
import { terminalSvg } from "../../tools/recording/svg.js";

const PICTURE = resolve(import.meta.dirname, "../../docs/images/sandbox.svg");

describe("the picture in the README", function () {
  this.timeout(180_000);

  it("has the texts that the story prints; npx tsx tools/recording/main.ts updates it", async () => {
    const played = wordsOf(terminalSvg(await playedExcerpt(), "npm start"));
    expect(wordsOf(readFileSync(PICTURE, "utf8"))).to.equal(played);
  });
});

/** Without markup, line breaks, and the figures and names that differ from one play to the next. */
function wordsOf(svg: string): string {
  const text = svg.replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, " ");
  return text.replaceAll(/\d[\d.:]*/g, "N").replaceAll(/\s+/g, " ");
}
