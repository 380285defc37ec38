import type { ConditionType } from "../condition-types";
import type { PrinterColumn } from "../schema/printer-column";
import type { SchemaOf } from "../schema/schema";

/** Everything about a kind except its schemas. */
export interface KindFacts {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** Purpose of the kind, in one or two sentences; `kubectl explain KIND` shows it. */
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  /** Types of the conditions in its status. */
  readonly conditions: readonly ConditionType[];
  /** Conditions that must be True, where the resource has them, for the condition Ready to be True. */
  readonly readyWhen: readonly ConditionType[];
}

/** CEL over the whole object before and after a change, with a spec in both. */
export interface ChangeRule {
  readonly cel: string;
  /** The mistake and its fix. */
  readonly message: string;
}

/** Everything about a kind: the source of its CustomResourceDefinition, its docs and its validation. */
export interface ResourceKind<Spec, Status> extends KindFacts {
  readonly spec: SchemaOf<Spec>;
  readonly status: SchemaOf<Status>;
  /** Rules about changes of the spec that depend on the status. @default none */
  readonly changeRules?: readonly ChangeRule[];
}
