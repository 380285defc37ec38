/**
 * RoutedIPs in this process's emulator and cloud: each serves a Service of its own, nine of them behind one firewall. All
 * is as an operator that was restarted finds it: made anew, it would take minutes of the account's rate limit.
 */

import { Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode } from "flipop-sandbox/nodes";
import { AT_ONCE, NO_LIMITS } from "./instant-cloud.js";

export const ROUTED = 200;
/** Machines that one firewall of the provider takes. */
const MACHINES = 10;
/** The last machine of each firewall is free to take an address over; a person has put it there. */
const SHARERS = MACHINES - 1;
const PORT = 443;
const RULE = { protocol: "tcp", ports: String(PORT) } as const;
const SOURCES = ["0.0.0.0/0", "::/0"];

/** One of the RoutedIPs, and where its address is at home and may go. */
export interface Routed {
  readonly name: string;
  readonly home: string;
  /** Behind the same firewall; with nothing to do. */
  readonly spare: string;
  readonly ip: string;
  /** Name of the firewall. */
  readonly firewall: string;
}

export class SharedFirewalls {
  readonly routed: readonly Routed[];

  static async start(): Promise<SharedFirewalls> {
    const kubernetes = await startEmulator({ tls: false });
    const droplets = ROUTED + Math.ceil(ROUTED / SHARERS);
    const account = { reservedIpLimit: ROUTED, dropletLimit: droplets };
    const cloud = await startDigitalOceanSimulator({ durations: AT_ONCE, limits: NO_LIMITS, account });
    return new SharedFirewalls(kubernetes, cloud);
  }

  private constructor(
    readonly kubernetes: Emulator,
    readonly cloud: DigitalOceanSimulator,
  ) {
    const groups = Array.from({ length: Math.ceil(ROUTED / SHARERS) }, (_, index) => this.addGroup(index));
    this.routed = groups.flatMap(({ routed }) => routed);
    // Nodes have one already: the first that a machine gets would close all its ports.
    cloud.state.firewalls.add({ name: "base", dropletIds: groups.flatMap(({ machines }) => machines) });
  }

  /** Where the address of a RoutedIP is; undefined: nowhere. */
  holderOf({ ip }: Routed): string | undefined {
    const { dropletId } = this.cloud.state.address(ip);
    return dropletId === null ? undefined : this.cloud.state.droplet(dropletId).name;
  }

  isReady({ name }: Routed): boolean {
    const found = this.kubernetes.get({ apiVersion: GROUP_VERSION, kind: "RoutedIP", namespace: "default", name });
    const { conditions = [] } = (found?.["status"] ?? {}) as { conditions?: { type: string; status: string }[] };
    const isTrue = (wanted: string) => conditions.some(({ type, status }) => type === wanted && status === "True");
    return ["Ready", "Assigned", "FirewallReady"].every(isTrue);
  }

  /** From now on the Service answers on that node only. */
  serve(service: string, node: string): void {
    const { kubernetes } = this;
    const ref = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "default", name: service };
    const endpoints = [{ addresses: ["10.244.0.1"], nodeName: node, conditions: { ready: true, serving: true } }];
    if (kubernetes.get(ref) !== undefined) return void kubernetes.change(ref, (slice) => ({ ...slice, endpoints }));
    const { apiVersion, kind, name, namespace } = ref;
    const metadata = { name, namespace, labels: { "kubernetes.io/service-name": service } };
    const ports = [{ port: PORT, protocol: "TCP" }];
    kubernetes.create({ apiVersion, kind, metadata, addressType: "IPv4", ports, endpoints });
  }

  /** Id of the firewall that it shares. */
  firewallOf({ firewall }: Routed): string {
    const found = this.cloud.state.firewalls.byName(firewall);
    if (found === undefined) throw new Error(`there is no firewall ${firewall} yet`);
    return found.id;
  }

  async close(): Promise<void> {
    await Promise.all([this.kubernetes.close(), this.cloud.close()]);
  }

  /** A firewall, and the RoutedIPs that share it. */
  private addGroup(number: number): { readonly routed: readonly Routed[]; readonly machines: readonly number[] } {
    const [issuer, firewall, spare] = [`issuer-${number}`, `ingress-${number}`, `spare-${number}`];
    const spareMachine = this.addMachine(spare);
    const { firewalls } = this.cloud.state;
    this.put(GROUP_VERSION, "RoutedIPIssuer", issuer, {
      spec: { provider: "digitalocean", region: "nyc3", routedIPFirewallName: firewall },
    });
    const [from, to] = [number * SHARERS, Math.min(ROUTED, (number + 1) * SHARERS)];
    const homes = Array.from({ length: to - from }, (_, index) => `node-${from + index}`);
    const made = homes.map((home) => this.add({ home, spare, firewall }, issuer));
    const dropletIds = [...made.map(({ machine }) => machine), spareMachine];
    firewalls.add({ name: firewall, inbound: [{ ...RULE, target: { addresses: SOURCES } }], dropletIds });
    return { routed: made.map(({ routed }) => routed), machines: dropletIds };
  }

  private add(place: Omit<Routed, "name" | "ip">, issuer: string) {
    const { home, firewall } = place;
    const [name, machine] = [`of-${home}`, this.addMachine(home)];
    const { ip } = this.cloud.state.addAddress({ dropletId: machine });
    const ports = [{ port: PORT, targetPort: PORT, nodePort: PORT, protocol: "TCP" }];
    this.put("v1", "Service", home, { spec: { type: "NodePort", selector: { app: home }, ports } });
    this.serve(home, home);
    const providerID = `digitalocean://${machine}`;
    this.put(GROUP_VERSION, "RoutedIP", name, {
      metadata: { finalizers: [Finalizer.cleanup] },
      spec: { issuerRef: { name: issuer }, serviceRef: { serviceName: home }, routedIP: ip },
      status: {
        ...{ routedIP: ip, assignedNode: home, providerID, state: "active" },
        firewallRules: [{ ...RULE, sources: SOURCES, phase: "present" }],
        firewall: { name: firewall, nodes: [providerID] },
      },
    });
    return { machine, routed: { ...place, name, ip } };
  }

  /** @returns the id of its droplet. */
  private addMachine(name: string): number {
    const hosts = { kubernetes: this.kubernetes, digitalocean: this.cloud };
    return Number(addNode(hosts, { name }).replace("digitalocean://", ""));
  }

  private put(apiVersion: string, kind: string, name: string, { metadata = {}, ...object }: PutObject): void {
    this.kubernetes.create({ apiVersion, kind, metadata: { ...metadata, name, namespace: "default" }, ...object });
  }
}

interface PutObject {
  readonly metadata?: object;
  readonly spec: object;
  readonly status?: object;
}
