import { ALL_KINDS } from "../../api/kinds/kinds";

/** Whether objects of a kind have no namespace, by the kind's plural. */
export function isClusterScoped(resourceType: string): boolean {
  return ALL_KINDS.some(({ plural, scope }) => plural === resourceType && scope === "Cluster");
}

/** The name of a kind in the API. */
export function resourceTypeOf(kind: string): string {
  return ALL_KINDS.find((one) => one.kind === kind)?.plural ?? kind.toLowerCase();
}
