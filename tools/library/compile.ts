/** `tsx tools/library/compile.ts`: compiles the construct library, unless it is up to date. */
import { spawnSync } from "node:child_process";
import { buildIfStale } from "./build-if-stale.js";

const COMMAND = "npm run --silent compile --workspace constructs";

try {
  const ran = buildIfStale({
    // The lock file changes with the versions of the compiler and the dependencies.
    inputs: [
      "constructs/src",
      "constructs/package.json",
      "constructs/README.md",
      "constructs/.projen/tasks.json",
      "package-lock.json",
    ],
    outputs: ["constructs/lib", "constructs/.jsii"],
    stamp: "node_modules/.cache/flipop/constructs",
    run: () => {
      const { status } = spawnSync(COMMAND, { shell: true, stdio: "inherit" });
      if (status !== 0) throw new Error(`${COMMAND} failed`);
    },
  });
  if (!ran) process.stdout.write("the construct library is compiled already\n");
} catch (error) {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
}
