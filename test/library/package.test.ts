import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { CONSTRUCTS, ROOT } from "../../tools/packs/paths.js";
import { run } from "../../tools/packs/run-command.js";

describe("the compiled library", () => {
  it("contains no inline source map, which would double the size of the package", () => {
    const lib = join(CONSTRUCTS, "lib");
    const files = readdirSync(lib, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
    expect(files).to.have.length.above(50);
    expect(files.filter((file) => readFileSync(join(lib, file), "utf8").includes("sourceMappingURL"))).to.deep.equal(
      [],
    );
  });

  it("loads the parts of an operator only with the first operator, because an import costs CPU time", () => {
    const loaded = (after: string): readonly string[] => {
      const script = `const { App, Chart } = require("cdk8s");
        const { FlipopOperator } = require("cdk8s-flipop");
        ${after}
        console.log(JSON.stringify(Object.keys(require.cache)));`;
      const files = JSON.parse(
        run(process.execPath, ["-e", script], { cwd: ROOT, env: { NODE_OPTIONS: "" } }),
      ) as string[];
      return files.filter((file) => file.startsWith(join(CONSTRUCTS, "lib/")));
    };
    const ofOperator = /\/lib\/operator\/(?!cluster-object)|\/lib\/cli\/|\/lib\/manifests\/(?!plugin)/;
    expect(loaded("").filter((file) => ofOperator.test(file))).to.deep.equal([]);
    // The API's types and constructs. A new public type adds a file; a part of the operator must not.
    expect(loaded("").length).to.be.within(50, 130);
    const operator = 'new FlipopOperator(new Chart(new App(), "a"), "b");';
    expect(loaded(operator).filter((file) => ofOperator.test(file))).to.have.length.above(30);
  });
});
