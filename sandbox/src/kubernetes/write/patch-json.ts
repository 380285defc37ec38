import { patchRefused } from "../api-status.js";
import { equal, isObject, textOf } from "../json.js";

/** One operation of a JSON patch. */
interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

/**
 * Applies a JSON patch (RFC 6902) as the API server does: any failure, a failed test included, is one and the same 422;
 * a test against null passes for a missing field, and `replace` of a missing field of an object adds it.
 */
export function jsonPatch(target: unknown, operations: readonly Operation[]): unknown {
  // One document for all operations, changed in place; the caller's stays as it is.
  const document = { root: structuredClone(target) };
  for (const operation of operations) apply(document, operation);
  return document.root;
}

interface Document {
  root: unknown;
}

type Apply = (document: Document, operation: Operation) => void;

const OPERATIONS: Readonly<Record<string, Apply>> = {
  add: (document, { path, value }) => add(document, pointer(path), structuredClone(value)),
  remove: (document, { path }) => remove(document, pointer(path)),
  replace: (document, { path, value }) => replace(document, pointer(path), structuredClone(value)),
  test: (document, { path, value }) => test(document, pointer(path), value),
  copy: (document, { from, path }) => add(document, pointer(path), structuredClone(read(document, pointer(from)))),
  move: (document, { from, path }) => {
    const moved = read(document, pointer(from));
    remove(document, pointer(from));
    add(document, pointer(path), moved);
  },
};

function apply(document: Document, operation: Operation): void {
  const carryOut = OPERATIONS[textOf(operation.op)];
  if (!carryOut) throw patchRefused();
  carryOut(document, operation);
}

/** The keys of a JSON pointer (RFC 6901). */
function pointer(path: unknown): readonly string[] {
  const text = textOf(path);
  if (text === "") return [];
  if (!text.startsWith("/")) throw patchRefused();
  return text
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function read(document: Document, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[index(key, value.length)];
    if (isObject(value) && Object.hasOwn(value, key)) return value[key];
    throw patchRefused();
  }, document.root);
}

/** The container of the last key, and the key. */
function place(document: Document, path: readonly string[]): readonly [unknown[] | Record<string, unknown>, string] {
  const container = read(document, path.slice(0, -1));
  const key = path.at(-1) ?? "";
  if (Array.isArray(container) || isObject(container)) return [container, key];
  throw patchRefused();
}

function add(document: Document, path: readonly string[], value: unknown): void {
  put(document, path, value, (list, key) => {
    list.splice(key === "-" ? list.length : index(key, list.length + 1), 0, value);
  });
}

function remove(document: Document, path: readonly string[]): void {
  read(document, path);
  const [container, key] = place(document, path);
  if (Array.isArray(container)) container.splice(index(key, container.length), 1);
  else delete container[key];
}

function replace(document: Document, path: readonly string[], value: unknown): void {
  put(document, path, value, (list, key) => {
    list[index(key, list.length)] = value;
  });
}

/** @param inList puts the value into a list. */
function put(
  document: Document,
  path: readonly string[],
  value: unknown,
  inList: (list: unknown[], key: string) => void,
): void {
  if (path.length === 0) {
    document.root = value;
    return;
  }
  const [container, key] = place(document, path);
  if (Array.isArray(container)) inList(container, key);
  else container[key] = value;
}

function test(document: Document, path: readonly string[], value: unknown): void {
  let seen: unknown = null;
  try {
    seen = read(document, path);
  } catch (error) {
    if (value !== null && value !== undefined) throw error;
  }
  if (!equal(seen, value ?? null)) throw patchRefused();
}

function index(key: string, length: number): number {
  const position = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : length;
  if (position >= length) throw patchRefused();
  return position;
}
