import { FakeClock } from "flipop-operator/testing/fake-clock";
import type { SimulatorApi } from "../../src/http/api.js";
import { SeededRandom } from "../../src/http/random.js";
import { type SimulatorServer, startSimulatorServer } from "../../src/http/server.js";

interface Counter {
  value: number;
}

export interface TinyRig {
  readonly server: SimulatorServer;
  readonly clock: FakeClock;
  readonly counter: Counter;
  add(signal?: AbortSignal): Promise<Response>;
  read(): Promise<Response>;
}

/** An API with a number that POST /add raises, behind the simulators' server. */
export async function startTinyRig(options: { readonly prefix?: string } = {}): Promise<TinyRig> {
  const clock = new FakeClock();
  const counter = { value: 0 };
  let revoked = false;
  const api: SimulatorApi<Counter> = {
    name: "tiny",
    world: counter,
    freeze: (world) => ({ ...world }),
    admit: () => {
      if (revoked) throw new Error("revoked");
    },
    caller: () => "someone",
    revokeToken: () => {
      revoked = true;
    },
    error: (_, status, reason) => ({ status, body: { reason } }),
    headers: () => ({ "x-limit": "7" }),
    routes: [
      { method: "GET", path: "/value", handle: (_, world) => ({ status: 200, body: { value: world.value } }) },
      { method: "GET", path: "/things/{name}", handle: ({ params }) => ({ status: 200, body: { ...params } }) },
      { method: "GET", path: "/things/fixed", handle: () => ({ status: 200, body: "fixed" }) },
      {
        method: "POST",
        path: "/add",
        handle: (_, world) => ({ status: 201, body: { value: ++world.value, text: "x".repeat(400) } }),
      },
      { method: "DELETE", path: "/value", handle: () => ({ status: 204 }) },
    ],
  };
  const server = await startSimulatorServer(api, { clock, random: new SeededRandom(1), ...options });
  const add = (signal?: AbortSignal) => fetch(`${server.url}/add`, { method: "POST", ...(signal && { signal }) });
  return { server, clock, counter, add, read: () => fetch(`${server.url}/value`) };
}
