import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describe, it } from "mocha";
import { EMBEDDED, embeddedStory } from "../../tools/story/embed.js";

describe("the sandbox's own story", () => {
  it("is up to date with scenario and examples; npx tsx tools/story/main.ts rewrites it", function () {
    this.timeout(120_000);
    expect(readFileSync(EMBEDDED, "utf8")).to.equal(embeddedStory());
  });
});
