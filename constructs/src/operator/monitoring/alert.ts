/** An alert, as a rule of Prometheus. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold before the alert fires. */
  readonly for: string;
  readonly severity: "warning" | "critical";
  /** One sentence that names the resource. */
  readonly summary: string;
  /** What it means, and the command that shows the cause. */
  readonly description: string;
}

const RUNBOOKS = "https://github.com/flipop/flipop/blob/main/docs/runbooks/alerts.md";

/** @param write adapts a text to the format of the manifests. */
export function ruleOf({ severity, summary, description, ...alert }: Alert, write: (text: string) => string): object {
  const annotations = {
    summary: write(summary),
    description: write(description),
    runbook_url: `${RUNBOOKS}#${alert.alert.toLowerCase()}`,
  };
  return { ...alert, labels: { severity }, annotations };
}

/** The resource that a series is about. */
export const RESOURCE = "{{ $labels.namespace }}/{{ $labels.name }}";

/** A command that shows the conditions and Events of a resource. */
export function describeCommand(kind: string): string {
  return `kubectl -n {{ $labels.namespace }} describe ${kind} {{ $labels.name }}`;
}
