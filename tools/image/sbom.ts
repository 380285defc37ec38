import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "cdk8s-flipop/api";
import { REPOSITORY } from "../../projenrc/versions.js";
import type { Metafile } from "./bundle.js";
import { type Architecture, DEBIAN, DEBIAN_LICENSES, DEBIAN_PACKAGES, NODE_VERSION } from "./pinned-packages.js";

/** A part of the image. */
export interface Part {
  readonly name: string;
  readonly version: string;
  /** SPDX expression. */
  readonly license: string;
  /** Package URL. */
  readonly purl: string;
}

const SPDX_ID = "SPDXRef-";

/** The npm packages in the bundle, by name. The metafile's paths are relative to `base`. */
export function npmParts({ inputs }: Pick<Metafile, "inputs">, base: string): readonly Part[] {
  const folders = new Set(Object.keys(inputs).flatMap((input) => packageFolder(input) ?? []));
  const parts = [...folders].map((folder) => npmPart(join(base, folder)));
  const byPurl = new Map(parts.map((part) => [part.purl, part]));
  return [...byPurl.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1));
}

/** The parts that are not in the bundle. */
export function systemParts(architecture: Architecture): readonly Part[] {
  const debian = DEBIAN_PACKAGES[architecture].map(({ name, version }) => ({
    name,
    version,
    license: DEBIAN_LICENSES[name] ?? missing(name, "tools/image/pinned-packages.ts"),
    purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-${DEBIAN.version}`,
  }));
  return [{ name: "node", version: NODE_VERSION, license: "MIT", purl: `pkg:generic/node@${NODE_VERSION}` }, ...debian];
}

/** A bill of materials in SPDX 2.3, as JSON. */
export function sbom(parts: readonly Part[], epochSeconds: number): string {
  const web = REPOSITORY.replace(/\.git$/, "");
  const own = { name: "flipop", version: RELEASE, license: "Apache-2.0", purl: `pkg:github/flipop/flipop@${RELEASE}` };
  const packages = [own, ...parts].map(spdxPackage);
  const hash = createHash("sha256").update(JSON.stringify(packages)).digest("hex");
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: `${SPDX_ID}DOCUMENT`,
    name: `flipop ${RELEASE}`,
    documentNamespace: `${web}/sbom/${hash}`,
    creationInfo: {
      created: new Date(epochSeconds * 1000).toISOString().replace(/\.\d+Z$/, "Z"),
      creators: ["Tool: flipop-image"],
    },
    packages,
    relationships: packages.map(({ SPDXID }, index) =>
      index === 0
        ? { spdxElementId: `${SPDX_ID}DOCUMENT`, relationshipType: "DESCRIBES", relatedSpdxElement: SPDXID }
        : { spdxElementId: `${SPDX_ID}0`, relationshipType: "CONTAINS", relatedSpdxElement: SPDXID },
    ),
  };
  return JSON.stringify(document, null, 1);
}

function spdxPackage({ name, version, license, purl }: Part, index: number) {
  return {
    SPDXID: `${SPDX_ID}${index}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license,
    copyrightText: "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}

/** Undefined for flipop's own files. */
function packageFolder(input: string): string | undefined {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
}

function npmPart(folder: string): Part {
  const file = join(folder, "package.json");
  const { name, version, license } = JSON.parse(readFileSync(file, "utf8")) as Partial<Part>;
  if (!name || !version) throw new Error(`${file} has no name or no version, which the bill of materials needs`);
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { name, version, license: license ?? missing(name, file), purl };
}

function missing(name: string, file: string): never {
  throw new Error(`${file} names no licence of ${name}: find out its licence before you distribute the image`);
}
