import type { ApiObject } from "cdk8s";

/** A prop that can't be used as it is. */
export interface Refusal {
  /** Path of the prop, such as `pods` or `tolerations[1].key`. */
  readonly prop: string;
  /** What was seen and how to fix it. */
  readonly message: string;
}

/** Stands for a name that could not be read; what stands in a draft with a refusal never leaves it. */
export const UNREADABLE = "unreadable";

/**
 * One writing of an object's spec. Nothing throws while a spec is written: a value that is no good says so here and
 * writes its best guess, so that one error can tell every problem.
 */
export class Draft {
  private readonly found: Refusal[] = [];

  /** @param object the object whose spec is written */
  constructor(readonly object: ApiObject) {}

  /** What was refused so far. */
  get refusals(): readonly Refusal[] {
    return this.found;
  }

  /** The place of a prop. */
  at(prop: string): Site {
    return new Site(this, prop, this.found);
  }
}

/** The place of a prop, or of something in it, in a draft. */
export class Site {
  constructor(
    private readonly draft: Draft,
    private readonly path: string,
    private readonly found: Refusal[],
  ) {}

  /** The object whose spec is written. */
  get object(): ApiObject {
    return this.draft.object;
  }

  /** Notes a problem. `message` says what was seen and how to fix it. */
  refuse(message: string): void {
    this.found.push({ prop: this.path, message });
  }

  /** The place of a part of this one, such as `.key` or `[1]`. */
  below(part: string): Site {
    return new Site(this.draft, `${this.path}${part}`, this.found);
  }
}
