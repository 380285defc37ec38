import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { ARCHITECTURES } from "../../tools/image/pinned-packages.js";
import { npmParts, sbom, systemParts } from "../../tools/image/sbom.js";

describe("the image's bill of materials", () => {
  let base: string;

  before(() => {
    base = mkdtempSync(join(tmpdir(), "flipop-sbom-"));
    addPackage("node_modules/plain", { name: "plain", version: "1.0.0", license: "MIT" });
    addPackage("node_modules/@scope/inner", { name: "@scope/inner", version: "2.0.0", license: "0BSD" });
    addPackage("node_modules/other/node_modules/plain", { name: "plain", version: "1.0.0", license: "MIT" });
    addPackage("node_modules/plain/node_modules/plain", { name: "plain", version: "0.9.0", license: "ISC" });
  });

  after(() => rmSync(base, { recursive: true }));

  function addPackage(folder: string, content: object): void {
    mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, folder, "package.json"), JSON.stringify(content));
  }

  const inputs = {
    "src/main.ts": {},
    "node_modules/plain/index.js": {},
    "node_modules/plain/lib/other.js": {},
    "node_modules/@scope/inner/index.js": {},
    "node_modules/other/node_modules/plain/index.js": {},
    "node_modules/plain/node_modules/plain/index.js": {},
  };

  it("has each npm package of the bundle once, in all its versions", () => {
    expect(npmParts({ inputs }, base).map(({ purl, license }) => [purl, license])).to.deep.equal([
      ["pkg:npm/%40scope/inner@2.0.0", "0BSD"],
      ["pkg:npm/plain@0.9.0", "ISC"],
      ["pkg:npm/plain@1.0.0", "MIT"],
    ]);
  });

  for (const [lacking, content] of Object.entries({
    "names no licence of plain": { name: "plain", version: "1.0.0" },
    "has no name or no version": { license: "MIT" },
  })) {
    it(`refuses a package that ${lacking}`, () => {
      addPackage("node_modules/lacking", content);
      expect(() => npmParts({ inputs: { "node_modules/lacking/index.js": {} } }, base)).to.throw(lacking);
    });
  }

  it("has a licence for each package of each platform", () => {
    const parts = ARCHITECTURES.flatMap((architecture) => systemParts(architecture));
    expect(parts.filter(({ name, license }) => name === "" || /NOASSERTION|NONE/.test(license))).to.deep.equal([]);
  });

  it("lists Node and the libraries of the platform", () => {
    const purls = systemParts("arm64").map(({ purl }) => purl);
    expect(purls).to.include("pkg:generic/node@24.21.0");
    expect(purls.join("\n")).to.match(/pkg:deb\/debian\/libc6@2\.\d+-\S+\?arch=arm64&distro=debian-12/);
  });

  it("is SPDX, in which flipop contains all other packages", () => {
    const document = JSON.parse(sbom(npmParts({ inputs }, base), 0)) as {
      readonly spdxVersion: string;
      readonly creationInfo: { readonly created: string };
      readonly packages: readonly { readonly SPDXID: string }[];
      readonly relationships: readonly { readonly relationshipType: string; readonly relatedSpdxElement: string }[];
    };
    expect(document.spdxVersion).to.equal("SPDX-2.3");
    expect(document.creationInfo.created).to.equal("1970-01-01T00:00:00Z");
    expect(document.relationships.map(({ relatedSpdxElement }) => relatedSpdxElement)).to.deep.equal(
      document.packages.map(({ SPDXID }) => SPDXID),
    );
    expect(document.relationships.map(({ relationshipType }) => relationshipType)).to.deep.equal([
      "DESCRIBES",
      "CONTAINS",
      "CONTAINS",
      "CONTAINS",
    ]);
  });
});
