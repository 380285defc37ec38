import { API_GROUP } from "../api/names";
import { isObject, type JsonObject } from "../api/schema/schema";
import { tokenPaths } from "../private/tokens";
import { isOurs, type ManifestObject, metadataProblems, titleOf, written } from "./manifest-object";
import { writePython } from "./python";
import type { Source } from "./read";
import { toProgram } from "./to-program";
import { writeTypeScript } from "./typescript";
import type { Writer } from "./writer";

/** The languages of imported code, by name. */
export const LANGUAGES: Readonly<Record<string, Writer>> = { typescript: writeTypeScript, python: writePython };

/** Code of an app, and what it omits. */
export interface Imported {
  readonly code: string;
  /** What the code omits or does in an unusual way, for people. */
  readonly notes: readonly string[];
}

/** An app that synthesises to the objects of manifests. */
export function importManifests(sources: readonly Source[], write: Writer): Imported {
  const omitted = sources.flatMap((source) => {
    const why = omissionOf(source.object);
    return why === undefined
      ? []
      : [`${source.file}:${source.lineOf("")}: ${labelOf(source.object)} is left out: ${why}`];
  });
  const objects = sources
    .filter(({ object }) => omissionOf(object) === undefined)
    .map(({ object }) => toObject(object));
  const program = toProgram(objects);
  const plain = program.resources.filter(
    ({ className, object }) => className === "ApiObject" && isOurs(object.apiVersion),
  );
  const kept = plain.map(
    ({ object, comment }) =>
      `${titleOf(object)} becomes a plain ApiObject, because no construct writes it${comment === undefined ? "" : `: ${comment}`}`,
  );
  return { code: write(program), notes: [...omitted, ...kept] };
}

/** The object as people wrote it. */
export function toObject(object: JsonObject): ManifestObject {
  return written(object) as ManifestObject;
}

/** Why an object cannot be in the code; undefined if it can. */
function omissionOf(object: JsonObject): string | undefined {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return "it has no apiVersion or no kind";
  const [problem] = metadataProblems(metadata);
  if (problem) return `${problem.path} ${problem.message}`;
  if (kind === "Secret" && apiVersion === "v1") return "code must not contain secrets; create it by other means";
  if (tokenPaths(written(object), "").length > 0) return "it contains an API token; put the token into a Secret";
  return isOurDefinition(object) ? "FlipopCrds defines it; add that construct to another chart" : undefined;
}

function isOurDefinition({ kind, spec }: JsonObject): boolean {
  return kind === "CustomResourceDefinition" && isObject(spec) && spec.group === API_GROUP;
}

function labelOf(object: JsonObject): string {
  const { name, namespace } = isObject(object.metadata) ? object.metadata : {};
  const place = typeof namespace === "string" ? `${namespace}/` : "";
  return `${String(object.kind ?? "an object")} ${place}${String(name || "without a name")}`;
}
