/** The provider that needs no credentials: it writes for external-dns. */

import { EXTERNAL_DNS, type FeatureName } from "cdk8s-flipop/api";
import type { KubeClient } from "../../kube/client.js";
import type { ProviderRegistry } from "../registry.js";
import { ExternalDns } from "./dns.js";

interface ExternalDnsTools {
  readonly client: KubeClient;
  readonly settings: { readonly features: readonly FeatureName[]; readonly namespace: string };
}

/** Only with feature externaldns: without it, the operator has no right to write the objects. */
export function addExternalDns(providers: ProviderRegistry, { client, settings }: ExternalDnsTools): void {
  const { features, namespace } = settings;
  if (!features.includes("externaldns")) return;
  providers.add(EXTERNAL_DNS, (run) => ({
    dns: new ExternalDns({ client, namespace, run }),
    close: () => Promise.resolve(),
  }));
}

/** Whether the operator is of use for the feature without a token of its own: issuers have Secrets, external-dns needs none. */
export function needsNoToken(feature: FeatureName): boolean {
  return feature === "routedip" || feature === "externaldns";
}
