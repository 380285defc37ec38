/** How to reach and authenticate against one API server, whatever it was loaded from. */

/** A value given inline (PEM, decoded) or as a file, which is re-read while the process runs. */
export type Material = { readonly data: string } | { readonly file: string };

export type Auth =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: Material }
  | { readonly kind: "basic"; readonly username: string; readonly password: string }
  /** An exec plugin or an auth provider: left to `@kubernetes/client-node`. `kubeconfig` is the merged document. */
  | { readonly kind: "plugin"; readonly kubeconfig: string; readonly context: string };

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

export interface ClusterConfig {
  /** For messages: `in-cluster service account`, `context "x" of /path/config`. */
  readonly source: string;
  /** `https://host:port` with the path prefix, if any, and no slash at its end. */
  readonly server: string;
  /** @default the system's authorities */
  readonly ca?: Material;
  readonly clientCertificate?: { readonly cert: Material; readonly key: Material };
  /** Name expected in the server's certificate. @default the host of `server` */
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** From the kubeconfig; wins over the proxy variables. */
  readonly proxyUrl?: string;
  readonly auth: Auth;
  readonly impersonate?: Impersonation;
  /** Namespace of the context or of the service account. @default default */
  readonly namespace: string;
}

/** The configuration can't be used. The message says what was seen, where, and what to do. */
export class ConfigError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigError";
  }
}
