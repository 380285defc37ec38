import { ApiObject, JsonPatch, Lazy } from "cdk8s";
import { KINDS, type KindName } from "../api/kinds";
import { GROUP_VERSION } from "../api/names";
import { validateSpec } from "../api/validate";
import type { FlipopResource, FlipopResourceProps } from "../flipop-resource";
import { Draft, type Refusal } from "./draft";
import { checkMetadata } from "./metadata";
import { orderAfter, referencesOf } from "./order";
import { type AnyFacts, inProps, misfits, propOf, valuesOf } from "./props";

/** How a construct becomes an object. */
export interface ResourceDefinition {
  readonly kind: KindName;
  /** The props that `write` writes. Constructs that they refer to come first. */
  readonly props: FlipopResourceProps | undefined;
  readonly facts: AnyFacts;
  /** Writes the spec. Called at synthesis only, and more than once. */
  readonly write: (draft: Draft) => object;
}

/**
 * Makes the object of a resource: its spec is written, and everything that is wrong with it told, at synthesis.
 * @param resource the construct that the object belongs to
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
  // A chart stamps its namespace on everything in it.
  if (KINDS[kind].scope === "Cluster" && object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  }
  orderAfter(object, referencesOf(Object.values(valuesOf(props, facts))));
  resource.node.addValidation({ validate: () => problems(object, definition).map(toLine) });
  return object;
}

/** Everything that is wrong with the object, as problems of props. */
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
  // A prop that was refused is written as a guess: what the schema says of that guess is of no use.
  return [...refused, ...invalid.filter(({ prop }) => !refused.some((refusal) => refusal.prop === prop))];
}

const UNWRITTEN = "can't be written, a value in the props is missing or of another type";

/** A throw would be told without the construct's path, and hide what other constructs have to say. */
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
