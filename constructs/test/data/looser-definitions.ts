import { type AnyKind, API_GROUP, API_VERSION } from "../../src/api";

const text = { type: "string" };
const texts = { type: "array", items: text };

function object(properties: Readonly<Record<string, unknown>>) {
  return { type: "object", properties };
}

const match = object({
  podNamespace: text,
  podLabel: text,
  nodeLabel: text,
  tolerations: { type: "array", items: object({ key: text, operator: text, value: text, effect: text }) },
});
const dnsRecordSet = object({ recordName: text, zone: text, ttl: { type: "integer" }, provider: text });

/** Schemas as loose as the Go operator's, from its list of fields: types, and little more. */
const LOOSE: Readonly<Record<string, unknown>> = {
  FloatingIPPool: object({
    spec: object({
      provider: text,
      region: text,
      desiredIPs: { type: "integer", minimum: 0 },
      ips: texts,
      assignmentCoolOffSeconds: { type: "number", minimum: 0 },
      dnsRecordSet,
      match,
    }),
    status: object({
      ips: {
        type: "object",
        additionalProperties: object({ state: text, nodeName: text, providerID: text, error: text }),
      },
      nodeErrors: texts,
      assignableNodes: texts,
      error: text,
    }),
  }),
  NodeDNSRecordSet: object({
    spec: object({ provider: text, addressType: text, dnsRecordSet, match }),
    status: object({ state: text, error: text }),
  }),
};

/** The CustomResourceDefinition of a kind as an installation of the Go operator has it. */
export function looserDefinition({ kind, plural, singular }: AnyKind) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: LOOSE[kind] },
        },
      ],
    },
  };
}
