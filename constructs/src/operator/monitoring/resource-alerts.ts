import type { ConditionType } from "../../api/condition-types";
import type { Reason } from "../../api/reasons";
import { type Alert, describeCommand, RESOURCE } from "./alert";
import { flipopMetric } from "./metric-names";

const DESCRIBE_POOL = describeCommand("floatingippool");
const DESCRIBE_ROUTED = describeCommand("routedip");
const DESCRIBE_ANY = describeCommand("{{ $labels.kind }}");

/** The provider does not answer, so nothing is known of what it has. An alert of its own reports each of them. */
const UNANSWERED = ["ProviderUnavailable", "RateLimited", "Unauthorized"] as const satisfies readonly Reason[];

/** Alerts on the addresses of pools. They rely on states of addresses, which an outage of the provider does not change. */
export function addressAlerts(): readonly Alert[] {
  const inactive = `max by (namespace, name) (${flipopMetric("flipop_floatingippoolcontroller_inactive_ips")}) > 0`;
  const active = flipopMetric("flipop_floatingippoolcontroller_ip_state", { state: "active" });
  const someActive = `on (namespace, name) sum by (namespace, name) (${active}) > 0`;
  return [
    {
      alert: "FlipopNoAddressActive",
      expr: `${inactive} unless ${someActive}`,
      for: "2m",
      severity: "critical",
      summary: `No address of FloatingIPPool ${RESOURCE} is active.`,
      description: `No address of the pool is on a node that matches; the pool desires {{ $value }}. The alert does not say whether the account has the addresses. Condition Fulfilled shows the reason: ${DESCRIBE_POOL}`,
    },
    {
      alert: "FlipopFewerAddressesThanDesired",
      expr: `${inactive} and ${someActive}`,
      for: "15m",
      severity: "warning",
      summary: `FloatingIPPool ${RESOURCE} has fewer active addresses than desired.`,
      description: `{{ $value }} of the desired addresses are on no node that matches. The others serve. Condition Fulfilled shows the reason: ${DESCRIBE_POOL}`,
    },
    ...failureAlerts(),
  ];
}

function failureAlerts(): readonly Alert[] {
  const errors = flipopMetric("flipop_floatingippoolcontroller_ip_assignment_errors");
  const inError = flipopMetric("flipop_floatingippoolcontroller_ip_state", { state: "error" });
  return [
    {
      alert: "FlipopAssignmentErrors",
      expr: `sum by (namespace, name) (increase(${errors}[15m])) >= 3`,
      for: "5m",
      severity: "warning",
      summary: `The provider refuses assignments of FloatingIPPool ${RESOURCE}.`,
      description: `About {{ $value | humanize }} assignments failed in 15 minutes. The addresses in status.ips show the reason: ${DESCRIBE_POOL}`,
    },
    {
      alert: "FlipopAddressInError",
      expr: `max by (namespace, name, ip) (${inError}) > 0`,
      for: "15m",
      severity: "warning",
      summary: `The operator cannot bring address {{ $labels.ip }} of FloatingIPPool ${RESOURCE} to a node.`,
      description: `Its last action failed, the account does not have the address, or another resource or writer uses it. The entry of the address in status.ips shows the reason: ${DESCRIBE_POOL}`,
    },
  ];
}

/** Alerts on bad conditions of any kind. */
export function problemAlerts(): readonly Alert[] {
  return [...serviceAlerts(), ...routedAlerts(), ...answerAlerts(), abandonedAlert()];
}

function serviceAlerts(): readonly Alert[] {
  return [
    {
      alert: "FlipopNameNotInPlace",
      expr: `max by (kind, namespace, name) (${problem({ type: "DNSReady" }, UNANSWERED)}) > 0`,
      for: "10m",
      severity: "warning",
      summary: `The DNS name of {{ $labels.kind }} ${RESOURCE} is not in place.`,
      description: `The record set does not have the addresses that the resource asks for. Condition DNSReady shows what it has, and the reason: ${DESCRIBE_ANY}`,
    },
    {
      alert: "FlipopConflict",
      expr: `max by (kind, namespace, name) (${problem({ type: "Conflict" })}) > 0`,
      for: "5m",
      severity: "warning",
      summary: `{{ $labels.kind }} ${RESOURCE} is in conflict.`,
      description: `Another resource or another writer uses an address or a DNS name of this resource. Condition Conflict names it: ${DESCRIBE_ANY}`,
    },
  ];
}

