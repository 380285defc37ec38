import { ApiObject, type ApiObjectMetadata, JsonPatch, Lazy } from "cdk8s";
import type { IConstruct } from "constructs";
import { KINDS, type KindName } from "../api/kinds";
import { GROUP_VERSION } from "../api/names";
import { validateSpec } from "../api/validate";
import type { FlipopResource } from "../flipop-resource";
import { Draft, type Refusal } from "./draft";
import { checkMetadata } from "./metadata";
import { orderAfter } from "./order";
import { propOf } from "./prop-fields";

/** How a construct becomes an object. */
export interface ResourceDefinition {
  readonly kind: KindName;
  readonly metadata: ApiObjectMetadata | undefined;
  /** Constructs that the props refer to; their objects come first. */
  readonly references: readonly IConstruct[];
  /** Writes the spec. Called at synthesis only, and more than once. */
  readonly write: (draft: Draft) => object;
}

/**
 * Makes the object of a resource: its spec is written, and everything that is wrong with it told, at synthesis.
 * @param resource the construct that the object belongs to
 */
export function defineResource(resource: FlipopResource, definition: ResourceDefinition): ApiObject {
  const { kind, metadata, references, write } = definition;
  const object = new ApiObject(resource, "Default", {
    apiVersion: GROUP_VERSION,
    kind,
    ...(metadata ? { metadata } : {}),
    spec: Lazy.any({ produce: () => write(new Draft(object)) }),
  });
  // A chart stamps its namespace on everything in it.
  if (KINDS[kind].scope === "Cluster" && object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  }
  orderAfter(object, references);
  resource.node.addValidation({ validate: () => problems(object, definition).map(toLine) });
  return object;
}

/** Everything that is wrong with the object, as problems of props. */
function problems(object: ApiObject, { kind, metadata, write }: ResourceDefinition): readonly Refusal[] {
  const draft = new Draft(object);
  checkMetadata(draft, { kind, given: metadata });
  const spec = write(draft);
  const refused = draft.refusals;
  const invalid = validateSpec(kind, spec).map(({ path, message }) => ({ prop: propOf(kind, path), message }));
  // A prop that was refused is written as a guess: what the schema says of that guess is of no use.
  return [...refused, ...invalid.filter(({ prop }) => !refused.some((refusal) => refusal.prop === prop))];
}

function toLine({ prop, message }: Refusal): string {
  return prop === "" ? message : `${prop}: ${message}`;
}
