import type { ConditionType } from "./conditions";
import type { PrinterColumn } from "./printer-column";
import type { SchemaOf } from "./schema";

/** All that is known of a kind: what its CustomResourceDefinition, its docs and its validation are made from. */
export interface ResourceKind<Spec, Status> {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** What the kind is for, in one or two sentences; `kubectl explain KIND` shows it. */
  readonly description: string;
  readonly spec: SchemaOf<Spec>;
  readonly status: SchemaOf<Status>;
  readonly columns: readonly PrinterColumn[];
  /** Types of the conditions that its status has. */
  readonly conditions: readonly ConditionType[];
}
