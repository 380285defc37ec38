/** The executable: reads the command line, starts the command, exits with its code. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type CliContext, runCli } from "./cli.js";
import { endWithoutReader, endWithStack } from "./exit.js";
import { PROCESS_EXIT_MS } from "./timings.js";

const NAMESPACE_FILE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

endWithoutReader();

/** kubectl finds its plugins by this name. */
const PLUGIN = "kubectl-flipop";

const context: CliContext = {
  env: process.env,
  interactive: basename(process.argv[1] ?? "") === PLUGIN || isAtTerminal(),
  ...podNamespace(),
  readFile: (path) => readFileSync(path, "utf8"),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};

endWithStack(process, context.err, (code) => process.exit(code));

process.exitCode = await runCli(
  process.argv.slice(2),
  {
    // Each is loaded when it runs: a command needs no operator, and the operator no command.
    run: async (settings) => (await import("./run.js")).run(settings),
    call: async (command, call) => (await import("./commands/run-command.js")).runCommand(command, call, context),
    sandbox: async (args) => (await import("./run.js")).runInstalledSandbox(args, context.err),
  },
  context,
);

// Whatever still holds the event loop (a socket, a timer) must not keep a process alive that has stopped.
setTimeout(() => process.exit(), PROCESS_EXIT_MS).unref();

/** In a cluster, even with a terminal, the operator is meant. */
function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY && process.env["KUBERNETES_SERVICE_HOST"] === undefined;
}

function podNamespace(): { podNamespace?: string } {
  try {
    return { podNamespace: readFileSync(NAMESPACE_FILE, "utf8").trim() };
  } catch {
    return {};
  }
}
