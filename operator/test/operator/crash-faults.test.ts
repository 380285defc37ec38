import { expect } from "chai";
import { describe, it } from "mocha";
import type { Fault, FaultRequest } from "../../src/sandbox/kubernetes/index.js";
import type { Identity, Running } from "./world.js";
import { World } from "./world.js";

type Moment = "before" | "after";

/** Kills an operator at its n-th change of anything: just before it, or when it is made and the answer not yet there. */
class Killer {
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

const NODES = ["node-1", "node-2", "node-3"];
const DESIRED = 3;

/** @returns how many changes the first operator made. */
async function survive(at: number, moment: Moment): Promise<number> {
  const world = await World.create({ speed: 40 });
  try {
    for (const name of NODES) world.addNode(name);
    const { ip } = world.digitalocean.state.addAddress();
    world.addPool("web", {
      ips: [ip],
      desiredIPs: DESIRED,
      reclaimPolicy: "Delete",
      dnsRecordSet: { zone: "example.com", recordName: "www" },
    });
    const killer = new Killer(world, "first", at, moment);
    const first = world.start({}, killer.identity);
    killer.watch(first);
    await world.until("killed or done", () => killer.killed !== undefined || isSettled(world));
    if (killer.killed === undefined) return killer.seen;
    await killer.killed;
    world.digitalocean.faults.clear();
    world.start();
    await world.until("settled", () => isSettled(world));
    check(world, ip);
    return killer.seen;
  } finally {
    await world.close();
  }
}

function isSettled(world: World): boolean {
  const { createdIPs = [], pendingCreation } = world.status("web");
  const up =
    world.condition("web", "Fulfilled")?.status === "True" && world.condition("web", "DNSReady")?.status === "True";
  const appended = createdIPs.length === DESIRED - 1 && createdIPs.every(({ inSpec }) => inSpec === true);
  const annotated = NODES.filter((name) => Object.keys(world.annotations(name)).length > 0).length === DESIRED;
  return up && appended && annotated && pendingCreation === undefined;
}

function check(world: World, listed: string): void {
  const { createdIPs = [], ips = {} } = world.status("web");
  const there = world.digitalocean.state.addresses().map(({ ip }) => ip);
  expect(there, "addresses of the account").to.have.members([listed, ...createdIPs.map(({ ip }) => ip)]);
  expect(there, "no more than desired").to.have.length(DESIRED);
  expect(Object.keys(ips)).to.have.members(there);
  expect(new Set(there.map((ip) => world.holder(ip))).size, "one node for each").to.equal(DESIRED);
  const published = world.digitalocean.state.dns.records("example.com", "www").map(({ data }) => data);
  expect(published, "record set").to.have.members(there);
}

describe("operator in process: killed at every change that it makes", function () {
  this.timeout(600_000);

  for (const moment of ["before", "after"] as const) {
    it(`loses no address and creates none too many, killed ${moment} it`, async () => {
      for (let at = 1; ; at++) {
        const seen = await survive(at, moment);
        if (seen < at) break;
      }
    });
  }
});
