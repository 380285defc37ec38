/**
 * A network of namespaces on this machine: a router in user space, and parties that reach each other through it. The
 * process must have a network namespace of its own, which is a party, too. When it ends, nothing is left.
 */

import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { RouterCommand } from "./messages.js";
import { addressOf, gatewayOf, VXLAN_PORT } from "./network-addresses.js";

/** Of every device: no party has to ask for that of another, and no packet waits for an answer that never comes. */
const HARDWARE_ADDRESS = "02:00:00:00:00:01";

/** Call it first. Throws in the network of the machine, which must stay as it is. */
export function prepareNamespace(): void {
  // The first process of its namespaces has number 1.
  if (process.pid !== 1) throw new Error("the simulated network needs namespaces of its own: start it by run.ts");
  // The standard input ends with the process that waits for the outcomes.
  process.stdin.on("end", () => process.exit(1)).resume();
  process.stdin.unref();
  ip(undefined, ["link", "set", "lo", "up"]);
}

export class Network {
  /** @param routerScript bundle of `children/router.ts`. @param seed of the packets that it drops */
  static async create(routerScript: string, seed: number): Promise<Network> {
    const cloud = await Namespace.create();
    const router = await cloud.start(routerScript, [String(seed)]);
    return new Network(cloud, router);
  }

  private readonly parties: Party[] = [];

  private constructor(
    private readonly cloud: Namespace,
    private readonly router: ChildProcess,
  ) {}

  /** Adds a party with a namespace of its own. */
  async add(): Promise<Party> {
    return this.connect(await Namespace.create());
  }

  /** Adds this process and its children. */
  addSelf(): Party {
    return this.connect(undefined);
  }

  /** Leads an address to a party. @param link undefined: to none */
  route(address: string, link: number | undefined): void {
    this.send({ kind: "route", address, link });
  }

  /** Drops a share of the packets to and from a party. */
  lose(link: number, share: number): void {
    this.send({ kind: "loss", link, share });
  }

  async close(): Promise<void> {
    for (const { namespace } of this.parties) await namespace?.close();
    await this.cloud.close();
  }

  private connect(namespace: Namespace | undefined): Party {
    const link = this.parties.length + 1;
    const { router, link: own } = gatewayOf(link);
    const [up, down] = [`up${link}`, `down${link}`];
    const end = ["address", HARDWARE_ADDRESS];
    ip(undefined, ["link", "add", up, ...end, "type", "veth", "peer", "name", down, ...end]);
    ip(undefined, ["link", "set", down, "netns", String(this.cloud.pid)]);
    ip(this.cloud, ["addr", "add", `${router}/30`, "dev", down]);
    ip(this.cloud, ["link", "set", down, "arp", "off", "up"]);
    if (namespace !== undefined) ip(undefined, ["link", "set", up, "netns", String(namespace.pid)]);
    const party = new Party(namespace, link, up);
    party.configure(own, router);
    this.parties.push(party);
    this.route(party.address, link);
    return party;
  }

  private send(command: RouterCommand): void {
    this.router.send(command);
  }
}

/** A machine of the network. */
export class Party {
  constructor(
    /** undefined: that of this process. */
    readonly namespace: Namespace | undefined,
    /** Its number. */
    readonly link: number,
    private readonly device: string,
  ) {}

  get address(): string {
    return addressOf(this.link);
  }

  /** Starts a bundled script. Resolves when it has said that it is ready. */
  start(script: string, args: readonly string[]): Promise<ChildProcess> {
    if (this.namespace === undefined) throw new Error("this party has no namespace");
    return this.namespace.start(script, args);
  }

  /** Lets packets for a further address in. */
  accept(address: string): void {
    ip(this.namespace, ["addr", "add", `${address}/32`, "dev", "flip"]);
  }

  /** Pulls the cable, or plugs it in. */
  setUp(isUp: boolean): void {
    ip(this.namespace, ["link", "set", this.device, isUp ? "up" : "down"]);
  }

  /** Once, when the cable is there. */
  configure(own: string, router: string): void {
    ip(this.namespace, ["link", "set", "lo", "up"]);
    ip(this.namespace, ["addr", "add", `${own}/30`, "dev", this.device]);
    ip(this.namespace, ["link", "set", this.device, "arp", "off", "up"]);
    const tunnel = ["id", String(this.link), "remote", router, "dstport", String(VXLAN_PORT), "nolearning"];
    ip(this.namespace, ["link", "add", "flip", "type", "vxlan", ...tunnel]);
    ip(this.namespace, ["link", "set", "flip", "address", HARDWARE_ADDRESS, "arp", "off", "up"]);
    ip(this.namespace, ["addr", "add", `${this.address}/16`, "dev", "flip"]);
    ip(this.namespace, ["route", "add", "default", "dev", "flip"]);
  }
}

/** A network namespace, which lives as long as this process at most. */
class Namespace {
  static async create(): Promise<Namespace> {
    // The process ends with its standard input, and the namespace with the last process in it.
    const holder = spawn("unshare", ["--net", "sh", "-c", "echo && exec cat"], { stdio: ["pipe", "pipe", "inherit"] });
    await Promise.race([once(holder.stdout, "data"), failed(holder, "unshare")]);
    return new Namespace(holder);
  }

  private readonly children: ChildProcess[] = [];

  private constructor(private readonly holder: ChildProcess) {}

  get pid(): number {
    if (this.holder.pid === undefined) throw new Error("the namespace has ended");
    return this.holder.pid;
  }

  async start(script: string, args: readonly string[]): Promise<ChildProcess> {
    const options: SpawnOptions = { stdio: ["ignore", "inherit", "inherit", "ipc"] };
    const child = spawn("nsenter", [...enter(this), process.execPath, script, ...args], options);
    this.children.push(child);
    await Promise.race([once(child, "message"), failed(child, script)]);
    return child;
  }

  async close(): Promise<void> {
    for (const child of [...this.children, this.holder]) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
}

async function failed(child: ChildProcess, what: string): Promise<never> {
  const [code] = (await once(child, "exit")) as [number | null];
  throw new Error(`${what} ended with code ${code}`);
}

function enter({ pid }: Namespace): readonly string[] {
  return ["--target", String(pid), "--net"];
}

/** @param namespace undefined: that of this process */
function ip(namespace: Namespace | undefined, args: readonly string[]): void {
  const inside = namespace === undefined ? [] : ["nsenter", ...enter(namespace)];
  const [file = "", ...rest] = [...inside, "ip", ...args];
  execFileSync(file, rest, { stdio: ["ignore", "ignore", "pipe"] });
}
