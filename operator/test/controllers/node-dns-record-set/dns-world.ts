/** Record sets of nodes in a cluster in this process, with both clouds: the operator is the real one. */

import { GROUP_VERSION, type NodeDNSRecordSetSpec, type NodeDNSRecordSetStatus } from "cdk8s-flipop/api";
import { type CloudflareSimulator, DEFAULT_TOKEN, startCloudflareSimulator } from "flipop-sandbox/cloudflare";
import type { ApiObject, JsonObject } from "flipop-sandbox/kubernetes";
import type { NodeAddress } from "../../../src/kube/cache/slim-objects.js";
import { type Running, World, type WorldOptions } from "../../operator/world.js";

export const ZONE = "example.com";
export const NAME = "game.example.com";
export const MATCH = { nodeLabel: "pool=game" };

export interface DnsWorldOptions extends WorldOptions {
  /** Providers that have credentials. @default both */
  readonly providers?: readonly ("digitalocean" | "cloudflare")[];
}

export class DnsWorld {
  private constructor(
    readonly world: World,
    readonly cloudflare: CloudflareSimulator,
  ) {}

  static async create({
    providers = ["digitalocean", "cloudflare"],
    ...options
  }: DnsWorldOptions = {}): Promise<DnsWorld> {
    const cloudflare = await startCloudflareSimulator();
    const env = {
      ...(providers.includes("cloudflare")
        ? { CLOUDFLARE_TOKEN: DEFAULT_TOKEN, CLOUDFLARE_API_URL: cloudflare.url }
        : {}),
      ...(providers.includes("digitalocean") ? {} : { DIGITALOCEAN_ACCESS_TOKEN: "" }),
    };
    return new DnsWorld(await World.create({ ...options, env }), cloudflare);
  }

  start(flags: Readonly<Record<string, string>> = {}): Running {
    return this.world.start(flags);
  }

  /** A node of the match, with the address of its droplet. */
  addNode(name: string): void {
    this.world.addNode(name, { labels: { pool: "game" } });
  }

  /** The node object is created anew under its name; its machine is another one. */
  replaceNode(name: string): void {
    this.world.removeNode(name);
    this.addNode(name);
  }

  setAddresses(name: string, addresses: readonly NodeAddress[]): void {
    const edit = (object: JsonObject) => ({ ...object, status: { ...(object["status"] as object), addresses } });
    this.world.kubernetes.change(nodeRef(name), edit as Parameters<typeof this.world.kubernetes.change>[1], "status");
  }

  /** The external address of a node, as its object has it. */
  address(name: string): string {
    const status = this.world.kubernetes.get(nodeRef(name))?.["status"] as { addresses?: readonly NodeAddress[] };
    return status.addresses?.find(({ type }) => type === "ExternalIP")?.address ?? "";
  }

  addSet(name: string, spec: Partial<NodeDNSRecordSetSpec> = {}): void {
    this.create(name, { dnsRecordSet: { zone: ZONE, recordName: NAME }, match: MATCH, ...spec });
  }

  /** Any spec, as a looser CRD may have let it in. */
  create(name: string, spec: object): void {
    const metadata = { name, namespace: "default" };
    this.world.kubernetes.create({ apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", metadata, spec });
  }

  edit(name: string, change: Partial<NodeDNSRecordSetSpec>): void {
    const edit = (object: JsonObject) => ({ ...object, spec: { ...(object["spec"] as object), ...change } });
    this.world.kubernetes.change(setRef(name), edit as Parameters<typeof this.world.kubernetes.change>[1]);
  }

  /** Another version of a definition. */
  redefine(definition: { readonly metadata: { readonly name: string }; readonly spec: object }): void {
    const ref = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      name: definition.metadata.name,
    };
    const edit = (object: JsonObject) => ({ ...object, spec: structuredClone(definition.spec) });
    this.world.kubernetes.change(ref, edit as Parameters<typeof this.world.kubernetes.change>[1]);
  }

  delete(name: string): void {
    this.world.kubernetes.delete(setRef(name));
  }

  object(name: string): ApiObject | undefined {
    return this.world.kubernetes.get(setRef(name));
  }

  status(name: string): NodeDNSRecordSetStatus {
    return (this.object(name)?.["status"] ?? {}) as NodeDNSRecordSetStatus;
  }

  condition(name: string, type: string): string {
    const found = this.status(name).conditions?.find((condition) => condition.type === type);
    return `${found?.status}/${found?.reason}`;
  }

  /** Addresses of a name at DigitalOcean, sorted. @param name relative. */
  records(name = "game"): readonly string[] {
    const records = this.world.digitalocean.state.dns.records(ZONE, name);
    return records.map(({ data }) => data).sort();
  }

  /** As at DigitalOcean. @param fqdn in full. */
  cloudflareRecords(fqdn = NAME): readonly string[] {
    return this.cloudflare
      .records(ZONE, fqdn)
      .map(({ content }) => content)
      .sort();
  }

  /** DNS calls to DigitalOcean so far: `GET`, `POST`, `PUT`, `DELETE`. */
  calls(): readonly string[] {
    const { entries } = this.world.digitalocean.journal;
    return entries.filter(({ path }) => path.includes("/domains/")).map(({ method }) => method);
  }

  /** What Events of this reason say. */
  events(reason: string): readonly string[] {
    return this.world.events(reason).map((event) => String(event["message"]));
  }

  async until(what: string, condition: () => boolean): Promise<void> {
    await this.world.until(what, condition).catch((error: unknown) => {
      const sets = this.world.kubernetes.list(GROUP_VERSION, "NodeDNSRecordSet").map(({ status }) => status);
      throw new Error(`${String(error)}\n${JSON.stringify(sets, undefined, 1)}`);
    });
  }

  /** Waits until the record at DigitalOcean has the addresses of these nodes, and the status says so. */
  async publishes(...nodes: readonly string[]): Promise<void> {
    const expected = nodes.map((node) => this.address(node)).sort();
    await this.until(`the record has ${nodes.join(", ")}`, () => `${this.records()}` === `${expected}`);
  }

  async ready(name = "game"): Promise<void> {
    await this.until(`${name} is ready`, () => {
      const { conditions = [] } = this.status(name);
      const { generation } = this.object(name)?.metadata ?? {};
      const found = conditions.find(({ type }) => type === "DNSReady");
      return found?.status === "True" && found.observedGeneration === generation;
    });
  }

  /** Waits until the set is ready and nothing of the run that made it so is left. */
  async rests(name = "game"): Promise<void> {
    await this.ready(name);
    await this.world.clock.sleep(10_000);
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.cloudflare.close();
    const [bug] = this.cloudflare.bugs;
    if (bug !== undefined) throw bug;
  }
}

function setRef(name: string) {
  return { apiVersion: GROUP_VERSION, kind: "NodeDNSRecordSet", namespace: "default", name };
}

function nodeRef(name: string) {
  return { apiVersion: "v1", kind: "Node", name };
}
