/** Finalizers of other programs, which keep a resource, and how to remove them. */

import { API_GROUP, isOwnFinalizer } from "cdk8s-flipop/api";
import { listed } from "../../values.js";

export interface Held {
  /** As in a path of the API. */
  readonly plural: string;
  /** Empty: the kind has none. */
  readonly namespace: string;
  readonly name: string;
  readonly finalizers: readonly string[];
}

/** Finalizers of other programs. */
export function othersOf(finalizers: readonly string[]): readonly string[] {
  return finalizers.filter((finalizer) => !isOwnFinalizer(finalizer));
}

export function finalizerText(others: readonly string[]): string {
  return `${others.length === 1 ? "finalizer" : "finalizers"} ${listed(others)}`;
}

/** The test makes sure that no other finalizer goes, whatever the list is like by then. */
export function removalRemedy({ plural, namespace, name, finalizers }: Held): string {
  const [first = "", ...more] = othersOf(finalizers);
  const path = `/metadata/finalizers/${finalizers.indexOf(first)}`;
  const patch = [
    { op: "test", path, value: first },
    { op: "remove", path },
  ];
  const where = namespace === "" ? "" : `-n ${namespace} `;
  const program = "have the program that added a finalizer remove it";
  const same = more.length === 0 ? "" : ", and the other ones in the same way";
  return `${program}; if it no longer runs, remove the finalizer: kubectl ${where}patch ${plural}.${API_GROUP} ${name} --type=json -p '${JSON.stringify(patch)}'${same}`;
}
