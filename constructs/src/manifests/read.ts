import { createRequire } from "node:module";
import type * as yaml from "yaml";
import { isObject, type JsonObject } from "../api/schema/schema";

/** A file with manifests. */
export interface ManifestFile {
  readonly name: string;
  readonly text: string;
}

/** An object in a file. */
export interface Source {
  readonly file: string;
  readonly object: JsonObject;
  /** The line of a field, such as `spec.ips[1]`, or of the nearest field around it. */
  readonly lineOf: (path: string) => number;
}

/** Text that is not a manifest. */
export interface Unreadable {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The content of files. */
export interface ReadResult {
  readonly sources: readonly Source[];
  readonly unreadable: readonly Unreadable[];
}

/** Reads all objects of YAML or JSON files; a List counts as its items. */
export function readManifests(files: readonly ManifestFile[]): ReadResult {
  const results = files.map(readFile);
  return {
    sources: results.flatMap(({ sources }) => sources),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
  };
}

// The library has no dependencies, and cdk8s contains this one.
const { LineCounter, parseAllDocuments } = createRequire(require.resolve("cdk8s"))("yaml") as typeof yaml;

function readFile({ name, text }: ManifestFile): ReadResult {
  const counter = new LineCounter();
  // kubectl reads YAML 1.1 too, in which `yes` is a boolean.
  const documents = parseAllDocuments(text, { lineCounter: counter, version: "1.1", merge: true });
  const results = [...documents].map((document) => readDocument(document as yaml.Document.Parsed, { name, counter }));
  return {
    sources: results.flatMap(({ sources }) => sources),
    unreadable: results.flatMap(({ unreadable }) => unreadable),
  };
}

interface FileFacts {
  readonly name: string;
  readonly counter: yaml.LineCounter;
}

type Path = readonly (string | number)[];

function readDocument(document: yaml.Document.Parsed, { name, counter }: FileFacts): ReadResult {
  const unreadable = (line: number, message: string): ReadResult => ({
    sources: [],
    unreadable: [{ file: name, line, message }],
  });
  const [error] = document.errors;
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  if (error) return unreadable(lineAt(error.pos[0]), notYaml(error.message));
  const lineOf = (path: Path): number => lineAt(startOf(document, path));
  const value = contentOf(document);
  if (value instanceof Error) return unreadable(lineOf([]), notYaml(value.message));
  if (value === null || value === undefined) return { sources: [], unreadable: [] };
  if (!isObject(value)) return unreadable(lineOf([]), "is not a Kubernetes object: it has no fields");
  const items = value.kind === "List" && Array.isArray(value.items) ? value.items : undefined;
  const objects = items ?? [value];
  const sources = objects.filter(isObject).map((object, index): Source => {
    const prefix = items ? ["items", index] : [];
    return { file: name, object, lineOf: (path) => lineOf([...prefix, ...stepsOf(path)]) };
  });
  return { sources, unreadable: [] };
}

/** The offset of the field at a path, or of the nearest one above it. */
function startOf(document: yaml.Document.Parsed, path: Path): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = isObject(node) ? node.range : undefined;
    if (Array.isArray(range)) return Number(range[0]);
  }
  return document.contents?.range[0] ?? 0;
}

/** The document as a value, or the parser's error: an alias may name no anchor, or expand without end. */
function contentOf(document: yaml.Document.Parsed): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return error;
  }
}

/** The first line of a parser's message; the others show the place, which the line number shows too. */
function notYaml(message: string): string {
  const [first = ""] = message.split("\n");
  return `is not YAML: ${first.replace(/ at line \d+.*$/, "")}. Render a template before you check it`;
}

/** `spec.ips[1]` as keys and indexes. */
function stepsOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(/[^.[\]]+/g)].map(([step]) => (/^\d+$/.test(step) ? Number(step) : step));
}
