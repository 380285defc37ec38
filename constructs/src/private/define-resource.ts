import { ApiObject, JsonPatch, Lazy } from "cdk8s";
import { KINDS, type KindName } from "../api/kinds";
import { GROUP_VERSION } from "../api/names";
import { validateSpec } from "../api/validate";
import type { FlipopResource, FlipopResourceProps } from "../flipop-resource";
import { Draft, type Refusal } from "./draft";
import { checkMetadata } from "./metadata";
import { orderAfter, referencesOf } from "./order";
import { type AnyFacts, inProps, misfits, propOf, valuesOf } from "./props";

/** The inputs for the object of a construct. */
export interface ResourceDefinition {
  readonly kind: KindName;
  /** The props for `write`. Constructs that they refer to come before the object in the manifest. */
  readonly props: FlipopResourceProps | undefined;
  readonly facts: AnyFacts;
  /** Writes the spec. It runs only at synthesis, more than once. */
  readonly write: (draft: Draft) => object;
}

/**
 * Creates the object of a resource. Synthesis writes its spec, and reports all problems of the props.
 * @param resource the construct of the object
 */
export function defineResource(resource: FlipopResource, definition: ResourceDefinition): ApiObject {
  const { kind, props = {}, facts, write } = definition;
  const { metadata } = props;
  const object = new ApiObject(resource, "Default", {
    apiVersion: GROUP_VERSION,
    kind,
    ...(metadata ? { metadata } : {}),
    spec: Lazy.any({ produce: () => write(new Draft(object)) }),
  });
  // A chart sets its namespace on all its objects.
  if (KINDS[kind].scope === "Cluster" && object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  }
  orderAfter(object, referencesOf(Object.values(valuesOf(props, facts))));
  resource.node.addValidation({ validate: () => problems(object, definition).map(toLine) });
  return object;
}

/** All problems of the object, as problems of props. */
function problems(object: ApiObject, { kind, props = {}, facts, write }: ResourceDefinition): readonly Refusal[] {
  const draft = new Draft(object);
  checkMetadata(draft, { kind, given: props.metadata });
  const unusable = misfits(props, facts);
  if (unusable.length > 0) return [...draft.refusals, ...unusable];
  const spec = attempt(() => write(draft));
  const refused = draft.refusals;
  if (spec instanceof Error) return [...refused, { prop: "", message: `${UNWRITTEN}: ${spec.message}` }];
  const invalid = validateSpec(kind, spec).map(({ path, message }) => ({
    prop: propOf(facts, path),
    message: inProps(facts, message),
  }));
  // For a refused prop, the spec contains a guess: the schema's problems with that guess are useless.
  return [...refused, ...invalid.filter(({ prop }) => !refused.some((refusal) => refusal.prop === prop))];
}

const UNWRITTEN = "cannot be written, because a value in the props is missing or of a wrong type";

/** An error thrown here would show no construct path, and hide the problems of other constructs. */
function attempt(work: () => object): object {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function toLine({ prop, message }: Refusal): string {
  return prop === "" ? message : `${prop}: ${message}`;
}
