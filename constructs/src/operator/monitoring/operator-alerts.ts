import { LEASE_NAME } from "../../api/names";
import type { OperatorSettings } from "../props-with-defaults";
import type { Alert } from "./alert";
import { flipopMetric, runtimeMetric } from "./metric-names";

/** Alerts on the operator and on the accounts that it uses. */
export function operatorAlerts(settings: OperatorSettings): readonly Alert[] {
  const observed = [massFailureAlert, stoppedAlert, staleAlert, errorAlert].map((alert) => alert(settings));
  return [...providerAlerts(), ...leaderAlerts(settings), ...observed];
}

function providerAlerts(): readonly Alert[] {
  const calls = "flipop_providers_calls_total";
  const failed = `sum by (provider) (rate(${flipopMetric(calls, { outcome: "error" })}[10m]))`;
  const all = `sum by (provider) (rate(${flipopMetric(calls)}[10m]))`;
  const wait = flipopMetric("flipop_provider_limit_wait_seconds");
  return [
    {
      alert: "FlipopProviderErrors",
      expr: `${failed} / ${all} > 0.2`,
      for: "10m",
      severity: "warning",
      summary: "Calls to provider {{ $labels.provider }} fail.",
      description:
        "{{ $value | humanizePercentage }} of the calls failed. Possible causes are an outage, a rate limit or a refused token. The conditions of the resources and the operator's log show the cause.",
    },
    {
      alert: "FlipopBudgetUsedUp",
      expr: `max by (provider) (${wait}) > 0`,
      for: "5m",
      severity: "warning",
      summary: "An account of provider {{ $labels.provider }} has used up its budget of calls.",
      description:
        "The operator waits {{ $value | humanizeDuration }} until it may send the next call, so addresses follow the nodes late. Other programs may use the same account. The operator's log shows each call.",
    },
  ];
}

function leaderAlerts(settings: OperatorSettings): readonly Alert[] {
  const { name, namespace } = settings;
  const leader = runtimeMetric("leader", settings);
  const pods = `kubectl -n ${namespace} get pods`;
  const log = `kubectl -n ${namespace} logs deployment/${name}`;
  return [
    {
      alert: "FlipopNoLeader",
      expr: `sum(${leader}) == 0`,
      for: "5m",
      severity: "critical",
      summary: `No pod of operator ${namespace}/${name} holds the Lease.`,
      description: `Until a pod holds it, addresses and records do not follow the nodes. They stay as they are. The log shows why no pod gets the Lease: ${log}`,
    },
    {
      alert: "FlipopTwoLeaders",
      expr: `sum(${leader}) > 1`,
      for: "2m",
      severity: "critical",
      summary: `{{ $value }} pods of operator ${namespace}/${name} report that they hold the Lease.`,
      description: `Only one may write. Delete the pods that kubectl -n ${namespace} get lease ${LEASE_NAME} -o yaml does not name: ${pods}`,
    },
    {
      alert: "FlipopNoMetrics",
      expr: `absent(${leader})`,
      for: "5m",
      severity: "critical",
      summary: `Prometheus has no metrics of operator ${namespace}/${name}.`,
      description: `Either no pod runs, and then addresses and records do not follow the nodes, or Prometheus does not reach the pods. No other alert about addresses fires meanwhile: ${pods}`,
    },
  ];
}

/** A stop lasts for 5 minutes: the alert must come well before its end. */
function massFailureAlert({ name, namespace }: OperatorSettings): Alert {
  return {
    alert: "FlipopMassFailure",
    expr: `max by (zone) (${flipopMetric("flipop_mass_failure")}) > 0`,
    for: "1m",
    severity: "critical",
    summary: `Operator ${namespace}/${name} moves no address off failed nodes (zone "{{ $labels.zone }}").`,
    description: `Most nodes of the zone, or of the cluster where the zone is empty, that hold addresses or are in DNS names failed within a few minutes, and no witness confirms some of these failures, so the cause may be the control plane. If the nodes are really down, annotate the resources with flipop.digitalocean.com/ignore-mass-failure=true. Condition MassFailure shows until when the operator waits: kubectl get floatingippools,routedips,nodednsrecordsets --all-namespaces -o yaml`,
  };
}

function stoppedAlert({ name, namespace }: OperatorSettings): Alert {
  return {
    alert: "FlipopStopped",
    expr: `max(${flipopMetric("flipop_stopped")}) > 0`,
    for: "15m",
    severity: "warning",
    summary: `Operator ${namespace}/${name} is stopped.`,
    description: `A person has stopped the operator with annotation flipop.digitalocean.com/stop on its Lease: addresses, records and firewalls do not change. flipop resume starts it again; kubectl -n ${namespace} get lease ${LEASE_NAME} -o yaml shows the reason.`,
  };
}

function staleAlert({ name, namespace }: OperatorSettings): Alert {
  return {
    alert: "FlipopStaleCache",
    expr: `max by (resource) (${flipopMetric("flipop_cache_stale_seconds")}) > 0`,
    for: "2m",
    severity: "critical",
    summary: `Operator ${namespace}/${name} sees no changes of {{ $labels.resource }}.`,
    description: `For {{ $value | humanizeDuration }}, the API server has refused or ended each list and watch of this kind, so addresses and records do not follow its changes: they stay on nodes that fail. The log shows the error; the usual cause is a missing right to list and watch: kubectl -n ${namespace} logs deployment/${name}`,
  };
}

function errorAlert(settings: OperatorSettings): Alert {
  const { name, namespace } = settings;
  return {
    alert: "FlipopReconcileErrors",
    expr: `sum by (controller) (increase(${runtimeMetric("reconcileErrors", settings)}[15m])) >= 3`,
    for: "15m",
    severity: "warning",
    summary: `Runs of controller {{ $labels.controller }} of operator ${namespace}/${name} keep failing.`,
    description: `About {{ $value | humanize }} runs failed in 15 minutes. The log shows the errors: kubectl -n ${namespace} logs deployment/${name}`,
  };
}
