/** A definition of Gateways with the few fields that the operator reads and writes, and the limits of the Gateway API. */

const CONDITION = { type: "object", properties: { type: { type: "string" }, status: { type: "string" } } };
const ADDRESS = {
  type: "object",
  required: ["value"],
  properties: { type: { type: "string" }, value: { type: "string" } },
};
const LIST = { type: "array", "x-kubernetes-list-type": "atomic" };

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
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "Address", type: "string", jsonPath: ".status.addresses[*].value" }],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { gatewayClassName: { type: "string" } } },
              status: {
                type: "object",
                properties: {
                  addresses: { ...LIST, items: ADDRESS, maxItems: 16 },
                  conditions: { ...LIST, items: CONDITION },
                },
              },
            },
          },
        },
      },
    ],
  },
};
