import type { ApiObject } from "cdk8s";
import { isLate } from "./prop-types";
import { resolved, withoutForeignTokens } from "./resolve";

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

/** The end of writing a spec whose values are unusable. The draft already contains the refusals. */
export class UnusableArguments extends Error {}

/** Placeholder for an unreadable name. A draft with a refusal is never synthesised. */
export const UNREADABLE = "unreadable";

/**
 * Collects the problems while an object's spec is written. Nothing throws: a bad value adds a refusal and writes its
 * best guess, so that one error shows all problems.
 */
export class Draft {
  private readonly found: Refusal[] = [];

  /**
   * @param object the object of the spec
   * @param options `raw`: for a look at the props before synthesis. Tokens stay, and Lazy values become empty
   */
  constructor(
    readonly object: ApiObject,
    readonly options: { readonly raw?: boolean } = {},
  ) {}

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

  /**
   * The value without tokens and Lazy values.
   *
   * @throws UnusableArguments if a resolver fails
   */
  resolved<T>(value: T): T {
    if (this.isRaw) return known(value) as T;
    try {
      const key = ["spec", ...this.path.split(/[.[\]]+/).filter((part) => part !== "")];
      return withoutForeignTokens(resolved(value, this.object, key)) as T;
    } catch (error) {
      this.refuse(`cannot be resolved: ${error instanceof Error ? error.message : String(error)}`);
      throw new UnusableArguments("unresolvable value");
    }
  }

  /** Whether this is before synthesis. */
  get isRaw(): boolean {
    return this.draft.options.raw === true;
  }

  /** The namespace of the object, if it is known. */
  get namespace(): string | undefined {
    return this.resolved(this.object.metadata.namespace);
  }

  /** The place of a part of this one, such as `.key` or `[1]`. */
  below(part: string): Site {
    return new Site(this.draft, `${this.path}${part}`, this.found);
  }
}

/** The value without Lazy values, which only synthesis can resolve. */
function known(value: unknown): unknown {
  if (isLate(value)) return "";
  if (Array.isArray(value)) return value.filter((item) => !isLate(item)).map(known);
  if (typeof value !== "object" || value === null || value.constructor !== Object) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, known(part)]));
}