function routedAlerts(): readonly Alert[] {
  const active = flipopMetric("flipop_routedipcontroller_ip_state", { state: "active" });
  const unassigned = problem({ kind: "RoutedIP", type: "Assigned" });
  const closed = problem({ kind: "RoutedIP", type: "FirewallReady" }, UNANSWERED);
  return [
    {
      alert: "FlipopRoutedIPWithoutNode",
      // After a restart in an outage, the condition shows the outage. The state still shows the node.
      expr: `max by (namespace, name) (${unassigned}) > 0 unless on (namespace, name) sum by (namespace, name) (${active}) > 0`,
      for: "2m",
      severity: "critical",
      summary: `RoutedIP ${RESOURCE} is on no node that serves its Service.`,
      description: `Traffic to the address does not reach the Service. Condition Assigned shows the reason: ${DESCRIBE_ROUTED}`,
    },
    {
      alert: "FlipopRoutedIPWithoutFirewall",
      expr: `max by (namespace, name) (${closed}) > 0`,
      for: "5m",
      severity: "warning",
      summary: `The firewall of RoutedIP ${RESOURCE} does not let its traffic pass.`,
      description: `The firewall lacks a port or a node of the Service. Condition FirewallReady shows the reason: ${DESCRIBE_ROUTED}`,
    },
  ];
}

/** Alerts on calls that the provider does not carry out. */
function answerAlerts(): readonly Alert[] {
  const [unavailable, , refused] = UNANSWERED;
  return [
    {
      alert: "FlipopProviderUnreachable",
      expr: `max by (kind, namespace, name) (${problem({ reason: unavailable })}) > 0`,
      for: "10m",
      severity: "warning",
      summary: `The provider does not answer the operator's calls for {{ $labels.kind }} ${RESOURCE}.`,
      description: `Addresses, records and firewalls stay as they are, and do not follow the nodes, until the provider answers. The conditions show the error: ${DESCRIBE_ANY}`,
    },
    {
      alert: "FlipopCredentialsRefused",
      expr: `max by (kind, namespace, name) (${problem({ reason: refused })}) > 0`,
      for: "5m",
      severity: "critical",
      summary: `The provider refuses the credentials for {{ $labels.kind }} ${RESOURCE}.`,
      description: `The token is wrong, expired, or lacks a scope. Addresses, records and firewalls stay as they are until the operator gets a token that the provider accepts. The conditions show the error: ${DESCRIBE_ANY}`,
    },
  ];
}

function abandonedAlert(): Alert {
  const abandoned = flipopMetric("flipop_cleanup_abandoned_total");
  return {
    alert: "FlipopCleanupAbandoned",
    expr: `sum by (kind, namespace, name) (increase(${abandoned}[6h])) > 0`,
    for: "1m",
    severity: "warning",
    summary: `The operator gave up the cleanup of {{ $labels.kind }} ${RESOURCE}.`,
    description:
      "The resource is deleted. Addresses, records or rules that it had may still exist in the account, and cost money. The Event CleanupAbandoned and the operator's log list them: kubectl -n {{ $labels.namespace }} get events --field-selector reason=CleanupAbandoned",
  };
}

interface ProblemSelector {
  readonly kind?: string;
  readonly type?: ConditionType;
  readonly reason?: Reason;
}

/** @param without reasons that do not count. */
function problem({ kind, type, reason }: ProblemSelector, without: readonly Reason[] = []): string {
  const selector = { ...(kind && { kind }), ...(type && { type }), ...(reason && { reason }) };
  const matchers = Object.entries(selector).map(([label, value]) => `${label}="${value}"`);
  const excluded = without.length === 0 ? [] : [`reason!~"${without.join("|")}"`];
  return `${flipopMetric("flipop_resource_problem")}{${[...matchers, ...excluded].join(",")}}`;
}
