/**
 * One install in a cluster, its clouds, its nodes, and the namespace of its resources. Worlds of one control plane may
 * live at once where each install watches its own namespace alone (`alone`); else one after the other.
 */

import type { FlipopOperatorProps } from "cdk8s-flipop";
import { type FloatingIPPoolSpec, GROUP_VERSION, type NodeDNSRecordSetSpec, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Client, type ControlPlane, eventually } from "flipop-testbed";
import { Redactor } from "../../../src/logging.js";
import { FaultProxy } from "../../support/fault-proxy.js";
import { type CloudMarks, type CloudOptions, Clouds } from "./clouds.js";
import { Fleet } from "./fleet.js";
import { type Install, type InstallParts, install, installOperator } from "./install.js";
import { OperatorProcess } from "./operator-process.js";
import { type PoolResource, type RecordSetResource, Resource, type RoutedIPResource } from "./resource.js";

export interface WorldOptions extends CloudOptions {
  /** Props of `FlipopOperator`. @default none */
  readonly operator?: FlipopOperatorProps;
  /** The install watches the namespace of this world alone. @default false */
  readonly alone?: boolean;
  /** In place of `FlipopOperator`: somebody else's objects. */
  readonly install?: (namespace: string) => InstallParts;
  /** The operator reaches the API server through a proxy that breaks things: `world.proxy`. @default false */
  readonly proxied?: boolean;
  /** The API server may refuse the operator something. @default false */
  readonly mayBeRefused?: boolean;
}

let count = 0;

interface Facts {
  readonly id: string;
  readonly namespace: string;
  readonly mayBeRefused: boolean;
  readonly proxy: FaultProxy | undefined;
}

export class World {
  static async create(plane: ControlPlane, options: WorldOptions = {}): Promise<World> {
    const client = plane.client();
    const id = `w${++count}`;
    const namespace = await client.tempNamespace(`e2e-${id}`);
    const clouds = await Clouds.start(options);
    const proxy = options.proxied === true ? await FaultProxy.start(plane.url, plane.caData) : undefined;
    const props = { ...options.operator, ...(options.alone === true && { watchNamespaces: [namespace] }) };
    const installed =
      options.install === undefined
        ? await installOperator(plane, props, proxy?.url)
        : await install(plane, options.install(`go-${namespace}`));
    const { mayBeRefused = false } = options;
    return new World(plane, clouds, installed, { id, namespace, mayBeRefused, proxy });
  }

  readonly client: Client;
  readonly fleet: Fleet;
  private readonly processes: OperatorProcess[] = [];
  /** Those whose end a test has brought about. */
  private readonly killed = new Set<OperatorProcess>();

  private constructor(
    readonly plane: ControlPlane,
    readonly clouds: Clouds,
    readonly install: Install,
    private readonly facts: Facts,
  ) {
    this.client = plane.client();
    this.fleet = new Fleet(this.client, clouds.digitalocean, facts.id);
  }

  /** Of its resources and pods. */
  get namespace(): string {
    return this.facts.namespace;
  }

  /** What stands between the operator and the API server. */
  get proxy(): FaultProxy {
    const { proxy } = this.facts;
    if (proxy === undefined) throw new Error("this world has no proxy: create it with proxied: true");
    return proxy;
  }

  /** The operator that was started last. */
  get operator(): OperatorProcess {
    const last = this.processes.at(-1);
    if (last === undefined) throw new Error("no operator was started");
    return last;
  }

  /**
   * Starts an operator; it may not lead yet.
   * @param flags after those of the install.
   * @param executable of another release. @default the bundle of this checkout
   */
  async launch(flags: readonly string[] = [], executable?: string): Promise<OperatorProcess> {
    const options = { env: this.clouds.env, flags, ...(executable !== undefined && { executable }) };
    const process = await OperatorProcess.start(this.plane, this.install, options);
    this.processes.push(process);
    return process;
  }

  /** Starts an operator and waits until it leads. */
  async start(flags: readonly string[] = [], executable?: string): Promise<OperatorProcess> {
    const process = await this.launch(flags, executable);
    await process.leads();
    return process;
  }

  /** Without warning; its Lease stays until it runs out. */
  async kill(process = this.operator): Promise<void> {
    this.killed.add(process);
    await process.kill();
  }

  /** Notes that a test ends a process in another way than with a code of 0. */
  mayFail(process: OperatorProcess): void {
    this.killed.add(process);
  }

  /** Ends the operator as the kubelet would. */
  async stop(process = this.operator): Promise<void> {
    const { code } = await process.stop();
    expect(code, `exit code; log:\n${await process.log()}`).to.equal(0);
  }

  /** Creates a pool over the nodes of this world's fleet, unless its match says otherwise. */
  async pool(name: string, spec: Partial<FloatingIPPoolSpec>): Promise<PoolResource> {
    const usual = { provider: "digitalocean", region: "nyc3", match: { nodeLabel: this.fleet.nodeLabel } };
    await this.put("floatingippools", "FloatingIPPool", name, { ...usual, ...spec });
    return this.poolNamed(name);
  }

