import { randomInt } from "node:crypto";
import { createServer } from "node:net";

// Below the range from which the kernel takes the ports of outgoing connections (32768 and up on Linux, 49152 and up
// elsewhere): while a killed API server is down, no connection can take its port, nor connect to itself.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const ATTEMPTS = 50;
const handedOut = new Set<number>();

/** A TCP port on 127.0.0.1 on which nothing listens, and that this process has not been given before. */
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

/** Whether a server can listen on the port; the kernel is asked by doing it. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}
