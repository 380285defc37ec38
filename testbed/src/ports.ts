import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Below the kernel's range for outgoing connections (32768 and up on Linux, 49152 and up elsewhere): while a killed API
// server is down, no connection can take its port or connect to itself.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 50;
/** One file for each port that a process has, with the id of this process. */
export const RESERVATIONS = join(tmpdir(), `flipop-ports-${process.getuid?.() ?? 0}`);

/**
 * A free TCP port on 127.0.0.1 that this function has not returned before in this process, nor in another one that still
 * runs: suites run at the same time, and some time passes before a server listens on its port.
 */
export async function freePort(candidate: () => number = () => randomInt(LOWEST, HIGHEST)): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = candidate();
    if (!reserve(port)) continue;
    if (await isFree(port)) return port;
    rmSync(fileOf(port), { force: true });
  }
  throw new Error(`no free port after ${ATTEMPTS} attempts`);
}

function fileOf(port: number): string {
  return join(RESERVATIONS, `${port}`);
}

/** The check of a port opens it, so a process must not check one that another process has. */
function reserve(port: number): boolean {
  mkdirSync(RESERVATIONS, { recursive: true });
  if (write(port)) return true;
  if (isRunning(ownerOf(port))) return false;
  rmSync(fileOf(port), { force: true });
  return write(port);
}

function write(port: number): boolean {
  try {
    writeFileSync(fileOf(port), `${process.pid}`, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** `undefined`: its owner has just released it. 0: its owner is about to write its id. */
function ownerOf(port: number): number | undefined {
  try {
    return Number(readFileSync(fileOf(port), "utf8"));
  } catch {
    return undefined;
  }
}

function isRunning(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    // Signal 0 only asks; that to process 0 always succeeds.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a server can listen on the port; the check opens it. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
