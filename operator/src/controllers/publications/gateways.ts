/**
 * Gateways whose annotation lets resources show addresses there. Another controller serves each Gateway and may write its
 * addresses, too: the operator applies its own without force, so it never replaces those of another writer.
 */

import { Annotation, CONTROLLER_NAME } from "cdk8s-flipop/api";
import type { Cached, KubeObject, ObjectMeta } from "../../kube/objects.js";
import { APPLY_PATCH, type Patch } from "../../kube/write/patch.js";
import { publishingMessages } from "../../messages/publishing.js";
import type { TargetFacts } from "../../publishing/publications.js";
import { compareText } from "../../values.js";
import type { TargetObject } from "./target-kind.js";

export const GATEWAY_API = "gateway.networking.k8s.io/v1";
export const GATEWAY = "Gateway";

/** The cached form of a Gateway. */
export interface GatewayFacts extends Cached {
  readonly namespace: string;
  readonly version: string;
  /** Its annotation lets resources of its namespace show addresses. */
  readonly allows: boolean;
  /** Values of `status.addresses`, sorted. */
  readonly addresses: readonly string[];
  /** The operator is a field manager of these addresses. */
  readonly owned: boolean;
}

/** Whether the API server has shown the Gateways of a namespace, or of all. */
export type Reading = "unread" | "read" | "absent" | "forbidden";

export function slimGateways(raw: KubeObject): GatewayFacts {
  const { metadata, status } = raw as RawGateway;
  return Object.freeze({
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace ?? "",
    version: metadata.resourceVersion,
    allows: metadata.annotations?.[Annotation.publishAddresses] === "true",
    addresses: Object.freeze((status?.addresses ?? []).map(({ value }) => value).sort(compareText)),
    owned: (metadata.managedFields ?? []).some(ownsAddresses),
  });
}

interface RawGateway {
  readonly metadata: ObjectMeta & { readonly managedFields?: readonly ManagedFields[] };
  readonly status?: { readonly addresses?: readonly { readonly value: string }[] | null };
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: { readonly "f:status"?: Readonly<Record<string, unknown>> };
}

function ownsAddresses({ manager, operation, fieldsV1 }: ManagedFields): boolean {
  const isOurs = manager === CONTROLLER_NAME && operation === "Apply";
  return isOurs && fieldsV1?.["f:status"]?.["f:addresses"] !== undefined;
}

/** @param target `Gateway web/shop`; `undefined`: the Gateways have not been read yet */
export function factsOfGateway(
  target: string,
  reading: Reading,
  gateway: GatewayFacts | undefined,
): TargetFacts | undefined {
  const kind = { kind: GATEWAY, group: GATEWAY_API };
  if (reading === "unread") return undefined;
  if (reading === "absent") return { problem: publishingMessages.kindMissing(kind), shown: [] };
  if (reading === "forbidden") return { problem: publishingMessages.kindForbidden(kind), shown: [] };
  if (gateway === undefined) return { problem: publishingMessages.gatewayMissing({ target }), shown: [] };
  const { allows, addresses: shown } = gateway;
  return { shown, ...(!allows && { problem: publishingMessages.gatewayNotAllowed({ target }) }) };
}

/** Also without the annotation, as long as addresses of the operator are there: it withdraws them. */
export function hasRuns({ allows, owned }: GatewayFacts): boolean {
  return allows || owned;
}

export function objectOfGateway({ name, namespace, uid, ...gateway }: GatewayFacts): TargetObject {
  const { version: resourceVersion, addresses: all, owned, allows: allowed } = gateway;
  return { metadata: { name, namespace, uid, resourceVersion }, shown: owned ? all : [], all, allowed };
}

export function gatewayPath(key: string): string {
  const [namespace = "", name = ""] = key.split("/");
  return `/apis/${GATEWAY_API}/namespaces/${namespace}/gateways/${name}`;
}

/**
 * Of `/status`. What the operator applies no longer, the API server removes. A 409: another writer owns the addresses, or the
 * Gateway is not the version any more that allowed them.
 */
export function gatewayPatch({ metadata }: TargetObject, ips: readonly string[]): Patch {
  const { name, namespace, resourceVersion } = metadata;
  const addresses = ips.map((value) => ({ type: "IPAddress", value }));
  return {
    contentType: APPLY_PATCH,
    fieldManager: CONTROLLER_NAME,
    body: {
      apiVersion: GATEWAY_API,
      kind: GATEWAY,
      metadata: { name, namespace, resourceVersion },
      ...(addresses.length > 0 && { status: { addresses } }),
    },
  };
}
