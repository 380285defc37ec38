import { join } from "node:path";
import { findOrBuildBinary, type GoBinary, QUICK_BUILD } from "../binaries/go-binary.js";

/** As in go.mod beside this file. */
const VERSION = "v0.311.3";
const PACKAGE = "github.com/prometheus/prometheus/cmd/promtool";

const PROMTOOL: GoBinary = {
  ...{ name: "promtool", variable: "PROMTOOL", version: VERSION, module: `${PACKAGE}@${VERSION}` },
  cwd: import.meta.dirname,
  // promtool needs no service discovery, which is most of the code.
  build: (folder) => ["build", ...QUICK_BUILD, "-tags=remove_all_sd", "-o", join(folder, "promtool"), PACKAGE],
};

/** The promtool executable: `PROMTOOL`, then PATH, then the user's cache. If there is none, go builds it. */
export function findOrBuildPromtool(): Promise<string> {
  return findOrBuildBinary(PROMTOOL);
}
