import { KINDS, type KindName } from "../api/kinds/kinds";
import { GROUP_VERSION } from "../api/names";
import { nearest } from "../api/schema/nearest";
import { isObject, type JsonObject } from "../api/schema/schema";
import { validateSpec } from "../api/schema/validate";
import { warningsOf } from "../private/app/emit-warning";
import { ManifestOperator, reachOfDeployment } from "../private/app/manifest-operator";
import { TOKEN_REFUSED, tokenPaths, withoutTokens } from "../private/tokens";
import { build } from "./build-program";
import { CONSTRUCTS } from "./generated-classes";
import { isOurs, type ManifestObject, metadataProblems, titleOf, written } from "./manifest-object";
import { planApp } from "./plan";
import { fieldOf, inFields } from "./prop-to-field";
import type { Source, Unreadable } from "./read";

/** A mistake in an object of a manifest. */
export interface ManifestProblem {
  readonly file: string;
  readonly line: number;
  /** Kind, namespace and name; empty if the text is not an object. */
  readonly title: string;
  readonly name: string;
  /** Path of the field. */
  readonly path: string;
  /** The actual value and the fix. */
  readonly message: string;
  /** Whether the object is valid, but probably not what its author wants. */
  readonly isWarning: boolean;
}

/** Problems of a file that is not a manifest. */
export function unreadableProblem({ file, line, message }: Unreadable): ManifestProblem {
  return { file, line, title: "", name: "", path: "", message, isWarning: false };
}

/** The mistakes in all objects of the five kinds, by the rules of the constructs. */
export function checkManifests(sources: readonly Source[]): readonly ManifestProblem[] {
  const own = sources.filter(({ object }) => isOurs(object.apiVersion));
  const structural = new Map(own.map((source) => [source, structuralFindings(source.object)]));
  const sound = sources.filter((source) => (structural.get(source) ?? []).length === 0);
  const others = constructFindings(sound);
  return own.flatMap((source) => {
    const findings = [...(structural.get(source) ?? []), ...(others.get(source) ?? [])];
    const [warnings, errors] = [true, false].map((kind) =>
      findings.filter(({ isWarning = false }) => isWarning === kind),
    );
    return [...withTokensHidden(source.object, errors ?? []), ...(warnings ?? [])].map((one) => toProblem(source, one));
  });
}

interface Finding {
  readonly path: string;
  readonly message: string;
  readonly isWarning?: boolean;
}

function toProblem({ file, object, lineOf }: Source, { path, message, isWarning = false }: Finding): ManifestProblem {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const name = String(metadata.name ?? "");
  const namespace = typeof metadata.namespace === "string" ? { namespace: metadata.namespace } : {};
  const title = titleOf({ kind: String(object.kind), metadata: { name, ...namespace } });
  return { file, line: lineOf(path), title, name, path, message, isWarning };
}

/** Messages may end up in logs. */
function withTokensHidden(object: JsonObject, findings: readonly Finding[]): readonly Finding[] {
  const refusals = findings.map(({ path, message }) => ({ prop: path, message }));
  const hidden = withoutTokens(refusals, tokenPaths(written(object), ""), TOKEN_REFUSED);
  return hidden.map(({ prop, message }) => ({ path: prop, message }));
}

const FIELDS = ["apiVersion", "kind", "metadata", "spec", "status"];

/** What the API server would refuse, or drop. */
function structuralFindings(object: JsonObject): readonly Finding[] {
  const { apiVersion, kind, metadata, spec } = object;
  if (apiVersion !== GROUP_VERSION) {
    return [
      { path: "apiVersion", message: `"${String(apiVersion)}" is not a version of the API: use ${GROUP_VERSION}` },
    ];
  }
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind)) return [{ path: "kind", message: unknownKind(kind) }];
  const others = Object.keys(object).filter((field) => !FIELDS.includes(field));
  return [
    ...others.map((path) => ({ path, message: `is not a field: the fields are ${FIELDS.join(", ")}` })),
    ...placeFindings(kind as KindName, isObject(metadata) ? metadata : {}),
    ...(spec === undefined ? [{ path: "spec", message: "is required: add it" }] : validateSpec(kind as KindName, spec)),
  ];
}

function placeFindings(kind: KindName, metadata: JsonObject): readonly Finding[] {
  const { namespace } = metadata;
  const findings = metadataProblems(metadata);
  if (KINDS[kind].scope === "Namespaced" || typeof namespace !== "string" || namespace === "") return findings;
  const message = `"${namespace}" is set, but a ${kind} has no namespace: remove it`;
  return [...findings, { path: "metadata.namespace", message }];
}

function unknownKind(kind: unknown): string {
  const names = Object.keys(KINDS);
  const similar = typeof kind === "string" ? nearest(kind, names) : undefined;
  return `"${String(kind)}" is not a kind of ${GROUP_VERSION}: use ${similar ?? `one of ${names.join(", ")}`}`;
}

/** What the constructs refuse in valid objects, such as an address in two of them. */
function constructFindings(sources: readonly Source[]): ReadonlyMap<Source, readonly Finding[]> {
  const named = sources.filter(({ object }) => isNamed(object));
  const objects = new Map(named.map((source) => [written(source.object) as ManifestObject, source]));
  const plain = new Map(
    [...objects.keys()].filter(({ apiVersion }) => !isOurs(apiVersion)).map((object) => [object, undefined]),
  );
  const built = build(planApp([...objects.keys()], plain));
  const operators = built.flatMap(({ plan, object }) => {
    const reach = reachOfDeployment(plan.object);
    return reach ? [{ plan, construct: new ManifestOperator(object, reach) }] : [];
  });
  const all = [...built, ...operators];
  const titles = new Map(all.map(({ plan, construct }) => [construct.node.path, titleOf(plan.object)]));
  const found = built.flatMap(({ plan, construct }): readonly [Source, readonly Finding[]][] => {
    const source = objects.get(plan.object);
    if (!source || plan.className === "ApiObject") return [];
    const findings = (lines: readonly string[]) =>
      lines.map((line) => toFinding(plan.object, withTitles(line, titles)));
    const errors = findings(construct.node.validate());
    const warnings = findings(warningsOf(construct)).map((finding) => ({ ...finding, isWarning: true }));
    return [[source, [...errors, ...warnings]]];
  });
  return new Map(found);
}

function isNamed({ apiVersion, kind, metadata }: JsonObject): boolean {
  if (typeof apiVersion !== "string" || typeof kind !== "string") return false;
  return isObject(metadata) && metadataProblems(metadata).length === 0;
}

/** Shows other objects by their kind and name instead of their construct path. */
function withTitles(line: string, titles: ReadonlyMap<string, string>): string {
  return line.replaceAll(/\S+/g, (word) => {
    const path = word.replace(/[:,]$/, "");
    const title = titles.get(path);
    return title === undefined ? word : `${title}${word.slice(path.length)}`;
  });
}

/** A line of a synthesis error, which begins with the prop. */
function toFinding({ kind, spec }: ManifestObject, line: string): Finding {
  const facts = CONSTRUCTS[kind as KindName]._facts;
  const [, prop = "", message = line] = /^([a-z]\w*(?:[.[][^:]*)?): (.*)$/s.exec(line) ?? [];
  const path = prop.startsWith("metadata") ? prop : fieldOf(facts, prop, isObject(spec) ? spec : {});
  return { path, message: inFields(facts, message) };
}
