import { ALL_KINDS, type AnyKind } from "../kinds/kinds";
import { API_GROUP, API_VERSION, CATEGORY } from "../names";
import { defined, type OpenApiSchema, toOpenApi } from "./openapi";

/** A CustomResourceDefinition, ready to be serialized as YAML. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: OpenApiSchema;
}

/** The CustomResourceDefinitions of all kinds, in the order of the docs. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return ALL_KINDS.map(customResourceDefinition);
}

/** The CustomResourceDefinition of one kind. */
export function customResourceDefinition(kind: AnyKind): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${API_GROUP}` },
    spec: {
      group: API_GROUP,
      scope: kind.scope,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: [CATEGORY],
      },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns.map((column) => defined({ ...column })),
          schema: { openAPIV3Schema: objectSchema(kind) },
        },
      ],
    },
  };
}

/** Error of a resource without a spec. */
export const SPEC_MISSING = "spec is missing: add it, kubectl explain shows its fields";

function objectSchema(kind: AnyKind): OpenApiSchema {
  return {
    type: "object",
    description: kind.description,
    properties: {
      apiVersion: { type: "string", description: `Always ${API_GROUP}/${API_VERSION}.` },
      kind: { type: "string", description: `Always ${kind.kind}.` },
      metadata: { type: "object" },
      spec: toOpenApi(kind.spec),
      status: toOpenApi(kind.status),
    },
    // Not `required`: objects that the Go operator's schema stored without a spec could no longer be changed, because
    // the server tolerates unchanged mistakes at any depth except the root.
    "x-kubernetes-validations": [
      {
        rule: "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))",
        message: SPEC_MISSING,
        optionalOldSelf: true,
      },
      ...(kind.changeRules ?? []).map(({ cel, message }) => ({
        rule: `!has(self.spec) || !has(oldSelf.spec) || (${cel})`,
        message,
      })),
    ],
  };
}
