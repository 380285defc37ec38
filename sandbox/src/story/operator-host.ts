/** Runs the real operator in this process, under an identity of its own, and kills it as a signal 9 would. */

import { DEFAULT_NAMESPACE, type FeatureName, type Permission, permissionsFor, RELEASE } from "cdk8s-flipop/api";
import { readSettings } from "flipop-operator/config";
import { type Logger, silentLogger } from "flipop-operator/logging";
import { EXIT, type ExitCode } from "flipop-operator/manager";
import { createOperator } from "flipop-operator/operator";
import { Transport } from "flipop-operator/transport";
import { DEFAULT_TOKEN as CLOUDFLARE_TOKEN } from "../cloudflare/index.js";
import type { AllowRule } from "../kubernetes/index.js";
import type { SandboxWorld } from "../start-all.js";
import { Cable } from "./cable.js";
import { watchCalls } from "./calls.js";
import type { StoryClock } from "./clock.js";
import type { Actor } from "./director.js";

export interface OperatorHostOptions {
  readonly world: SandboxWorld;
  readonly clock: StoryClock;
  /** Gets the Kubernetes token of each operator. */
  readonly tokens: Set<string>;
  /** Of the operators. @default silent */
  readonly logger?: Logger;
  /** Namespaces, beside the operator's own, in which issuers may have their Secrets. */
  readonly issuerNamespaces: readonly string[];
  /** Called when an operator ends by itself. */
  readonly lost: (why: string) => void;
}

interface Running {
  readonly cables: readonly Cable[];
  readonly transport: Transport;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  /** Why it ended by itself. */
  fate?: string;
}

/** Nothing listens, so that any number of sandboxes run side by side. */
const FLAGS = { "metrics-bind-addr": "", "health-bind-addr": "" };
const FEATURES: readonly FeatureName[] = ["pools", "dns", "routedip"];

export class OperatorHost implements Actor {
  private current: Running | undefined;
  private readonly ending = new Set<Promise<unknown>>();
  private readonly origins = new Set<string>();
  private readonly unwatch: () => void;
  private count = 0;

  constructor(private readonly options: OperatorHostOptions) {
    const { kubernetes } = options.world;
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: DEFAULT_NAMESPACE } });
    const { clock } = options;
    // On a busy machine a request may take a while to arrive.
    this.unwatch = watchCalls({ to: (origin) => this.origins.has(origin), asked: () => clock.asked() });
  }

  async start(): Promise<void> {
    const { world, clock, logger = silentLogger } = this.options;
    const identity = `flipop-${++this.count}`;
    const token = world.kubernetes.addIdentity(identity, this.rules());
    this.options.tokens.add(token);
    const cables = await this.lay();
    const [kubernetes, digitalocean, cloudflare] = cables.map(({ url }) => url);
    const transport = new Transport({
      config: {
        ...{
          source: "the sandbox",
          server: kubernetes ?? "",
          insecureSkipTlsVerify: false,
          namespace: DEFAULT_NAMESPACE,
        },
        ...(world.kubernetes.ca === undefined ? {} : { ca: { data: world.kubernetes.ca } }),
        auth: { kind: "token", token: { data: token } },
      },
      ...{ clock, logger, env: {}, userAgent: `flipop/${RELEASE}` },
    });
    const env = {
      DIGITALOCEAN_API_URL: digitalocean,
      DIGITALOCEAN_ACCESS_TOKEN: world.digitalocean.token,
      CLOUDFLARE_API_URL: cloudflare,
      CLOUDFLARE_TOKEN,
    };
    const issuers = [DEFAULT_NAMESPACE, ...this.options.issuerNamespaces];
    const flags = { ...FLAGS, features: FEATURES.join(","), "issuer-namespaces": issuers.join(",") };
    const settings = readSettings({ flags, env: {} });
    const stop = new AbortController();
    const operator = createOperator({ settings, transport, logger, env, clock, identity });
    const ended = operator.run(stop.signal).then((code) => {
      if (!stop.signal.aborted) this.end(running, code);
    });
    const running: Running = { cables, transport, stop, ended };
    this.current = running;
  }

  /** Starts another operator where the last one has ended by itself. Resolves to why it had. */
  async revive(): Promise<string | undefined> {
    const fate = this.current?.fate;
    if (fate === undefined) return undefined;
    await this.kill();
    await this.start();
    return fate;
  }

  async kill(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    if (current === undefined) return;
    const cut = current.cables.map((cable) => cable.cut());
    // What is left of it can reach nothing any more; it ends in its own time.
    current.stop.abort(new Error("killed"));
    const ended = current.ended.then(() => current.transport.close()).finally(() => this.ending.delete(ended));
    this.ending.add(ended);
    await Promise.all(cut);
  }

  /** Ends all operators, the running one as a SIGTERM would. */
  async close(): Promise<void> {
    const { current } = this;
    this.current = undefined;
    current?.stop.abort(new Error("the sandbox ends"));
    await current?.ended;
    await current?.transport.close();
    await Promise.all(current?.cables.map((cable) => cable.cut()) ?? []);
    await Promise.all(this.ending);
    this.unwatch();
  }

  private end(running: Running, code: ExitCode): void {
    const why = code === EXIT.leaseLost ? "it lost its lease; a lower --speed helps on a busy machine" : "it failed";
    running.fate = `the operator ended by itself, with code ${code}: ${why}`;
    this.options.lost(running.fate);
  }

  /** What the operator may do in a cluster, it may do here. */
  private rules(): readonly AllowRule[] {
    const places: Readonly<Partial<Record<Permission["scope"], readonly string[]>>> = {
      operatorNamespace: [DEFAULT_NAMESPACE],
      issuerNamespaces: [DEFAULT_NAMESPACE, ...this.options.issuerNamespaces],
    };
    return permissionsFor(FEATURES).map((permission) => allowRule(permission, places[permission.scope]));
  }

  private async lay(): Promise<Cable[]> {
    const { world, clock } = this.options;
    const traffic = () => clock.traffic();
    const apis = [world.kubernetes, world.digitalocean, world.cloudflare];
    const cables = await Promise.all(apis.map(({ url }) => Cable.open({ to: url, traffic })));
    for (const { url } of cables) this.origins.add(new URL(url).origin);
    return cables;
  }
}

function allowRule(
  { apiGroup, resources, verbs, resourceNames }: Permission,
  inside: readonly string[] | undefined,
): AllowRule {
  return {
    verbs,
    apiGroups: [apiGroup],
    resources,
    ...(inside === undefined ? {} : { namespaces: inside }),
    ...(resourceNames === undefined ? {} : { resourceNames }),
  };
}
