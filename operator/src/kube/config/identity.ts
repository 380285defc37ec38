import { readFileSync } from "node:fs";
import { settlesWithin } from "../../async.js";
import type { Clock } from "../../clock.js";
import { errorText, type Logger } from "../../logging.js";
import { CREDENTIALS_MAX_AGE_MS, CREDENTIALS_READ_MS, SECOND_MS } from "../../timings.js";
import { type ClusterConfig, ConfigError, type Impersonation, type Material } from "./cluster-config.js";

export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername: string | undefined;
  readonly rejectUnauthorized: boolean;
}

interface Identity {
  /** Authorization and Impersonate headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/** What a plugin (exec, OIDC) adds. */
interface PluginCredential {
  readonly authorization: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Runs the plugin, or returns what it cached. @param renew drop the cached credential first. */
export type Plugin = (renew: boolean) => Promise<PluginCredential>;

interface IdentitySourceProps {
  readonly config: ClusterConfig;
  readonly clock: Clock;
  readonly logger: Logger;
  /** For `auth.kind: plugin`. */
  readonly plugin?: Plugin | undefined;
}

/** Who we are to the API server: re-read every 60 s and after a 401; the last good one survives a failed re-read. */
export class IdentitySource {
  private last: { readonly identity: Identity; readonly readAt: number } | undefined;
  private reading: Promise<Identity> | undefined;
  private rejected = false;

  constructor(private readonly props: IdentitySourceProps) {}

  /** The identity to use now. Callers that come while it is being read share one reading. */
  current(): Promise<Identity> {
    const age = this.last === undefined ? Number.POSITIVE_INFINITY : this.props.clock.monotonic() - this.last.readAt;
    if (this.last !== undefined && age < CREDENTIALS_MAX_AGE_MS && !this.rejected) {
      return Promise.resolve(this.last.identity);
    }
    this.reading ??= this.refresh().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  /** The server answered 401: read again before the next call. */
  reject(): void {
    this.rejected = true;
  }

  private async refresh(): Promise<Identity> {
    const renew = this.rejected;
    try {
      const identity = await this.read(renew);
      this.last = { identity, readAt: this.props.clock.monotonic() };
      this.rejected = false;
      return identity;
    } catch (error) {
      if (this.last === undefined) throw error;
      this.props.logger.warn(
        { error: errorText(error), source: this.props.config.source },
        "credentials could not be read again; the last ones stay in use",
      );
      this.last = { identity: this.last.identity, readAt: this.props.clock.monotonic() };
      return this.last.identity;
    }
  }

  private async read(renew: boolean): Promise<Identity> {
    const { config, plugin } = this.props;
    const extra = plugin === undefined ? undefined : await this.within(plugin(renew));
    return { headers: headersOf(config, extra), tls: tlsOf(config, extra) };
  }

  /** Every call waits for the credentials, before its own deadline begins to count. */
  private async within<T>(reading: Promise<T>): Promise<T> {
    const { clock, config } = this.props;
    if (await settlesWithin(clock, CREDENTIALS_READ_MS, reading)) return reading;
    const seconds = CREDENTIALS_READ_MS / SECOND_MS;
    throw new ConfigError(`${config.source}: its exec plugin or auth provider did not answer within ${seconds} s`);
  }
}

function headersOf(config: ClusterConfig, extra: PluginCredential | undefined): Identity["headers"] {
  const authorization = extra?.authorization ?? authorizationOf(config);
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(config.impersonate === undefined ? {} : impersonationHeaders(config.impersonate)),
  };
}

function tlsOf(config: ClusterConfig, extra: PluginCredential | undefined): TlsMaterial {
  return {
    ca: readMaterial(config.ca, "certificate authority", config.source),
    cert: extra?.cert ?? readMaterial(config.clientCertificate?.cert, "client certificate", config.source),
    key: extra?.key ?? readMaterial(config.clientCertificate?.key, "client key", config.source),
    servername: config.tlsServerName,
    rejectUnauthorized: !config.insecureSkipTlsVerify,
  };
}

function authorizationOf({ auth, source }: ClusterConfig): string | undefined {
  if (auth.kind === "token") return `Bearer ${readMaterial(auth.token, "token", source)?.trim() ?? ""}`;
  if (auth.kind !== "basic") return undefined;
  return `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString("base64")}`;
}

function impersonationHeaders({ user, uid, groups }: Impersonation): Record<string, string | string[]> {
  return {
    "impersonate-user": user,
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": [...groups] }),
  };
}

function readMaterial(material: Material | undefined, what: string, source: string): string | undefined {
  if (material === undefined) return undefined;
  if ("data" in material) return material.data;
  try {
    const content = readFileSync(material.file, "utf8");
    if (content.trim() !== "") return content;
  } catch (error) {
    throw new ConfigError(`${source}: the ${what} file ${material.file} can't be read; check path and permissions`, {
      cause: error,
    });
  }
  throw new ConfigError(`${source}: the ${what} file ${material.file} is empty; write the ${what} into it`);
}

/** The part of client-node's `KubeConfig` used here. */
interface PluginRunner {
  applyToHTTPSOptions(options: HttpsOptions): Promise<void>;
}

interface HttpsOptions {
  headers?: Record<string, string>;
  cert?: string | Buffer;
  key?: string | Buffer;
}

/**
 * Exec plugins, OIDC and cloud auth providers through `@kubernetes/client-node`: imported on first use only, since
 * loading it costs 0.8 s and 70 MB.
 */
export function kubeconfigPlugin(kubeconfig: string, context: string): Plugin {
  let runner: PluginRunner | undefined;
  return async (renew) => {
    // Its token cache knows expiry only, not 401; a new instance has an empty cache.
    if (renew || runner === undefined) runner = await load(kubeconfig, context);
    const options: HttpsOptions = { headers: {} };
    try {
      await runner.applyToHTTPSOptions(options);
    } catch (error) {
      throw new ConfigError(
        `context "${context}": its exec plugin or auth provider failed; run "kubectl --context ${context} get nodes" to see it alone`,
        { cause: error },
      );
    }
    return credentialOf(options);
  };
}

async function load(kubeconfig: string, context: string): Promise<PluginRunner> {
  // Its index would bring the clients of all APIs into the bundle: 2.7 MB that nothing calls.
  const { KubeConfig } = await import("@kubernetes/client-node/dist/config.js");
  const loaded = new KubeConfig();
  loaded.loadFromString(kubeconfig);
  loaded.setCurrentContext(context);
  return loaded;
}

function credentialOf({ headers, cert, key }: HttpsOptions): PluginCredential {
  return {
    authorization: headers?.["Authorization"] ?? headers?.["authorization"],
    cert: cert?.toString(),
    key: key?.toString(),
  };
}