  /** A pool that is there already. */
  poolNamed(name: string): PoolResource {
    return this.resource("floatingippools", name);
  }

  async recordSet(name: string, spec: Partial<NodeDNSRecordSetSpec>): Promise<RecordSetResource> {
    const usual = { match: { nodeLabel: this.fleet.nodeLabel } };
    await this.put("nodednsrecordsets", "NodeDNSRecordSet", name, { ...usual, ...spec });
    return this.recordSetNamed(name);
  }

  recordSetNamed(name: string): RecordSetResource {
    return this.resource("nodednsrecordsets", name);
  }

  async routedIP(name: string, spec: RoutedIPSpec): Promise<RoutedIPResource> {
    await this.put("routedips", "RoutedIP", name, spec);
    return this.resource("routedips", name);
  }

  /** Creates a resource as it is. */
  async put(plural: string, kind: string, name: string, spec: unknown): Promise<void> {
    const body = { apiVersion: GROUP_VERSION, kind, metadata: { name }, spec };
    await this.client.must.create(this.path(plural), body);
  }

  /** Waits for something outside of the resources: the clouds, nodes. */
  async until(what: string, attempt: () => Promise<boolean> | boolean, timeoutMs = 60_000): Promise<void> {
    try {
      await eventually(attempt, { what, timeoutMs });
    } catch (error) {
      throw new Error(`${String(error)}\n${await this.story()}`);
    }
  }

  /** Waits until so many full reconciles have passed (start the operator with `--resync=1`). */
  async rounds(times = 3): Promise<void> {
    const now = () => this.operator.metric("controller_runtime_reconcile_total");
    const from = await now();
    await this.until(`${times} more reconciles`, async () => (await now()) >= from + times);
  }

  /** Annotations of a node under our prefix. */
  async annotations(node: { readonly name: string }): Promise<Readonly<Record<string, string>>> {
    const { metadata } = await this.client.must.get(`/api/v1/nodes/${node.name}`);
    return metadata.annotations ?? {};
  }

  /** What changed in the clouds since the marks, as `METHOD /path`. */
  changes(since?: CloudMarks): readonly string[] {
    return this.clouds.changes(since).map(({ method, path }) => `${method} ${path}`);
  }

  /** Calls and the end of the log, for the message of a failed test. */
  async story(): Promise<string> {
    const logs = await Promise.all(this.processes.map((process) => process.log()));
    return `${this.clouds.text()}\n${logs.map((log) => log.slice(-LOG_TAIL)).join("\n---\n")}`;
  }

  /** Ends and removes everything; throws where something went wrong unseen. */
  async close(): Promise<void> {
    this.facts.proxy?.heal();
    const problems = await this.problems();
    await this.facts.proxy?.close();
    await this.removeResources();
    await this.fleet.close();
    await this.install.remove();
    await this.clouds.close();
    expect(problems, "problems of the operator").to.deep.equal([]);
  }

  /** Ends the processes and says what they did without a reason. */
  private async problems(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const process of this.processes.filter((one) => !this.killed.has(one))) {
      const refused = this.facts.mayBeRefused ? 0 : await process.metric("rest_client_requests_total", 'code="403"');
      if (refused > 0) found.push(`the API server refused it ${refused} requests`);
      const { code } = process.exit ?? (await process.stop());
      if (code !== 0) found.push(`it ended with code ${code}: ${await process.log()}`);
    }
    for (const process of this.processes) found.push(...(await this.secretsIn(process)));
    return found;
  }

  /** Lines of the log that hold a token of the clouds, or what looks like a credential. */
  private async secretsIn(process: OperatorProcess): Promise<readonly string[]> {
    const redactor = new Redactor();
    for (const [name, value] of Object.entries(this.clouds.env)) if (name.endsWith("TOKEN")) redactor.add(value);
    const lines = (await process.log()).split("\n");
    return lines.filter((line) => redactor.scrub(line) !== line).map((line) => `its log holds a secret: ${line}`);
  }

  private async removeResources(): Promise<void> {
    for (const plural of ["floatingippools", "nodednsrecordsets", "routedips"]) {
      const { status, body } = await this.client.list(this.path(plural));
      if (status !== 200) continue;
      for (const { metadata } of body.items) {
        const path = this.path(plural, metadata.name);
        if (metadata.finalizers !== undefined) await this.client.patch(path, { metadata: { finalizers: null } });
        await this.client.delete(path);
      }
    }
  }

  private resource(plural: string, name: string) {
    return new Resource(this.client, { namespace: this.namespace, plural, name }, () => this.story());
  }

  private path(plural: string, name?: string): string {
    const collection = `/apis/${GROUP_VERSION}/namespaces/${this.namespace}/${plural}`;
    return name === undefined ? collection : `${collection}/${name}`;
  }
}

const LOG_TAIL = 20_000;
