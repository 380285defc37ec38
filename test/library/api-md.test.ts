import { readFileSync } from "node:fs";
import { expect } from "chai";
import { describe, it } from "mocha";
import { API_MD, apiMd } from "../../tools/library/api-md.js";
import { readAssembly } from "../../tools/library/assembly.js";

describe("constructs/API.md", () => {
  it("is up to date with the docstrings; npm run reference rewrites it", () => {
    // The test compares a boolean, because chai needs minutes for the difference of two texts of this size.
    expect(readFileSync(API_MD, "utf8") === apiMd()).to.equal(true);
  }).timeout(60_000);

  it("begins with working links to every class and struct", () => {
    const page = readFileSync(API_MD, "utf8");
    const [contents = ""] = page.split("\n## ");
    const links = [...contents.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor]) => anchor);
    const types = Object.keys(readAssembly().types);
    expect(links.filter((link) => link?.startsWith("cdk8s-flipop."))).to.have.members(types);
    expect(links.filter((link) => !page.includes(`id="${link}"`))).to.deep.equal([]);
  });

  it("omits only the members that every construct inherits", () => {
    const page = readFileSync(API_MD, "utf8");
    expect(page).not.to.match(/id="[^"]*\.(toString|isConstruct|with|property\.node)"/);
    const [[, ours] = []] = Object.entries(readAssembly().types).filter(([name]) => name.endsWith(".FlipopOperator"));
    const missing = ours?.properties?.filter(({ name }) => !page.includes(`FlipopOperator.property.${name}"`));
    expect(missing).to.deep.equal([]);
    expect(page).to.include('id="cdk8s-flipop.RoutedIPIssuer.fromRoutedIPIssuerName"');
  });
});
