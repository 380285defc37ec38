import { stringify } from "yaml";

/** The content of a kubeconfig file. */
export interface KubeconfigFacts {
  readonly url: string;
  /** The server's certificate authority, PEM. */
  readonly ca: string;
  readonly user: string;
  readonly token: string;
  /** @default - none, which means `default` */
  readonly namespace?: string;
}

/** The text of a kubeconfig file with one cluster, one user and one context. */
export function kubeconfigText({ url, ca, user, token, namespace }: KubeconfigFacts): string {
  const name = "flipop-testbed";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } }],
    "current-context": name,
  });
}
