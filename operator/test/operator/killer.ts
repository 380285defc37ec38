/** Ends an operator in the midst of its work. */

import type { Fault, FaultRequest } from "flipop-sandbox/kubernetes";
import type { Identity, Running, World } from "./world.js";

export type Moment = "before" | "after";

/** Kills an operator at its n-th change of anything: just before it, or when it is made and the answer not yet there. */
export class Killer {
  /** Changes that were made. */
  seen = 0;
  killed: Promise<void> | undefined;
  readonly identity: Identity;
  private readonly secret: string;
  private readonly token: string;

  constructor(
    private readonly world: World,
    name: string,
    private readonly at: number,
    private readonly moment: Moment,
  ) {
    this.secret = `dop_v1_${name}`;
    world.digitalocean.tokens.add({ name, secret: this.secret });
    this.token = world.kubernetes.addIdentity(name, "everything");
    const env = { DIGITALOCEAN_ACCESS_TOKEN: this.secret, DIGITALOCEAN_API_URL: world.digitalocean.url };
    this.identity = { env, token: this.token };
  }

  watch(running: Running): void {
    const { kubernetes, digitalocean } = this.world;
    kubernetes.setFaults((request) => this.kubernetesFault(request, running));
    const strikes = ({ method }: { readonly method: string }) => method !== "GET" && this.strikes(running);
    digitalocean.faults.inject({ kind: "reset", when: this.moment }, { on: strikes, times: Infinity });
  }

  private kubernetesFault({ method, path, headers }: FaultRequest, running: Running): Fault | undefined {
    if (headers["authorization"] !== `Bearer ${this.token}`) return undefined;
    if (this.killed !== undefined) return { kind: "reset" };
    if (method === "GET" || path.includes("/events")) return undefined;
    if (!this.strikes(running)) return undefined;
    return { kind: this.moment === "before" ? "reset" : "lose-answer" };
  }

  /** Counts a change; whether it is the last one. */
  private strikes(running: Running): boolean {
    if (this.killed !== undefined) return false;
    this.seen += 1;
    if (this.seen !== this.at) return false;
    this.world.digitalocean.tokens.revoke(this.secret);
    this.killed = running.kill();
    return true;
  }
}
