/**
 * `npm run baseline`: makes the current library the baseline for later comparisons. Run it at a release; undo a
 * breaking change before that, unless it is intended in a new major version.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONSTRUCTS } from "../packs/paths.js";
import { BASELINE } from "./compatibility.js";

mkdirSync(BASELINE, { recursive: true });
copyFileSync(join(CONSTRUCTS, ".jsii"), join(BASELINE, ".jsii"));
const { name, version, peerDependencies, jsii } = JSON.parse(readFileSync(join(CONSTRUCTS, "package.json"), "utf8"));
const manifest = { name, version, types: "lib/index.d.ts", jsii, peerDependencies };
writeFileSync(join(BASELINE, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
