/** A world with one resource, `web`, of any kind that writes a DNS name. */

import { type DnsRecordSet, GROUP_VERSION, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

export const PUBLISHING_KINDS = ["FloatingIPPool", "NodeDNSRecordSet", "RoutedIP"] as const;

export type PublishingKind = (typeof PUBLISHING_KINDS)[number];

/** What the statuses of these kinds share. */
type Status = Pick<NodeDNSRecordSetStatus, "dns" | "begunRecords" | "conditions" | "addresses" | "retryAt">;

const LONG_MS = 20_000;

export class PublishedName {
  private constructor(
    private readonly made: RoutedWorld,
    /** Addresses of the account without a machine. */
    readonly ips: readonly string[],
  ) {}

  /** Running, without the resource. A RoutedIP can be on n1 only. */
  static async start(nodes: readonly string[]): Promise<PublishedName> {
    const made = await RoutedWorld.create([...nodes]);
    made.addIssuer();
    made.serve({ node: "n1" });
    const ips = made.world.addAddresses(nodes.length);
    made.world.start();
    return new PublishedName(made, ips);
  }

  get world() {
    return this.made.world;
  }

  close(): Promise<void> {
    return this.made.close();
  }

  /** @param ips of a pool; a RoutedIP has the first of them */
  add(kind: PublishingKind, dnsRecordSet: DnsRecordSet, ips = this.ips): void {
    const { apiVersion, namespace, name } = this.refTo(kind);
    if (kind === "FloatingIPPool") this.world.addPool("web", { ips, dnsRecordSet });
    else if (kind === "RoutedIP") this.made.addRouted("web", { routedIP: ips[0] ?? "", dnsRecordSet });
    else this.world.kubernetes.create({ apiVersion, kind, metadata: { namespace, name }, spec: { dnsRecordSet } });
  }

  refTo(kind: PublishingKind) {
    return { apiVersion: GROUP_VERSION, kind, namespace: "default", name: "web" };
  }

  edit(kind: PublishingKind, fields: object): void {
    this.world.change(this.refTo(kind), "spec", fields);
  }

  status(kind: PublishingKind): Status {
    return (this.world.kubernetes.get(this.refTo(kind))?.["status"] ?? {}) as Status;
  }

  dnsReady(kind: PublishingKind) {
    return this.status(kind).conditions?.find(({ type }) => type === "DNSReady");
  }

  /** Of the zone example.com. */
  records(name: string) {
    return this.world.digitalocean.state.dns.records("example.com", name);
  }

  until(what: string, is: () => boolean): Promise<void> {
    return this.world.until(what, is, LONG_MS);
  }
}
