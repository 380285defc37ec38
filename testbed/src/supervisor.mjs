// Owner of the processes and of the temporary folder of one test control plane. It is a separate process, because a
// test run cannot clean up after SIGKILL: the pipe closes, and the supervisor ends its processes and removes its
// folder. It is plain JavaScript, so that it starts in 40 ms under plain Node.
//
// argv: parent folder and name prefix of the temporary folder. stdin: one JSON command a line, stdout: one JSON answer
// or event a line (the types are in supervisor.ts).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [parent, prefix] = process.argv.slice(2);
mkdirSync(parent, { recursive: true });
const dir = mkdtempSync(join(parent, prefix));
const children = new Map();

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Signals a whole process group, so that the children of a shell end with the shell. */
function signalGroup(child, signal) {
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function start({ id, file, args, env, cwd, log }) {
  const output = openSync(log, "a");
  const child = spawn(file, args, { env, cwd: cwd ?? dir, stdio: ["ignore", output, output], detached: true });
  closeSync(output);
  child.once("error", (error) => send({ id, error: error.message }));
  child.once("spawn", () => {
    children.set(child.pid, child);
    send({ id, pid: child.pid });
  });
  child.once("exit", (code, signal) => {
    children.delete(child.pid);
    signalGroup(child, "SIGKILL");
    send({ event: "exit", pid: child.pid, code, signal });
  });
}

function signal({ id, pid, signal: name }) {
  const child = children.get(pid);
  if (child) signalGroup(child, name);
  send({ id });
}

function handle(line) {
  const command = JSON.parse(line);
  try {
    if (command.op === "start") start(command);
    else signal(command);
  } catch (error) {
    send({ id: command.id, error: error.message });
  }
}

/** Kills all processes, waits until they exit (a dying process may still write), and removes the folder. */
function end() {
  for (const child of children.values()) signalGroup(child, "SIGKILL");
  const ended = [...children.values()].map((child) => once(child, "exit"));
  Promise.allSettled(ended).then(() => {
    // Grandchildren may exit later, so the removal is repeated.
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.exit(0);
  });
}

// The reader may have exited before an answer is written; then stdin also closes, which ends everything.
process.stdout.on("error", () => {});
process.on("SIGINT", () => {});
process.on("SIGTERM", end);
process.on("SIGHUP", end);
createInterface({ input: process.stdin }).on("line", handle).on("close", end);
send({ event: "ready", dir });
