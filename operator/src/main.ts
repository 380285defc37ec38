/** The executable: reads the command line, starts the command, exits with its code. */
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { type CliContext, runCli } from "./cli.js";
import { NO_READER } from "./exit-codes.js";
import { run } from "./run.js";

/** For the last lines of the log to be written. */
const EXIT_MS = 1_000;
const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

// The parser of undici is WebAssembly, compiled at the first connection: to optimise it takes V8 36 MB for a moment, more
// than the operator itself needs, and makes nothing measurably faster.
setFlagsFromString("--liftoff-only");

for (const stream of [process.stdout, process.stderr]) stream.on("error", unread);

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

// Whatever still holds the event loop (a socket, a timer) must not keep a process alive that has stopped.
setTimeout(() => process.exit(), EXIT_MS).unref();

/** `flipop --help | head -1`: whoever read it is gone, so there is nobody to tell. */
function unread(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit(NO_READER);
}

function podNamespace(): { podNamespace?: string } {
  try {
    return { podNamespace: readFileSync(NAMESPACE_FILE, "utf8").trim() };
  } catch {
    return {};
  }
}
