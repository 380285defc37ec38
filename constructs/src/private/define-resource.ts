import { ApiObject, JsonPatch, Lazy } from "cdk8s";
import { KINDS, type KindName } from "../api/kinds";
import { GROUP_VERSION } from "../api/names";
import { validateSpec } from "../api/validate";
import type { FlipopResource, FlipopResourceProps } from "../flipop-resource";
import { type AppIndex, appIndex } from "./app/app-index";
import { checkNames, registerObject } from "./app/check-names";
import { checkCluster, nameCluster } from "./app/cluster-name";
import { Draft, type Refusal, toLine } from "./draft";
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
  /** Checks the props against the other constructs of the app. It runs only in a validation. */
  readonly check?: (draft: Draft, index: AppIndex) => void;
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
  registerObject(object);
  nameCluster(resource, props.cluster);
  const found = () => problems(object, definition, appIndex(resource));
  resource.node.addValidation({ validate: () => found().map(toLine) });
  return object;
}

/** All problems of the object, as problems of props. */
function problems(object: ApiObject, definition: ResourceDefinition, index: AppIndex): readonly Refusal[] {
  const { kind, props = {}, facts, write, check } = definition;
  const draft = new Draft(object);
  checkMetadata(draft, { kind, given: props.metadata });
  checkCluster(object, props.cluster, draft);
  checkNames({ objects: [object], propOf: () => "metadata.name", draft }, index);
  check?.(draft, index);
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
