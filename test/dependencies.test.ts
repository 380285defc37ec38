import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { describe, it } from "mocha";

const ROOT = join(import.meta.dirname, "..");
/** All of them allow a company to ship and change the software. */
const LICENCES = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Python-2.0", "Unlicense"];

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Packages that users install and the image contains: neither flipop's nor development ones. */
const SHIPPED = Object.entries(packages).filter(
  ([path, { link, dev }]) => path.includes("node_modules/") && link !== true && dev !== true,
);

describe("shipped dependencies", () => {
  it("have licences that only require their text", () => {
    const terms = (license = "none") => license.replaceAll(/[()]/g, "").split(" AND ");
    const others = SHIPPED.filter(([, { license }]) => !terms(license).every((term) => LICENCES.includes(term)));
    expect(others.map(([path, { license }]) => `${path}: ${license}`)).to.deep.equal([]);
    expect(SHIPPED).not.to.have.length(0);
  });

  for (const workspace of ["operator", "constructs", "sandbox"]) {
    it(`of ${workspace} are in ADR 2, and have one version`, () => {
      const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")) as {
        readonly dependencies?: Readonly<Record<string, string>>;
      };
      const adr = readFileSync(join(ROOT, "docs", "adr", "0002-repo-layout.md"), "utf8");
      for (const [name, range] of Object.entries(dependencies)) {
        expect(range, name).to.match(/^\d+\.\d+\.\d+$/);
        if (!name.includes("flipop")) expect(adr, name).to.include(`| ${name} `);
      }
    });
  }
});
