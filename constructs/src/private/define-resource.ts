import { ApiObject, JsonPatch, Lazy } from "cdk8s";
import { KINDS, type KindName } from "../api/kinds";
import { GROUP_VERSION } from "../api/names";
import { isObject } from "../api/schema";
import { validateSpec } from "../api/validate";
import type { FlipopResource, FlipopResourceProps } from "../flipop-resource";
import { type AppIndex, appIndex } from "./app/app-index";
import { checkNames, registerObject } from "./app/check-names";
import { checkCluster, nameCluster } from "./app/cluster-name";
import { UnusableArguments } from "./arguments";
import { Draft, type Refusal, toLine } from "./draft";
import { checkMetadata, METADATA_SHAPES } from "./metadata";
import { orderAfter, referencesOf } from "./order";
import { PART } from "./part";
import { inProps, propOf } from "./prop-names";
import { type AnyFacts, misfits, type Shapes, valuesOf } from "./props";
import { TOKEN_REFUSED, tokenPaths, withoutTokens } from "./tokens";

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
  const { kind, facts, write } = definition;
  const props = objectOf(definition.props);
  const metadata = usableMetadata(props);
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

/** All problems of the object, as problems of props. No message shows a token. */
function problems(object: ApiObject, definition: ResourceDefinition, index: AppIndex): readonly Refusal[] {
  const { refusals, spec } = checked(object, definition, index);
  const metadata = tokenPaths(object.metadata.toJson(), "metadata");
  const props = tokenPaths(spec, "spec").map((path) => propOf(definition.facts, path));
  return withoutTokens(refusals, [...metadata, ...props], TOKEN_REFUSED);
}

interface Checked {
  readonly refusals: readonly Refusal[];
  /** Absent if it cannot be written. */
  readonly spec?: object;
}

function checked(object: ApiObject, definition: ResourceDefinition, index: AppIndex): Checked {
  const { kind, facts, write, check } = definition;
  const props = objectOf(definition.props);
  const draft = new Draft(object);
  checkMetadata(draft, { kind, given: usableMetadata(props) });
  checkCluster(object, props.cluster, draft);
  checkNames({ objects: [object], propOf: () => "metadata.name", draft }, index);
  check?.(draft, index);
  const unusable = misfits(definition.props === undefined ? {} : definition.props, { ...facts, ...COMMON });
  if (unusable.length > 0) return { refusals: [...draft.refusals, ...unusable] };
  const spec = attempt(() => write(draft));
  const refused = draft.refusals;
  if (spec instanceof UnusableArguments) return { refusals: refused };
  if (spec instanceof Error) return { refusals: [...refused, { prop: "", message: `${UNWRITTEN}: ${spec.message}` }] };
  const invalid = validateSpec(kind, spec).map(({ path, message }) => ({
    prop: propOf(facts, path),
    message: inProps(facts, message),
  }));
  // For a refused prop, the spec contains a guess: the schema's problems with that guess are useless.
  const others = invalid.filter(({ prop }) => !refused.some((refusal) => refusal.prop === prop));
  return { refusals: [...refused, ...others], spec };
}

/** Props of every resource. */
const COMMON: Shapes = { metadata: { struct: METADATA_SHAPES }, cluster: { part: PART.text } };

function objectOf(props: FlipopResourceProps | undefined): FlipopResourceProps {
  return isObject(props) ? props : {};
}

/** Metadata that an object can have, because cdk8s throws in the constructor for any other. */
function usableMetadata({ metadata }: FlipopResourceProps): FlipopResourceProps["metadata"] {
  return metadata !== undefined && misfits(metadata, METADATA_SHAPES).length === 0 ? metadata : undefined;
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
