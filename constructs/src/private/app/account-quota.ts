import type { ApiObject } from "cdk8s";
import { providerNamed } from "../../api/providers";
import { isObject } from "../../api/schema/schema";
import { objectAt } from "../manifest";
import type { AppIndex, FlipopObject } from "./app-index";
import { type Doubt, listOf } from "./claims";

const EXCEEDED = new WeakMap<AppIndex, ReadonlyMap<ApiObject, Doubt>>();

/**
 * The warning of the first resource with which an app needs more addresses than a new account may have. Only pools and
 * RoutedIPs with an issuer of the app are counted: for the others, the provider is not known.
 */
export function exceededQuota({ object }: FlipopObject, index: AppIndex): readonly Doubt[] {
  const exceeded = EXCEEDED.get(index) ?? findExceeded(index);
  EXCEEDED.set(index, exceeded);
  const found = exceeded.get(object);
  return found ? [found] : [];
}

/** One pass over the app, because a pass for each resource would take quadratic time. */
function findExceeded(index: AppIndex): ReadonlyMap<ApiObject, Doubt> {
  const resources = index.allFlipopObjects();
  const issuers = new Map(
    resources
      .filter(({ kind }) => kind === "RoutedIPIssuer")
      .map((issuer) => [placeOf(issuer, index), issuer] as const),
  );
  const totals = new Map<string, number>();
  const warned = new Set<string>();
  return new Map(
    resources.flatMap((resource) => {
      const { provider, count, created } = demandOf(resource, (name) => issuers.get(placeOf(resource, index, name)));
      const key = `${index.clusterOf(resource.object)}\n${provider}`;
      const total = (totals.get(key) ?? 0) + count;
      totals.set(key, total);
      const doubt = created && !warned.has(key) ? doubtAbout(resource, provider, total) : undefined;
      if (doubt) warned.add(key);
      return doubt ? [[resource.object, doubt] as const] : [];
    }),
  );
}

function doubtAbout({ kind }: FlipopObject, provider: string, total: number): Doubt | undefined {
  const { title, addressQuota = Number.POSITIVE_INFINITY } = providerNamed(provider) ?? {};
  if (total <= addressQuota) return undefined;
  const path = kind === "RoutedIP" ? "spec.routedIP" : "spec.desiredIPs";
  const message = `with this resource, the app needs ${total} addresses, but a ${title} account may have ${addressQuota} by default: ask ${title} for a higher limit`;
  return { path, message };
}

/** How many addresses a resource needs at a provider. */
interface Demand {
  readonly provider: string;
  readonly count: number;
  /** Whether the operator creates some of them: the account already has listed ones. */
  readonly created: boolean;
}

function demandOf({ kind, spec }: FlipopObject, issuerNamed: (name: string) => FlipopObject | undefined): Demand {
  if (kind === "FloatingIPPool") {
    const desired = typeof spec.desiredIPs === "number" ? spec.desiredIPs : 0;
    const listed = listOf(spec.ips).length;
    return { provider: String(spec.provider ?? ""), count: Math.max(desired, listed), created: desired > listed };
  }
  const issuer = kind === "RoutedIP" && isObject(spec.issuerRef) ? issuerNamed(String(spec.issuerRef.name)) : undefined;
  return { provider: String(issuer?.spec.provider ?? ""), count: issuer ? 1 : 0, created: spec.routedIP === undefined };
}

function placeOf({ object }: FlipopObject, index: AppIndex, otherName?: string): string {
  const { namespace = "", name } = objectAt(index.manifestOf(object).json, "metadata");
  return [index.clusterOf(object), String(namespace), otherName ?? String(name)].join("\n");
}
