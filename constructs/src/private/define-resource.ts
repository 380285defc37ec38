import { ApiObject, JsonPatch, Lazy } from "cdk8s";
import { KINDS } from "../api/kinds/kinds";
import { GROUP_VERSION } from "../api/names";
import { isObject } from "../api/schema/schema";
import { validateSpec } from "../api/schema/validate";
import type { FlipopResource, FlipopResourceProps } from "../flipop-resource";
import { type AppIndex, appIndex, type FlipopObject } from "./app/app-index";
import { checkCluster, nameCluster } from "./app/chart-cluster";
import { checkClaims } from "./app/check-claims";
import { checkNames, registerObject } from "./app/check-names";
import { checkServed } from "./app/check-served";
import { registerNeeds } from "./app/needs-before-synth";
import { warnAbout } from "./app/resource-warnings";
import { objectAt } from "./manifest";
import { checkMetadata, METADATA_SHAPES } from "./metadata";
import { orderAfter, referencesOf } from "./order";
import { inProps, misfits, propOf, valuesOf } from "./prop-shapes";
import { Draft, type Refusal, toLine } from "./refusal-collector";
import { type ResourceDefinition, SpecWriter } from "./spec-writer";
import { TOKEN_REFUSED, tokenPaths, withoutTokens } from "./tokens";

/**
 * Creates the object of a resource. Synthesis writes its spec, and reports all problems of the props.
 * @param resource the construct of the object
 */
export function defineResource<Props extends FlipopResourceProps>(
  resource: FlipopResource,
  definition: ResourceDefinition<Props>,
): ApiObject {
  const { kind, facts, additions = {} } = definition;
  const props = objectOf(definition.props);
  const metadata = usableMetadata(props);
  const writer = new SpecWriter(definition);
  const object = new ApiObject(resource, "Default", {
    apiVersion: GROUP_VERSION,
    kind,
    ...(metadata ? { metadata } : {}),
    spec: Lazy.any({ produce: () => writer.write(object) }),
  });
  // A chart sets its namespace on all its objects.
  if (KINDS[kind].scope === "Cluster" && object.metadata.namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove("/metadata/namespace"));
  }
  // cdk8s asks for them several times, and only methods add to them.
  const given = referencesOf(Object.values(valuesOf(props, facts)));
  const added: readonly unknown[] = Object.values(additions);
  const references = () => [...given, ...referencesOf(added)];
  orderAfter(object, references);
  registerObject(object);
  registerNeeds(object, { kind, spec: () => writer.beforeSynth(object), references });
  nameCluster(resource, props.cluster);
  const subject = { object, definition, props, writer };
  resource.node.addValidation({ validate: () => problems(subject, appIndex(resource)).map(toLine) });
  return object;
}

/** What a validation examines. */
interface Subject<Props extends FlipopResourceProps> {
  readonly object: ApiObject;
  readonly definition: ResourceDefinition<Props>;
  readonly props: FlipopResourceProps;
  readonly writer: SpecWriter<Props>;
}

/** All problems of the object, as problems of props. No message shows a token. */
function problems<Props extends FlipopResourceProps>(subject: Subject<Props>, index: AppIndex): readonly Refusal[] {
  const { object, definition } = subject;
  const { json } = index.manifestOf(object);
  const refusals = refusalsOf(subject, index);
  const metadata = tokenPaths(json?.metadata ?? object.metadata.toJson(), "metadata");
  const props = tokenPaths(json?.spec, "spec").map((path) => propOf(definition.facts, path));
  return withoutTokens(refusals, [...metadata, ...props], TOKEN_REFUSED);
}

function refusalsOf<Props extends FlipopResourceProps>(subject: Subject<Props>, index: AppIndex): readonly Refusal[] {
  const { object, definition, props, writer } = subject;
  const { json, error } = index.manifestOf(object);
  const draft = new Draft(object);
  const metadata = objectAt(json ?? { metadata: object.metadata.toJson() }, "metadata");
  checkMetadata(draft, { kind: definition.kind, given: usableMetadata(props), metadata });
  checkCluster(object, props.cluster, draft);
  checkNames({ objects: [object], propOf: () => "metadata.name", draft }, index);
  if (!json) return [...draft.refusals, ...writer.refusals(error)];
  const manifest = { object, kind: definition.kind, spec: objectAt(json, "spec") };
  return manifestRefusals(definition, { manifest, index, draft, written: writer.refusals(undefined) });
}

interface ManifestCheck {
  readonly manifest: FlipopObject;
  readonly index: AppIndex;
  readonly draft: Draft;
  /** The problems of the props. */
  readonly written: readonly Refusal[];
}

/** Checks the spec after patches, because it is what the API server gets. */
function manifestRefusals<Props extends FlipopResourceProps>(
  { kind, facts, check }: ResourceDefinition<Props>,
  { manifest, index, draft, written }: ManifestCheck,
): readonly Refusal[] {
  const toProp = (path: string): string => propOf(facts, path);
  check?.(manifest.spec, draft);
  checkClaims(manifest, { index, draft, propOf: toProp });
  const refused = [...draft.refusals, ...written];
  const invalid = validateSpec(kind, manifest.spec).map(({ path, message }) => ({
    prop: toProp(path),
    message: inProps(facts, message),
  }));
  // For a refused prop, the spec contains a guess: the schema's problems with that guess are useless.
  // A rule across fields names in its message the one to change.
  const others = invalid.filter(
    ({ prop, message }) => !refused.some((refusal) => refusal.prop === (prop || message.split(" ")[0])),
  );
  const unserved = new Draft(manifest.object);
  checkServed(manifest, { index, draft: unserved, propOf: toProp });
  warnAbout(manifest, { index, propOf: toProp });
  return [...refused, ...others, ...unserved.refusals];
}

function objectOf(props: FlipopResourceProps | undefined): FlipopResourceProps {
  return isObject(props) ? props : {};
}

/** Metadata that an object can have, because cdk8s throws in the constructor for any other. */
function usableMetadata({ metadata }: FlipopResourceProps): FlipopResourceProps["metadata"] {
  return metadata !== undefined && misfits(metadata, METADATA_SHAPES).length === 0 ? metadata : undefined;
}
