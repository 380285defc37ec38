import type { ApiObject } from "cdk8s";

/** An invalid prop. */
export interface Refusal {
  /** Path of the prop, such as `pods` or `tolerations[1].key`. */
  readonly prop: string;
  /** The actual value and the fix. */
  readonly message: string;
}

/** A refusal as a line of the synthesis error. */
export function toLine({ prop, message }: Refusal): string {
  return prop === "" ? message : `${prop}: ${message}`;
}

/** Placeholder for an unreadable name. A draft with a refusal is never synthesised. */
export const UNREADABLE = "unreadable";

/**
 * Collects the problems while an object's spec is written. Nothing throws: a bad value adds a refusal and writes its
 * best guess, so that one error shows all problems.
 */
export class Draft {
  private readonly found: Refusal[] = [];

  /** @param object the object of the spec */
  constructor(readonly object: ApiObject) {}

  /** All refusals so far. */
  get refusals(): readonly Refusal[] {
    return this.found;
  }

  /** The place of a prop. */
  at(prop: string): Site {
    return new Site(this, prop, this.found);
  }
}

/** The place of a prop, or of a part of it, in a draft. */
export class Site {
  constructor(
    private readonly draft: Draft,
    private readonly path: string,
    private readonly found: Refusal[],
  ) {}

  /** The object of the spec. */
  get object(): ApiObject {
    return this.draft.object;
  }

  /** Adds a problem. `message` contains the actual value and the fix. */
  refuse(message: string): void {
    this.found.push({ prop: this.path, message });
  }

  /** The place of a part of this one, such as `.key` or `[1]`. */
  below(part: string): Site {
    return new Site(this.draft, `${this.path}${part}`, this.found);
  }
}
