import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ASSIGN_VARIABLES, FIREWALL_VARIABLES, JOB_REPORT } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { pageText } from "../support/docs.js";

const PAGE = "how-to/bring-your-own-cloud.md";

describe(`docs/${PAGE}`, () => {
  it("contains the class of examples/own-cloud", () => {
    const sample = readFileSync(resolve(import.meta.dirname, "../../examples/own-cloud/class.yaml"), "utf8");
    expect(pageText(PAGE)).to.include(`\`\`\`yaml\n${sample}\`\`\`\n`);
  });

  it("lists each variable with its meaning, and the report", () => {
    const text = pageText(PAGE).replaceAll("`", "");
    for (const [name, meaning] of Object.entries({ ...ASSIGN_VARIABLES, ...FIREWALL_VARIABLES })) {
      expect(text).to.include(`| ${name} | ${meaning.replaceAll("`", "")} |`);
    }
    expect(text).to.include(JOB_REPORT);
  });

  it("is not the only place: kubectl explain and resources.md list them, too", () => {
    const text = pageText("reference/resources.md");
    for (const name of Object.keys({ ...ASSIGN_VARIABLES, ...FIREWALL_VARIABLES }))
      expect(text).to.include(`${name} (`);
    expect(text).to.include(JOB_REPORT);
  });
});
