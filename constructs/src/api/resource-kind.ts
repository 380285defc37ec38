import type { ConditionType } from "./conditions";
import type { PrinterColumn } from "./printer-column";
import type { SchemaOf } from "./schema";

/** All that is known of a kind beside its schemas. */
export interface KindFacts {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** What the kind is for, in one or two sentences; `kubectl explain KIND` shows it. */
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  /** Types of the conditions that its status has. */
  readonly conditions: readonly ConditionType[];
}

/** All that is known of a kind: its CustomResourceDefinition, its docs and its validation are made from this. */
export interface ResourceKind<Spec, Status> extends KindFacts {
  readonly spec: SchemaOf<Spec>;
  readonly status: SchemaOf<Status>;
}
