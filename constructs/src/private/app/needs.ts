import type { FeatureName } from "../../api/config";
import type { KindName } from "../../api/kinds/kinds";
import { EXTERNAL_DNS } from "../../api/providers";
import type { JsonObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import { recordSetOf } from "./claims";

/** What an operator needs to serve a resource. */
export type Need = { readonly path: string } & (
  | { readonly what: "feature"; readonly value: FeatureName }
  | {
      readonly what: NamespaceNeed | "provider";
      readonly value: string;
      /** The operator serves the resource without it too, but not completely. */
      readonly optional?: true;
    }
);

/**
 * `watch`: the operator manages the namespace's resources. `pods`: it may read the namespace's pods. `all-pods`: it may
 * read pods of all namespaces. `issuers`: it may read the namespace's Secrets. `accounts`: the same, or the namespace is
 * its own, whose issuers may use its token. `jobs`: it may run Jobs there. `own`: the namespace is its own.
 */
export type NamespaceNeed = "watch" | "pods" | "all-pods" | "issuers" | "accounts" | "jobs" | "own";

/** A resource by its kind, its namespace, if that is known, and its spec. */
export interface NeedyResource {
  readonly kind: KindName;
  readonly namespace: string | undefined;
  readonly spec: JsonObject;
}

/** The needs of a resource, each with the field that causes it. */
export function needsOf(resource: NeedyResource): readonly Need[] {
  return [
    ...NEEDS[resource.kind](resource),
    ...dnsNeeds(resource),
    ...probeNeeds(resource),
    ...publishNeeds(resource),
  ].filter(({ value }) => value !== "");
}

const NEEDS: Readonly<Record<KindName, (resource: NeedyResource) => readonly Need[]>> = {
  FloatingIPPool: (resource) => [
    feature("pools", ""),
    watch(resource),
    ...podNeeds(resource),
    need("provider", resource.spec.provider, "spec.provider"),
  ],
  NodeDNSRecordSet: (resource) => [feature("dns", ""), watch(resource), ...podNeeds(resource)],
  RoutedIP: routedIpNeeds,
  RoutedIPIssuer: issuerNeeds,
  ClusterRoutedIPClass: ({ spec }) =>
    spec.issuerRef === undefined
      ? [
          feature("routedip", ""),
          feature("jobs", "spec.updateRoutedIP"),
          need("jobs", spec.jobNamespace, "spec.jobNamespace"),
        ]
      : [feature("routedip", ""), need("accounts", objectAt(spec, "issuerRef").namespace, "spec.issuerRef")],
};

function routedIpNeeds(resource: NeedyResource): readonly Need[] {
  const { namespace } = objectAt(resource.spec, "serviceRef");
  const path = "spec.serviceRef";
  const accounts =
    resource.spec.issuerRef === undefined ? [] : [need("accounts", resource.namespace, "spec.issuerRef")];
  // Without the pods, their hostPorts are not known.
  const pods = { ...need("pods", namespace ?? resource.namespace, path), optional: true } as const;
  return [feature("routedip", ""), ...accounts, watch(resource), need("watch", namespace, path), pods];
}

/** An issuer without credentials uses the operator's token, which only one in the operator's namespace may do. */
function issuerNeeds({ namespace, spec }: NeedyResource): readonly Need[] {
  const path = "metadata.namespace";
  if (spec.credentialsSecretRef !== undefined) return [feature("routedip", ""), need("issuers", namespace, path)];
  const token = need("provider", spec.provider, "spec.provider");
  return [feature("routedip", ""), need("own", namespace, "spec.credentialsSecretRef"), token];
}

function dnsNeeds({ kind, spec }: NeedyResource): readonly Need[] {
  if (spec.dnsRecordSet === undefined) return [];
  const { provider } = recordSetOf(kind, spec);
  if (provider === EXTERNAL_DNS) return [feature("externaldns", "spec.dnsRecordSet")];
  return [need("provider", provider, "spec.dnsRecordSet")];
}

function probeNeeds({ spec }: NeedyResource): readonly Need[] {
  return spec.healthCheck === undefined ? [] : [feature("healthchecks", "spec.healthCheck")];
}

function publishNeeds({ spec }: NeedyResource): readonly Need[] {
  return spec.publishTo === undefined ? [] : [feature("publish", "spec.publishTo")];
}

function podNeeds({ spec }: NeedyResource): readonly Need[] {
  const { podNamespace, podLabel } = objectAt(spec, "match");
  if (podNamespace) return [need("pods", podNamespace, "spec.match.podNamespace")];
  return podLabel ? [need("all-pods", podLabel, "spec.match.podLabel")] : [];
}

function watch({ namespace }: NeedyResource): Need {
  return need("watch", namespace, "metadata.namespace");
}

function feature(value: FeatureName, path: string) {
  return { what: "feature", value, path } as const;
}

/** Without a text, there is no need: the namespace is not known, or the server chooses a default. */
function need(what: NamespaceNeed | "provider", value: unknown, path: string) {
  return { what, value: typeof value === "string" ? value : "", path };
}
