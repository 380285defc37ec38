/** What the sandbox prints: how to reach each of its APIs, and how it ends. */

import { DEFAULT_TOKEN as CLOUDFLARE_TOKEN } from "./cloudflare/index.js";

const END = `Ctrl-C, or kill ${process.pid}, ends it; nothing is kept.`;

/** Sections under a heading. */
export function greeting(heading: string, sections: readonly string[]): string {
  return [`flipop sandbox: ${heading}`, ...sections, END].join("\n\n");
}

/** @param kubeconfig the file */
export function kubernetesSection(url: string, kubeconfig: string): string {
  return `Kubernetes, with flipop's kinds, at ${url}

  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl explain fip.spec
  kubectl create -f - <<'YAML'
  {apiVersion: flipop.digitalocean.com/v1alpha1, kind: FloatingIPPool, metadata: {name: web},
   spec: {provider: digitalocean, region: nyc3, desiredIPs: 2}}
  YAML
  kubectl get flipop`;
}

export function digitalOceanSection({ url, token }: { readonly url: string; readonly token: string }): string {
  return `DigitalOcean's API, simulated, at ${url}

  export DIGITALOCEAN_API_URL=${url}
  export DIGITALOCEAN_ACCESS_TOKEN=${token}
  curl -H "Authorization: Bearer $DIGITALOCEAN_ACCESS_TOKEN" "$DIGITALOCEAN_API_URL/v2/droplets"`;
}

export function cloudflareSection({ url }: { readonly url: string }): string {
  return `Cloudflare's API, simulated, at ${url}

  export CLOUDFLARE_API_URL=${url}
  export CLOUDFLARE_TOKEN=${CLOUDFLARE_TOKEN}
  curl -H "Authorization: Bearer $CLOUDFLARE_TOKEN" "$CLOUDFLARE_API_URL/zones"`;
}
