import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";
import { CONSTRUCTS } from "../../tools/packs/paths.js";

describe("the compiled library", () => {
  it("contains no inline source map, which would double the size of the package", () => {
    const lib = join(CONSTRUCTS, "lib");
    const files = readdirSync(lib, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
    expect(files).to.have.length.above(50);
    expect(files.filter((file) => readFileSync(join(lib, file), "utf8").includes("sourceMappingURL"))).to.deep.equal(
      [],
    );
  });
});
