import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import type { FlipopOperatorProps } from "../operator-props";
import { withBraces } from "./helm-braces";
import { flipopMetric, runtimeMetric } from "./metric-queries";
import type { OperatorSettings } from "./settings";

/** The alerts. Every alert names the place to look. */
export function alertRules(
  scope: Construct,
  settings: OperatorSettings,
  { monitoringLabels }: FlipopOperatorProps,
): ApiObject {
  const { name, namespace, labels } = settings;
  const rule = (alert: Alert): object => ruleOf(alert, (text) => withBraces(text, scope));
  return new ApiObject(scope, "prometheus-rule", {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name, namespace, labels: { ...labels, ...monitoringLabels } },
    // The output folder of the app decides about the braces.
    spec: Lazy.any({
      produce: () => ({
        groups: [
          { name: "flipop.addresses", rules: addressAlerts().map(rule) },
          { name: "flipop.operator", rules: [...providerAlerts(), ...operatorAlerts(settings)].map(rule) },
        ],
      }),
    }),
  });
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold before the alert fires. */
  readonly for: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  readonly description: string;
}

function ruleOf({ severity, summary, description, ...alert }: Alert, write: (text: string) => string): object {
  return { ...alert, labels: { severity }, annotations: { summary: write(summary), description: write(description) } };
}

const POOL = "{{ $labels.namespace }}/{{ $labels.name }}";
const LOOK_AT_POOL = "kubectl -n {{ $labels.namespace }} describe floatingippool {{ $labels.name }}";

function addressAlerts(): readonly Alert[] {
  const unfulfilled = flipopMetric("flipop_floatingippoolcontroller_unfulfilled_ips");
  const inactive = flipopMetric("flipop_floatingippoolcontroller_inactive_ips");
  const errors = flipopMetric("flipop_floatingippoolcontroller_ip_assignment_errors");
  const inError = flipopMetric("flipop_floatingippoolcontroller_ip_state", { state: "error" });
  return [
    {
      alert: "FlipopUnfulfilledAddresses",
      expr: `max by (namespace, name) (${unfulfilled}) > 0`,
      for: "15m",
      severity: "warning",
      summary: `Pool ${POOL} lacks addresses.`,
      description: `The pool has not acquired {{ $value }} desired addresses. Condition Fulfilled shows the reason: ${LOOK_AT_POOL}`,
    },
    {
      alert: "FlipopInactiveAddresses",
      expr: `max by (namespace, name) (${inactive}) > 0`,
      for: "15m",
      severity: "warning",
      summary: `Addresses of pool ${POOL} are not active.`,
      description: `{{ $value }} desired addresses are on no matching node. Condition Fulfilled shows the reason: ${LOOK_AT_POOL}`,
    },
    {
      alert: "FlipopAssignmentErrors",
      expr: `sum by (namespace, name) (increase(${errors}[15m])) >= 3`,
      for: "5m",
      severity: "warning",
      summary: `Assignments of pool ${POOL} keep failing.`,
      description: `{{ $value | humanize }} assignments failed in 15 minutes. The addresses in status.ips show the reason: ${LOOK_AT_POOL}`,
    },
    {
      alert: "FlipopAddressInError",
      expr: `max by (namespace, name, ip) (${inError}) > 0`,
      for: "15m",
      severity: "warning",
      summary: `Address {{ $labels.ip }} of pool ${POOL} is in error.`,
      description: `The provider rejects it, or another resource or writer uses it. Condition Conflict and status.ips show the cause: ${LOOK_AT_POOL}`,
    },
  ];
}

function providerAlerts(): readonly Alert[] {
  const calls = "flipop_providers_calls_total";
  const failed = `sum by (provider) (rate(${flipopMetric(calls, { outcome: "error" })}[10m]))`;
  const all = `sum by (provider) (rate(${flipopMetric(calls)}[10m]))`;
  return [
    {
      alert: "FlipopProviderErrors",
      expr: `${failed} / ${all} > 0.2`,
      for: "10m",
      severity: "warning",
      summary: "Calls to {{ $labels.provider }} fail.",
      description:
        "{{ $value | humanizePercentage }} of the calls failed. Possible causes are an outage, a rate limit or a rejected token. Condition ProviderReachable of the resources and the operator's log show the cause.",
    },
  ];
}

function operatorAlerts(settings: OperatorSettings): readonly Alert[] {
  const { name, namespace } = settings;
  const log = `kubectl -n ${namespace} logs deployment/${name}`;
  return [
    {
      alert: "FlipopNoLeader",
      // The absence of all series also counts as no leader.
      expr: `(sum(${runtimeMetric("leader", settings)}) or vector(0)) == 0`,
      for: "5m",
      severity: "critical",
      summary: `No pod of ${namespace}/${name} holds the Lease.`,
      description: `Until a pod holds it, addresses and records do not follow the nodes. Possible causes: no pod runs, no pod reaches the API server, or Prometheus scrapes no pod. ${log}`,
    },
    {
      alert: "FlipopReconcileErrors",
      expr: `sum by (controller) (increase(${runtimeMetric("reconcileErrors", settings)}[15m])) >= 3`,
      for: "15m",
      severity: "warning",
      summary: "Runs of controller {{ $labels.controller }} keep failing.",
      description: `{{ $value | humanize }} runs failed in 15 minutes. ${log}`,
    },
  ];
}
