import { BUILTIN_RESOURCES } from "./built-in-resources.js";
import type { ResourceType } from "./resource-type.js";

/** The resources that the server has now: the built-in ones, and those of CustomResourceDefinitions. */
export class Registry {
  private readonly custom = new Map<string, ResourceType>();

  /** All resources, the built-in ones first. */
  all(): readonly ResourceType[] {
    return [...BUILTIN_RESOURCES, ...this.custom.values()];
  }

  /** The resource that a path names. */
  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.all().find((one) => one.group === group && one.version === version && one.plural === plural);
  }

  /** The resource of a kind. */
  findKind(group: string, kind: string): ResourceType | undefined {
    return this.all().find((one) => one.group === group && one.kind === kind);
  }

  /** Versions of a group; empty when the group is unknown. */
  versions(group: string): readonly string[] {
    return [...new Set(this.all().flatMap((one) => (one.group === group ? [one.version] : [])))];
  }

  /** Serves a custom resource, or serves it in a new form. */
  add(type: ResourceType): void {
    this.custom.set(`${type.plural}.${type.group}/${type.version}`, type);
  }

  /** Serves all versions of a custom resource no longer. */
  remove(group: string, plural: string): void {
    for (const key of [...this.custom.keys()]) {
      if (key.startsWith(`${plural}.${group}/`)) this.custom.delete(key);
    }
  }
}
