/** The executable: reads the command line, starts the command, exits with its code. */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { PROCESS_EXIT_MS } from "./bounds.js";
import { endWithoutReader } from "./broken-pipe.js";
import { type CliContext, runCli } from "./cli.js";
import { runInstalledSandbox } from "./installed-sandbox.js";
import { run } from "./run.js";

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

// The parser of undici is WebAssembly, compiled at the first connection: to optimise it takes V8 36 MB for a moment, more
// than the operator itself needs, and makes nothing measurably faster.
setFlagsFromString("--liftoff-only");

endWithoutReader();

const context: CliContext = {
  env: process.env,
  ...podNamespace(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

process.exitCode = await runCli(
  process.argv.slice(2),
  { run, sandbox: (args) => runInstalledSandbox(args, context.err) },
  context,
);

// Whatever still holds the event loop (a socket, a timer) must not keep a process alive that has stopped.
setTimeout(() => process.exit(), PROCESS_EXIT_MS).unref();

function podNamespace(): { podNamespace?: string } {
  try {
    return { podNamespace: readFileSync(NAMESPACE_FILE, "utf8").trim() };
  } catch {
    return {};
  }
}
