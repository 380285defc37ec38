import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the kernel's range for outgoing connections (32768 and up on Linux, 49152 and up elsewhere): while a killed API
// server is down, no connection can take its port or connect to itself.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 50;
const handedOut = new Set<number>();

/** A free TCP port on 127.0.0.1 that this function has not returned before in this process. */
export async function freePort(candidate: () => number = () => randomInt(LOWEST, HIGHEST)): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = candidate();
    if (!handedOut.has(port) && (await isFree(port))) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error(`no free port after ${ATTEMPTS} attempts`);
}

/** Whether a server can listen on the port; the check opens it. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
