/** Which resources there are: an annotation on a node names its owner, who may be gone. */

import type { ObjectMeta } from "../../kube/objects.js";

/** Whether a controller has a resource of this uid; `undefined`: it can't see its resources. */
export type KnowsUid = (uid: string) => boolean | undefined;

/** `<namespace>/<name>/<uid>`, as the owner annotation has it. */
export interface OwnerName {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export class Owners {
  private readonly known: KnowsUid[] = [];
  private readonly listeners = new Set<(owner: string) => void>();

  /** A kind that annotates nodes; its cache has to be among those that sync before anybody leads. */
  add(knows: KnowsUid): void {
    this.known.push(knows);
  }

  /** No controller has it, and each of them sees all its resources. False where no controller serves such a kind. */
  isGone(uid: string): boolean {
    return this.known.length > 0 && this.known.every((knows) => knows(uid) === false);
  }

  /** A resource that may have annotated nodes has been deleted. */
  gone(owner: OwnerName): void {
    for (const listener of [...this.listeners]) listener(ownerName(owner));
  }

  /** @param listener gets the owner as annotations have it. @returns the function that ends it. */
  onGone(listener: (owner: string) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }
}

/** As annotations have it. */
export function ownerName({ namespace = "", name, uid }: Pick<ObjectMeta, keyof OwnerName>): string {
  return `${namespace}/${name}/${uid}`;
}

/** `undefined`: it names no owner. */
export function parseOwner(text: string): OwnerName | undefined {
  const [namespace, name, uid, ...rest] = text.split("/");
  if (!namespace || !name || !uid || rest.length > 0) return undefined;
  return { namespace, name, uid };
}
