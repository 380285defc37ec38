/** The executable: reads the command line, starts the command, exits with its code. */
import { readFileSync } from "node:fs";
import { type CliContext, runCli } from "./cli.js";
import { run } from "./run.js";

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

const context: CliContext = {
  env: process.env,
  ...podNamespace(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

process.exitCode = await runCli(
  process.argv.slice(2),
  {
    run,
    // Loaded only when asked for: the operator in a cluster never needs it.
    sandbox: async (options) => (await import("./sandbox/sandbox.js")).sandbox(options),
  },
  context,
);

function podNamespace(): { podNamespace?: string } {
  try {
    return { podNamespace: readFileSync(NAMESPACE_FILE, "utf8").trim() };
  } catch {
    return {};
  }
}
