import { readFile, writeFile } from "node:fs/promises";
import { Agent } from "node:https";
import { join } from "node:path";
import { type Binaries, describeReasons, executable, resolveBinaries } from "./binaries/binaries.js";
import { PARTS, type PartName } from "./binaries/versions.js";
import { Client } from "./client/client.js";
import { writeSetup } from "./credential-files.js";
import type { Etcd } from "./etcd.js";
import { ADMIN, type Identity, type TokenIdentity, withTokens } from "./identities.js";
import { kubeconfigText } from "./kubeconfig.js";
import { type KubectlOptions, type KubectlResult, runKubectl } from "./kubectl.js";
import { makeParts, type PartOptions, type Parts } from "./make-parts.js";
import type { Part } from "./part-process.js";
import { Supervisor } from "./supervisor.js";

/** Options of a control plane. */
export interface ControlPlaneOptions extends PartOptions {
  /** @default - looked up, see resolveBinaries */
  readonly binaries?: Binaries;
  /** Users in addition to the admin and the spare ones. */
  readonly identities?: readonly Identity[];
}

/** A real control plane on this machine: etcd, kube-apiserver and optionally kube-controller-manager. */
export class ControlPlane {
  /** Starts a control plane and waits until it serves requests. */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const binaries = options.binaries ?? (await findBinaries(options));
    const supervisor = await Supervisor.start();
    const plane = new ControlPlane(binaries, supervisor, withTokens(options.identities ?? []));
    try {
      await plane.launch(options);
      return plane;
    } catch (error) {
      await plane.stop();
      throw error;
    }
  }

  private readonly agent = new Agent({ keepAlive: true });
  private readonly stopHooks: (() => Promise<void>)[] = [];
  private stopped: Promise<void> | undefined;
  private parts: Parts | undefined;
  private ca = "";

  private constructor(
    /** Where the executables are. */
    readonly binaries: Binaries,
    /** Owner of all processes, including those of a suite. */
    readonly supervisor: Supervisor,
    private readonly identities: ReadonlyMap<string, TokenIdentity>,
  ) {}

  /** Address of the API server. */
  get url(): string {
    return `https://127.0.0.1:${this.apiserver.port}`;
  }

  /** The certificate authority of the API server, PEM. */
  get caData(): string {
    return this.ca;
  }

  /** File with the certificate authority of the API server. */
  get caFile(): string {
    return join(this.dir, "certs", "apiserver.crt");
  }

  /** Bearer token of the admin. */
  get adminToken(): string {
    return this.token(ADMIN);
  }

  /** Temporary folder, removed at the end; suites may put files there. */
  get dir(): string {
    return this.supervisor.dir;
  }

  /** etcd, which tests can kill, restart, save and restore. */
  get etcd(): Etcd {
    return this.started().etcd;
  }

  /** The API server, which tests can kill and restart. */
  get apiserver(): Part {
    return this.started().apiserver;
  }

  /** The controller manager; throws when there is none. */
  get controllerManager(): Part {
    const part = this.started().controllerManager;
    if (!part) throw new Error("this control plane was started without controllerManager: true");
    return part;
  }

  /** Names of all identities. */
  get identityNames(): string[] {
    return [...this.identities.keys()];
  }

  /** Bearer token of an identity. */
  token(identity: string): string {
    const known = this.identities.get(identity);
    if (!known) throw new Error(`unknown identity "${identity}", known are ${this.identityNames.join(", ")}`);
    return known.token;
  }

  /** A client with an identity, by default the admin. */
  client(identity = ADMIN): Client {
    return new Client({ url: this.url, ca: this.ca, token: this.token(identity), agent: this.agent });
  }

  /** Writes a kubeconfig file for an identity, by default the admin, and returns its path. */
  async kubeconfig(identity = ADMIN, namespace?: string): Promise<string> {
    const token = this.token(identity);
    const name = [identity, ...(namespace === undefined ? [] : [namespace])].map(encodeURIComponent).join("@");
    const file = join(this.dir, `${name}.kubeconfig`);
    const facts = { url: this.url, ca: this.ca, user: identity, token, ...(namespace !== undefined && { namespace }) };
    await writeFile(file, kubeconfigText(facts), { mode: 0o600 });
    return file;
  }

  /** Runs kubectl until it exits; resolves with any exit code. */
  async kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<KubectlResult> {
    const kubeconfig = await this.kubeconfig(options.identity);
    const file = executable(this.binaries, "kubectl");
    return runKubectl({ file, kubeconfig, home: this.dir }, args, options);
  }

  /** Runs the hook when the control plane is about to stop. */
  beforeStop(hook: () => Promise<void>): void {
    this.stopHooks.push(hook);
  }

  /** Ends everything and removes the temporary folder. Can be called more than once. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    await Promise.allSettled(this.stopHooks.map((hook) => hook()));
    this.agent.destroy();
    await this.supervisor.close();
  }

  private started(): Parts {
    if (!this.parts) throw new Error("the control plane is not started");
    return this.parts;
  }

  private async launch(options: ControlPlaneOptions): Promise<void> {
    const facts = await writeSetup(this.dir, this.identities.values(), options.emulatedVersion);
    const { binaries, supervisor, adminToken } = this;
    this.parts = makeParts({
      ...{ binaries, supervisor, facts, adminToken, options },
      controllerManagerKubeconfig: join(this.dir, `${ADMIN}.kubeconfig`),
      // Connections of a killed server are dead, so no request may use them.
      apiserverEnded: () => this.agent.destroy(),
    });
    await this.etcd.start();
    await this.apiserver.start();
    this.ca = await readFile(this.caFile, "utf8");
    await this.kubeconfig();
    await this.parts.controllerManager?.start();
  }
}

async function findBinaries({ controllerManager }: ControlPlaneOptions): Promise<Binaries> {
  const resolution = await resolveBinaries({ parts: neededParts(controllerManager ?? false) });
  if (resolution.kind === "found") return resolution.binaries;
  throw new Error(`no control plane binaries: ${describeReasons(resolution.reasons)}`);
}

/** The programs of a control plane with or without a controller manager. */
export function neededParts(controllerManager: boolean): PartName[] {
  return PARTS.filter((part) => controllerManager || part !== "kube-controller-manager");
}
