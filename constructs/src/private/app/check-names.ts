import { type ApiObject, Chart } from "cdk8s";
import type { Draft } from "../refusal-collector";
import { type AppIndex, namespaceOf } from "./app-index";

/** Objects of this library. Their constructs report collisions, so that each collision is reported once. */
const OURS = new WeakSet<ApiObject>();

/** Registers an object of this library. */
export function registerObject(object: ApiObject): void {
  OURS.add(object);
}

/** Whether an object is one of this library. */
export function isOurs(object: ApiObject): boolean {
  return OURS.has(object);
}

/** Inputs for the check of names. */
export interface NameCheck {
  readonly objects: readonly ApiObject[];
  /** The prop to change if another object has the name of this one. */
  readonly propOf: (object: ApiObject) => string;
  readonly draft: Draft;
}

/** Refuses objects whose name, or whose file in the chosen output type, belongs to another object of the app. */
export function checkNames({ objects, propOf, draft }: NameCheck, index: AppIndex): void {
  for (const object of objects) {
    const reported = (other: ApiObject): boolean => !OURS.has(other) || index.isBefore(other, object);
    const twin = index.sameName(object).find(reported);
    if (twin)
      draft.at(propOf(object)).refuse(`${titleOf(object)} is also defined by ${pathOf(twin)}: ${fix(object, twin)}`);
    const overwritten = twin ? undefined : index.sameFile(object).find(reported);
    if (!overwritten) continue;
    const file = `the file of ${object.kind} "${object.name}" would overwrite that of ${pathOf(overwritten)}`;
    draft
      .at(propOf(object))
      .refuse(`${file}: use another name, or an output type with a file or folder for each chart`);
  }
}

/** The path of the construct that users wrote for an object. */
export function pathOf(object: ApiObject): string {
  return (OURS.has(object) && object.node.scope ? object.node.scope : object).node.path;
}

function titleOf(object: ApiObject): string {
  const { kind, name } = object;
  const namespace = namespaceOf(object);
  return `${kind} "${name}"${namespace === undefined ? "" : ` of namespace "${namespace}"`}`;
}

function fix(one: ApiObject, other: ApiObject): string {
  const rename =
    one.kind === "Namespace" ? "set createNamespaces to false, or remove the other one" : "rename one of the two";
  return Chart.of(one) === Chart.of(other)
    ? rename
    : `${rename}, or set prop cluster if their charts are for different clusters`;
}
