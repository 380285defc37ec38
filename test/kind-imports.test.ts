import { expect } from "chai";
import { ESLint, Linter } from "eslint";
import { describe, it } from "mocha";

const RULE = "no-restricted-imports";
const eslint = new ESLint();

/** How many imports the lint refuses in a file with this one import. */
async function refused(file: string, path: string): Promise<number> {
  const { rules } = (await eslint.calculateConfigForFile(file)) as { readonly rules: Linter.RulesRecord };
  const rule = rules[RULE] ?? "off";
  return new Linter().verify(`import { x } from "${path}";\nx();`, { rules: { [RULE]: rule } }).length;
}

describe("the lint of imports between the folders of kinds", () => {
  const POOL = "operator/src/controllers/floating-ip-pool/plan.ts";

  it("refuses an import of another kind's folder, from any depth", async () => {
    expect(await refused(POOL, "../routed-ip/plan.js")).to.equal(1);
    expect(await refused("operator/src/controllers/routed-ip/jobs/plan.ts", "../../floating-ip-pool/plan.js")).to.equal(
      1,
    );
  });

  it("refuses an import of a kind's folder in code that kinds share", async () => {
    for (const folder of ["addresses", "records", "jobs", "reconcile", "routing", "publishing", "addresses/creation"]) {
      const up = "../".repeat(folder.split("/").length);
      expect(await refused(`operator/src/${folder}/a.ts`, `${up}controllers/routed-ip/plan.js`), folder).to.equal(1);
    }
  });

  it("allows a kind its own folder, shared code and the files beside the kinds", async () => {
    for (const path of ["./conditions.js", "../../addresses/grace.js", "../context.js", "../../routing/routing.js"]) {
      expect(await refused(POOL, path), path).to.equal(0);
    }
    expect(await refused("operator/src/controllers/routed-ip/jobs/plan.ts", "../plan.js")).to.equal(0);
    expect(await refused("operator/src/operator.ts", "./controllers/floating-ip-pool/controller.js")).to.equal(0);
  });
});
