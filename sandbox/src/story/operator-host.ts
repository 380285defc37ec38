/** Runs the real operator in this process, under an identity of its own, and kills it as a signal 9 would. */

import { DEFAULT_NAMESPACE, type FeatureName, type Permission, permissionsFor, RELEASE } from "cdk8s-flipop/api";
import type { Timer } from "flipop-operator/clock";
import { readSettings } from "flipop-operator/config";
import { EXIT, type ExitCode } from "flipop-operator/exit";
import { errorText, type Logger, silentLogger } from "flipop-operator/logging";
import { createOperator, type OperatorOptions } from "flipop-operator/operator";
import { Transport } from "flipop-operator/transport";
import { DEFAULT_TOKEN as CLOUDFLARE_TOKEN } from "../cloudflare/index.js";
import type { AllowRule } from "../kubernetes/index.js";
import type { SandboxWorld } from "../start-world.js";
import { Cable } from "./cable.js";
import type { StoryClock } from "./clock.js";
import type { Actor } from "./director.js";
import { watchCalls } from "./pending-requests.js";
import type { OperatorSetup } from "./scenario/scenario.js";

export interface OperatorHostOptions {
  readonly world: SandboxWorld;
  readonly clock: StoryClock;
  /** Gets the Kubernetes token of each operator. */
  readonly tokens: Set<string>;
  /** Of the operators. @default silent */
  readonly logger?: Logger;
  readonly setup: OperatorSetup;
  /** Answers the probes of the operators. */
  readonly probe: OperatorOptions["probe"];
  /** Called when an operator ends by itself. */
  readonly lost: (why: string) => void;
}

/** What Prometheus reads from a pod of the operator. */
export interface Scrape {
  /** Another one after each restart. */
  readonly identity: string;
  /** The text format. */
  readonly text: string;
}

interface Running {
  readonly scrape: () => Promise<Scrape>;
  readonly cables: readonly Cable[];
  readonly transport: Transport;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
  readonly startedAt: number;
}

/** A kubelet restarts a container at once, then after 10 s, 20 s, ...; a container that runs for 10 minutes starts again at 0. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 300_000;
const RESET_MS = 600_000;

/** Nothing listens, so that any number of sandboxes run side by side. */
const FLAGS = { "metrics-bind-addr": "", "health-bind-addr": "" };
const FEATURES: readonly FeatureName[] = ["pools", "dns", "routedip", "healthchecks"];

export class OperatorHost implements Actor {
  private current: Running | undefined;
  private readonly ending = new Set<Promise<unknown>>();
  private readonly origins = new Set<string>();
  private readonly unwatch: () => void;
  private count = 0;
  private restarts = 0;
  private restart: Timer | undefined;

  constructor(private readonly options: OperatorHostOptions) {
    const { kubernetes } = options.world;
    kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: DEFAULT_NAMESPACE } });
    const { clock } = options;
    // On a busy machine a request may take a while to arrive.
    this.unwatch = watchCalls({ to: (origin) => this.origins.has(origin), asked: () => clock.asked() });
  }

  async start(): Promise<void> {
    const { world, clock, probe, logger = silentLogger } = this.options;
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
    const settings = readSettings({ flags: this.flags(), env: {} });
    const stop = new AbortController();
    const operator = createOperator({ settings, transport, logger, env, clock, identity, ...(probe && { probe }) });
    const ended = operator.run(stop.signal).then((code) => {
      if (!stop.signal.aborted) this.end(running, code);
    });
    const scrape = async () => ({ identity, text: await operator.registry.text() });
    const running: Running = { scrape, cables, transport, stop, ended, startedAt: clock.monotonic() };
    this.current = running;
  }

  /** The metrics of the operator; `undefined` while none runs. */
  async scrape(): Promise<Scrape | undefined> {
    return this.current?.scrape();
  }

  async kill(): Promise<void> {
    const { current } = this;
    this.restart?.cancel();
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
    this.restart?.cancel();
    this.current = undefined;
    current?.stop.abort(new Error("the sandbox ends"));
    await current?.ended;
    await current?.transport.close();
    await Promise.all(current?.cables.map((cable) => cable.cut()) ?? []);
    await Promise.all(this.ending);
    this.unwatch();
  }

  private end({ startedAt }: Running, code: ExitCode): void {
    const { clock, lost } = this.options;
    const why = code === EXIT.leaseLost ? "it lost its lease; a lower --speed helps on a busy machine" : "it failed";
    if (clock.monotonic() - startedAt >= RESET_MS) this.restarts = 0;
    const delayMs = backoff(this.restarts++);
    const next = delayMs === 0 ? "at once" : `after ${delayMs / 1000} s`;
    lost(`the operator ended by itself, with code ${code}: ${why}; it is restarted ${next}`);
    this.restart = clock.setTimer(delayMs, () => this.startAgain());
  }

  private startAgain(): void {
    const started = this.kill()
      .then(() => this.start())
      .catch((error: unknown) => this.options.lost(`the operator does not start again: ${errorText(error)}`))
      .finally(() => this.ending.delete(started));
    this.ending.add(started);
  }

  private flags(): Readonly<Record<string, string>> {
    const { issuerNamespaces, tenantLimits } = this.options.setup;
    return {
      ...{ ...FLAGS, features: FEATURES.join(",") },
      "issuer-namespaces": [DEFAULT_NAMESPACE, ...issuerNamespaces].join(","),
      ...(tenantLimits && { "tenant-limits": JSON.stringify(tenantLimits) }),
    };
  }

  /** What the operator may do in a cluster, it may do here. */
  private rules(): readonly AllowRule[] {
    const places: Readonly<Partial<Record<Permission["scope"], readonly string[]>>> = {
      operatorNamespace: [DEFAULT_NAMESPACE],
      issuerNamespaces: [DEFAULT_NAMESPACE, ...this.options.setup.issuerNamespaces],
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

/** How long a kubelet waits before it restarts a container, in ms. @param restarts so far */
export function backoff(restarts: number): number {
  return restarts === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (restarts - 1), LONGEST_BACKOFF_MS);
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
