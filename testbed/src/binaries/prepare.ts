import { pathToFileURL } from "node:url";
import { describeReasons, resolveBinaries } from "./binaries.js";

/**
 * Finds or builds the binaries and prints their folder, so that a first build does not count against the time of a test
 * suite. Returns the exit code.
 */
async function fetchBinaries(): Promise<number> {
  const resolution = await resolveBinaries();
  if (resolution.kind === "found") {
    process.stdout.write(`${resolution.binaries.folder}\n`);
    return 0;
  }
  process.stderr.write(`flipop-testbed: no control plane binaries: ${describeReasons(resolution.reasons)}\n`);
  return 1;
}

const script = process.argv[1];
if (script !== undefined && pathToFileURL(script).href === import.meta.url) {
  void fetchBinaries().then((code) => {
    process.exitCode = code;
  });
}
