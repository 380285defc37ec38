import type { FieldError } from "../field-error.js";
import type { ApiObject, Env } from "../objects.js";
import type { Column } from "../output/column.js";

/** What a write is about. */
export interface WriteContext {
  readonly env: Env;
  /** Undefined on create. */
  readonly old: ApiObject | undefined;
  readonly subresource: "status" | undefined;
}

/** What validation found. */
export interface Findings {
  readonly errors: readonly FieldError[];
  /** Mistakes that are let pass, because they were there before. */
  readonly warnings: readonly string[];
}

/** What is special about a resource. Objects given to `normalise` and `prepare` are private copies: change them. */
export interface Behaviour {
  /** Reads the wire form into the stored form; throws 400. Returns the paths of fields that are not known. */
  normalise?(object: ApiObject): readonly string[];
  /** The wire form of a stored object. @default - the stored object */
  encode?(stored: ApiObject): ApiObject;
  /** Sets what the server sets, and takes back what the writer may not write. */
  prepare?(object: ApiObject, context: WriteContext): void;
  /** Refuses; `prepare` has run. */
  validate?(object: ApiObject, context: WriteContext): Findings;
  /** Seconds between the first delete and the end; 0 ends at once. @default 0 */
  gracePeriod?(object: ApiObject, requested: number | undefined): number;
  /** Marks an object whose deletion has begun. */
  terminating?(object: ApiObject): void;
  /** A controller removes the object, not the end of its finalizers. @default false */
  readonly removedByController?: boolean;
  /** Why this object may not be deleted. */
  undeletable?(name: string): string | undefined;
}

/** A resource of the API. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Subresources that discovery names: `status`, `eviction`, ... */
  readonly subresources: readonly string[];
  /** Collection in the store; two resources may be views of one. */
  readonly storage: string;
  /** A kind of a CustomResourceDefinition: no strategic merge, items of lists name their kind. */
  readonly custom: boolean;
  /** A replacement without resourceVersion is accepted. */
  readonly unconditionalUpdate: boolean;
  /** A replacement of an object that is not there creates it. */
  readonly createOnUpdate: boolean;
  /** Counts changes of the spec in metadata.generation. */
  readonly generation: boolean;
  /** The answer to a delete is the object, even when it is gone. */
  readonly deleteAnswersObject: boolean;
  /** Dependents are orphaned where the delete names no policy. */
  readonly orphansByDefault: boolean;
  /** Fields for field selectors, beside those of the metadata. */
  readonly fields: Readonly<Record<string, (object: ApiObject) => string>>;
  readonly columns: readonly Column[];
  readonly behaviour: Behaviour;
  /** OpenAPI schema of the kind, where it is known. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

const encoded = new WeakMap<ApiObject, Map<Behaviour, ApiObject>>();

/** The wire form of a stored object, made once. */
export function wireForm({ behaviour }: ResourceType, stored: ApiObject): ApiObject {
  if (!behaviour.encode) return stored;
  const forms = encoded.get(stored) ?? new Map<Behaviour, ApiObject>();
  encoded.set(stored, forms);
  const form = forms.get(behaviour) ?? behaviour.encode(stored);
  forms.set(behaviour, form);
  return form;
}
