import type { IConstruct } from "constructs";
import { apiObjectOf, isConstruct } from "./manifest";
import type { Site } from "./refusal-collector";

/** A kind of this library that other resources refer to. */
export interface ReferredKind {
  readonly kind: string;
  /** The member that only references to this kind have. */
  readonly member: string;
  /** How to refer to an object that the app does not define. */
  readonly outside: string;
}

export const ISSUER: ReferredKind = {
  kind: "RoutedIPIssuer",
  member: "routedIpIssuerName",
  outside: "RoutedIPIssuer.fromRoutedIPIssuerName",
};
export const CLUSTER_CLASS: ReferredKind = {
  kind: "ClusterRoutedIPClass",
  member: "clusterRoutedIpClassName",
  outside: "ClusterRoutedIPClass.fromClusterRoutedIPClassName",
};

/** Whether a value refers to an object of a kind; refuses any other value, such as a construct of another kind. */
export function isReference(value: IConstruct, { kind, member, outside }: ReferredKind, site: Site): boolean {
  if (!isConstruct(value, site, `give a ${kind}`)) return false;
  const is = typeof Reflect.get(value, member) === "string";
  const own = apiObjectOf(value)?.kind;
  const seen = `construct "${value.node.path}"${own === undefined ? "" : ` of kind ${own}`}`;
  if (!is) site.refuse(`${seen} is not a ${kind}: give a ${kind}, or use ${outside}`);
  return is;
}
