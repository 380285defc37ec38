import type { ApiObject } from "../objects.js";
import type { Collection } from "../store/collection.js";
import { ownersOf } from "../write/read-metadata.js";

/** An object with the collection it is in. */
export interface Located {
  readonly object: ApiObject;
  readonly collection: Collection;
}

/** Who owns whom, by uid, kept up to date write by write. */
export class OwnerIndex {
  private readonly dependents = new Map<string, Map<string, Located>>();
  private readonly uids = new Map<string, Located>();
  /** Owners of each object that has any, so that they are found when it changes. */
  private readonly owners = new Map<string, readonly string[]>();

  /** Takes note of a write. */
  note(object: ApiObject, collection: Collection, type: "ADDED" | "MODIFIED" | "DELETED"): void {
    const { uid } = object.metadata;
    for (const owner of this.owners.get(uid) ?? []) this.drop(owner, uid);
    this.owners.delete(uid);
    if (type === "DELETED") {
      this.uids.delete(uid);
      return;
    }
    this.uids.set(uid, { object, collection });
    const owners = ownersOf(object.metadata).map((owner) => owner.uid);
    if (owners.length === 0) return;
    this.owners.set(uid, owners);
    for (const owner of owners) {
      const owned = this.dependents.get(owner) ?? new Map<string, Located>();
      this.dependents.set(owner, owned.set(uid, { object, collection }));
    }
  }

  /** Whether an object with this uid exists. */
  exists(uid: string): boolean {
    return this.uids.has(uid);
  }

  /** The object with this uid, as last written. */
  get(uid: string): Located | undefined {
    return this.uids.get(uid);
  }

  /** Objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly Located[] {
    return [...(this.dependents.get(uid)?.values() ?? [])];
  }

  private drop(owner: string, uid: string): void {
    const owned = this.dependents.get(owner);
    owned?.delete(uid);
    if (owned?.size === 0) this.dependents.delete(owner);
  }
}
