/** A column of `kubectl get`, as in a CustomResourceDefinition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly jsonPath: string;
  readonly description: string;
  /** 1: only `-o wide` shows the column. */
  readonly priority?: number;
}

/** The status of a condition as a column. */
export function conditionColumn(name: string, type: string): PrinterColumn {
  return {
    name,
    type: "string",
    jsonPath: `.status.conditions[?(@.type=="${type}")].status`,
    description: `Status of condition ${type}.`,
  };
}

/** The last columns of every kind. */
export const CLOSING_COLUMNS: readonly PrinterColumn[] = [
  {
    name: "Reason",
    type: "string",
    jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
    description: "Why the resource serves as requested or not.",
    priority: 1,
  },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp", description: "Time since creation." },
];
