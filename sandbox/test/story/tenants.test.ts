import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { afterEach, describe, it } from "mocha";
import { readScenario } from "../../src/story/scenario/read-scenario.js";
import { Story } from "../../src/story/story.js";
import { poolStory } from "./pool-story.js";

const SCENARIO = resolve(import.meta.dirname, "../../../examples/scenarios/tenants.yaml");
const LIMITS = "operator: { tenantLimits: { namespaces: [{ names: [default], allowedAddresses: [Created] }] } }\n";
const REFUSED = "- refused: { object: FloatingIPPool default/web, reason: AddressNotAllowed }";

describe("a story with limits of tenants", function () {
  this.timeout(120_000);
  const open: Story[] = [];
  afterEach(() => Promise.all(open.splice(0).map((story) => story.close())));

  async function play(text: string) {
    const lines: string[] = [];
    const story = await Story.prepare({
      scenario: readScenario({ name: "test.yaml", text, readFile: () => "" }),
      ...{ speed: 600, port: 0, logger: silentLogger, style: { width: 100, colours: false } },
      print: (line) => lines.push(line),
    });
    open.push(story);
    return { passed: await story.play(new AbortController().signal), text: lines.join("\n") };
  }

  /** The pool lists an address that its namespace may not have, from the start. */
  function limited(...steps: readonly string[]): string {
    const story = poolStory({ steps: steps.map((step) => `      ${step}`).join("\n") });
    return LIMITS + story.replace("      - settle\n", "");
  }

  it("refuses what a team may not have, and serves all others", async () => {
    const { passed, text } = await play(readFileSync(SCENARIO, "utf8"));
    expect(passed, text).to.equal(true);
    for (const reason of ["AddressNotAllowed", "NameNotAllowed", "CreationNotAllowed"]) {
      expect(text.replaceAll(/\s+/g, " ")).to.match(new RegExp(`team-a/\\w+ is refused: ${reason}: `));
    }
  });

  it("settles beside a refusal that the scenario expects", async () => {
    const { passed, text } = await play(limited(REFUSED, "- settle"));
    expect(passed, text).to.equal(true);
  });

  it("does not settle beside one that it does not expect", async () => {
    const { passed, text } = await play(limited("- settle: { within: 30s }"));
    expect(passed).to.equal(false);
    expect(text.replaceAll(/\s+/g, " ")).to.contain("not settled after 30 s: FloatingIPPool default/web: Ready=False");
  });

  it("fails where nothing refuses, and where a person has changed the object since", async () => {
    const { passed, text } = await play(limited(REFUSED.replace("AddressNotAllowed", "NameNotAllowed")));
    expect(passed).to.equal(false);
    expect(text).to.contain("FloatingIPPool default/web has no NameNotAllowed after 60 s");
    const patch = "- patch: { object: FloatingIPPool default/web, merge: { spec: { gracePeriodSeconds: 1 } } }";
    expect((await play(limited(REFUSED, patch, "- settle: { within: 30s }"))).passed).to.equal(false);
  });
});
