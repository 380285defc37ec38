/**
 * `npm run baseline`: makes the library as it is now the one that later changes are compared with. To be run at a
 * release; a break before that is either undone or, in a new major version, meant.
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
