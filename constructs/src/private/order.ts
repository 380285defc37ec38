import { type ApiObject, Chart } from "cdk8s";
import { Dependable, type IConstruct } from "constructs";
import { apiObjectOf } from "./manifest";

/**
 * Orders an object after those that it refers to, within its chart. Only objects depend on objects: a dependency on a
 * construct would include all its children, and a dependency across charts would order the charts (and rename their
 * files). The lookup of the objects happens when cdk8s determines the order, because a construct may create its object
 * later.
 */
export function orderAfter(object: ApiObject, references: () => readonly IConstruct[]): void {
  const group = {};
  Dependable.implement(group, {
    get dependencyRoots() {
      return references().flatMap((reference) => objectInChart(reference, object));
    },
  });
  object.node.addDependency(group);
}

/** A part of props, such as a PodMatch. */
type Referring = { readonly _references?: readonly IConstruct[] } | null | undefined;

/** The constructs that the values of props refer to. */
export function referencesOf(values: readonly unknown[]): readonly IConstruct[] {
  return (values.flat() as readonly Referring[]).flatMap((value) => value?._references ?? []);
}

function objectInChart(reference: IConstruct, from: ApiObject): ApiObject[] {
  const object = apiObjectOf(reference);
  return object && object !== from && Chart.of(object) === from.chart ? [object] : [];
}
