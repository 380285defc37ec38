/** The definition of DNSEndpoint objects, with the fields that the operator writes. */

export const ENDPOINT_DEFINITION = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  metadata: { name: "dnsendpoints.externaldns.k8s.io" },
  spec: {
    group: "externaldns.k8s.io",
    scope: "Namespaced",
    names: { kind: "DNSEndpoint", plural: "dnsendpoints" },
    versions: [
      {
        ...{ name: "v1alpha1", served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  endpoints: {
                    type: "array",
                    items: {
                      type: "object",
                      required: ["dnsName", "recordType"],
                      properties: {
                        dnsName: { type: "string", minLength: 1, maxLength: 254 },
                        recordType: { type: "string", enum: ["A", "AAAA", "CNAME", "TXT"] },
                        recordTTL: { type: "integer", format: "int64", minimum: 0 },
                        targets: { type: "array", maxItems: 1000, items: { type: "string", minLength: 1 } },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
