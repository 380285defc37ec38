import { dnsLabelSchema } from "./kinds/name-schemas";
import { Annotation, LOAD_BALANCER_CLASS } from "./names";
import type { SchemaOf } from "./schema/schema";

/** Kinds of objects whose status can show addresses. */
export type PublicationKind = "Service" | "Gateway";

/** An object of the same namespace whose status shows the active addresses of a resource. */
export interface Publication {
  readonly kind: PublicationKind;
  readonly name: string;
}

const MAX_PUBLICATIONS = 8;

/** Of `status.addresses` of a Gateway: the Gateway API allows no more, in all releases and channels. */
export const MAX_GATEWAY_ADDRESSES = 16;

/** Schema of `publishTo`, for every kind with this field. */
export const publishToSchema = {
  type: "array",
  optional: true,
  description: `Objects of the same namespace whose status shows the active addresses: Services of type LoadBalancer with loadBalancerClass ${LOAD_BALANCER_CLASS}, and Gateways (gateway.networking.k8s.io/v1) with annotation ${Annotation.publishAddresses} "true". The operator withdraws an address that is no longer active, unless it is on its way to another node. If several resources name an object, it shows the addresses of the oldest one. A Gateway shows at most ${MAX_GATEWAY_ADDRESSES} of them. Needs feature publish. Absent: none.`,
  example: [{ kind: "Service", name: "ingress" }],
  listType: "map",
  keys: ["kind", "name"],
  maxItems: MAX_PUBLICATIONS,
  items: {
    type: "object",
    description: "An object whose status shows the active addresses.",
    properties: {
      kind: {
        type: "string",
        description: "Kind of the object.",
        example: "Service",
        enum: { Service: true, Gateway: true },
      },
      name: dnsLabelSchema("Name of the object, in the namespace of the resource.", "ingress"),
    },
  },
} as const satisfies SchemaOf<readonly Publication[]> & { readonly optional: true };
