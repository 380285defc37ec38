/** A definition of Gateways with the few fields that the tests write. */

const FIELDS = {
  addresses: { type: "object", properties: { type: { type: "string" }, value: { type: "string" } } },
  conditions: { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } },
};
const lists = Object.entries(FIELDS).map(([name, items]) => [
  name,
  { type: "array", items, "x-kubernetes-list-type": "atomic" },
]);
const openAPIV3Schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { gatewayClassName: { type: "string" } } },
    status: { type: "object", properties: Object.fromEntries(lists) as object },
  },
};

export const GATEWAY_DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "gateways.gateway.networking.k8s.io",
    // The API server protects the group.
    annotations: { "api-approved.kubernetes.io": "unapproved, test data" },
  },
  spec: {
    group: "gateway.networking.k8s.io",
    scope: "Namespaced",
    names: { kind: "Gateway", plural: "gateways", singular: "gateway", listKind: "GatewayList" },
    versions: [{ name: "v1", served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } }],
  },
};
