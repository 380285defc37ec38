/** Manifests that are not applied yet, and what the stored resource would be with them. */

import { readFileSync } from "node:fs";
import { ALL_KINDS, type AnyKind, API_GROUP, GROUP_VERSION, KINDS, validateSpec } from "cdk8s-flipop/api";
import { parseAllDocuments } from "yaml";
import type { ObjectMeta } from "../../kube/objects.js";
import { CommandError } from "../command.js";
import type { OwnObject } from "../list-objects.js";
import type { Manifest } from "./frozen-cluster.js";

export interface Manifests {
  readonly own: readonly Manifest[];
  /** Of other kinds, which the plan does not apply. */
  readonly ignored: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** @param file `-`: the standard input. @param namespace of manifests that name none. @throws CommandError */
export function readManifests(file: string, namespace: string): Manifests {
  const source = file === "-" ? "standard input" : file;
  const documents = documentsOf(textOf(file, source), source);
  const foreign = documents.filter(({ kindFacts }) => kindFacts === undefined);
  const own = documents.flatMap((document) => manifestOf(document, source, namespace) ?? []);
  if (own.length === 0) throw new CommandError(`${source} has no resource of ${API_GROUP}: name a file that has one`);
  return { own, ignored: foreign.map(({ fields }) => titleOf(fields)) };
}

interface Document {
  readonly fields: Fields;
  readonly kindFacts: AnyKind | undefined;
}

function documentsOf(text: string, file: string): readonly Document[] {
  const parsed = parseAllDocuments(text);
  const problem = parsed.flatMap(({ errors }) => errors)[0];
  if (problem !== undefined) throw notYaml(file, problem);
  const values = parsed.map((document) => contentOf(document, file)).filter((value) => value !== null);
  return values.flatMap((value) => itemsOf(value, file)).map((fields) => ({ fields, kindFacts: kindOf(fields, file) }));
}

/** Aliases are resolved here: one may name no anchor, or expand without end. */
function contentOf(document: { toJS(): unknown }, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw notYaml(file, error as Error);
  }
}

function notYaml(file: string, { message }: Error): CommandError {
  return new CommandError(`${file} is no YAML: ${message.split("\n")[0]}`);
}

function textOf(file: string, source: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new CommandError(`${source} can't be read: ${(error as Error).message}`);
  }
}

/** `kubectl get -o yaml` writes a List. */
function itemsOf(value: unknown, file: string): readonly Fields[] {
  if (!isFields(value)) throw new CommandError(`${file}: a document is no Kubernetes object`);
  const { kind, items } = value;
  return kind === "List" && Array.isArray(items) ? items.flatMap((item) => itemsOf(item, file)) : [value];
}

function kindOf({ apiVersion, kind }: Fields, file: string): AnyKind | undefined {
  if (typeof apiVersion !== "string" || !apiVersion.startsWith(`${API_GROUP}/`)) return undefined;
  const known = ALL_KINDS.find((one) => one.kind === kind && apiVersion === GROUP_VERSION);
  if (known !== undefined) return known;
  throw new CommandError(
    `${file}: there is no kind ${String(kind)} in ${apiVersion}: use ${Object.keys(KINDS).join(", ")} of ${GROUP_VERSION}`,
  );
}

function titleOf({ kind, metadata }: Fields): string {
  return `${String(kind)} ${String(isFields(metadata) ? metadata["name"] : "")}`.trim();
}

function manifestOf({ fields, kindFacts: kind }: Document, file: string, usual: string): Manifest | undefined {
  if (kind === undefined) return undefined;
  const metadata = isFields(fields["metadata"]) ? fields["metadata"] : {};
  const { name, namespace = usual } = metadata;
  if (typeof name !== "string" || typeof namespace !== "string" || name === "") {
    throw new CommandError(`${file}: a ${kind.kind} has no name: set metadata.name`);
  }
  const place = kind.scope === "Cluster" ? "" : namespace;
  const title = `${file}: ${kind.kind} ${place === "" ? "" : `${place}/`}${name}`;
  const applyTo = (live: OwnObject | undefined) => applied({ fields, kind, place, title }, live);
  return { kind, namespace: place, name, applyTo };
}

interface Applied {
  readonly fields: Fields;
  readonly kind: AnyKind;
  readonly place: string;
  readonly title: string;
}

/** As `kubectl apply`: fields that the last manifest had and this one lacks go, those of others stay. */
function applied({ fields, kind, place, title }: Applied, live: OwnObject | undefined): OwnObject {
  const last = lastApplied(live);
  const given = { metadata: withAnnotations(asFields(fields["metadata"])), spec: asFields(fields["spec"]) };
  const spec = merged(asFields(live?.spec), given.spec, asFields(last["spec"]));
  const problems = validateSpec(kind.kind as keyof typeof KINDS, spec, live?.spec);
  if (problems.length > 0) {
    const texts = problems.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new CommandError(`${title} would be rejected: ${texts}`);
  }
  const metadata = merged(asFields(live?.metadata), given.metadata, asFields(last["metadata"]));
  return {
    ...live,
    ...{ apiVersion: GROUP_VERSION, kind: kind.kind },
    metadata: { ...metadata, ...identity(live, title), ...(place !== "" && { namespace: place }) } as ObjectMeta,
    spec,
  };
}

/** kubectl always applies annotations, because it adds one: a manifest without any removes only those of the last manifest. */
function withAnnotations(metadata: Fields): Fields {
  return { ...metadata, annotations: asFields(metadata["annotations"]) };
}

/** A new resource is younger than all others; a changed one has not been observed yet. */
function identity(live: OwnObject | undefined, title: string) {
  if (live !== undefined) return { ...ids(live), generation: (live.metadata.generation ?? 0) + 1 };
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return { uid: `planned ${title}`, creationTimestamp: now, generation: 1, resourceVersion: "1" };
}

function ids({ metadata: { uid, creationTimestamp, resourceVersion } }: OwnObject) {
  return { uid, creationTimestamp, resourceVersion };
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

function lastApplied(live: OwnObject | undefined): Fields {
  try {
    return asFields(JSON.parse(live?.metadata.annotations?.[LAST_APPLIED] ?? "{}"));
  } catch {
    return {};
  }
}

function merged(live: Fields, given: Fields, last: Fields): Fields {
  const gone = Object.keys(last).filter((name) => !Object.hasOwn(given, name));
  const kept = Object.entries(live).filter(([name]) => !gone.includes(name));
  const changed = Object.entries(given)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const inside = isFields(value) && isFields(live[name]);
      return [name, inside ? merged(asFields(live[name]), value, asFields(last[name])) : value] as const;
    });
  return Object.fromEntries([...kept.filter(([name]) => given[name] !== null), ...changed]);
}

function asFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
