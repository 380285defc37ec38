import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ALL_KINDS,
  Annotation,
  type AnySchema,
  ELECTED_NODE_TAINT,
  FEATURES,
  type FeatureName,
  Finalizer,
  FLAGS,
  Label,
  METRICS,
  permissionsFor,
} from "../../src/api";

// The public contract, repeated on purpose: a change here affects users.

/** `path: value` of every default. */
function defaults(path: string, schema: AnySchema): readonly string[] {
  const own = "default" in schema && schema.default !== undefined ? [`${path}: ${schema.default}`] : [];
  if (schema.type !== "object") return own;
  return [
    ...own,
    ...Object.entries(schema.properties).flatMap(([name, property]) => defaults(`${path}.${name}`, property)),
  ];
}

describe("defaults of the resources", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    FloatingIPPool: [
      "spec.dnsRecordSet.deletionPolicy: Retain",
      "spec.healthCheck.address: InternalIP",
      "spec.healthCheck.insecureSkipVerify: false",
      "spec.healthCheck.intervalSeconds: 1",
      "spec.healthCheck.timeoutSeconds: 1",
      "spec.healthCheck.failureThreshold: 2",
      "spec.healthCheck.successThreshold: 2",
      "spec.gracePeriodSeconds: 0",
      "spec.nodePreference: Stable",
      "spec.reclaimPolicy: Retain",
      "spec.paused: false",
    ],
    NodeDNSRecordSet: [
      "spec.dnsRecordSet.deletionPolicy: Retain",
      "spec.healthCheck.address: InternalIP",
      "spec.healthCheck.insecureSkipVerify: false",
      "spec.healthCheck.intervalSeconds: 1",
      "spec.healthCheck.timeoutSeconds: 1",
      "spec.healthCheck.failureThreshold: 2",
      "spec.healthCheck.successThreshold: 2",
      "spec.addressType: ExternalIP",
      "spec.gracePeriodSeconds: 0",
      "spec.emptyPolicy: Keep",
      "spec.paused: false",
    ],
    RoutedIP: [
      "spec.dnsRecordSet.deletionPolicy: Retain",
      "spec.healthCheck.address: InternalIP",
      "spec.healthCheck.insecureSkipVerify: false",
      "spec.healthCheck.intervalSeconds: 1",
      "spec.healthCheck.timeoutSeconds: 1",
      "spec.healthCheck.failureThreshold: 2",
      "spec.healthCheck.successThreshold: 2",
      "spec.gracePeriodSeconds: 0",
      "spec.paused: false",
    ],
    RoutedIPIssuer: ["spec.routedIPReclaimPolicy: Retain"],
    ClusterRoutedIPClass: [
      "spec.firewallPostAllow: false",
      "spec.nodePortRange: 30000-32767",
      "spec.perNodeIPLimit: 1",
      "spec.electedNodeTaint.key: flipop.digitalocean.com/routed-ip",
      "spec.electedNodeTaint.effect: PreferNoSchedule",
    ],
  };
  for (const { kind, spec } of ALL_KINDS) {
    it(`of a ${kind} do not change`, () => {
      expect(defaults("spec", spec)).to.deep.equal(expected[kind]);
    });
  }
});

describe("conditions of the resources", () => {
  it("do not change", () => {
    expect(Object.fromEntries(ALL_KINDS.map(({ kind, conditions }) => [kind, conditions.join(" ")]))).to.deep.equal({
      FloatingIPPool:
        "Ready Reconciling Stalled Accepted Fulfilled DNSReady Published Conflict ProviderReachable ProbesDoubted MassFailure",
      NodeDNSRecordSet:
        "Ready Reconciling Stalled Accepted DNSReady Conflict ProviderReachable ProbesDoubted MassFailure",
      RoutedIP:
        "Ready Reconciling Stalled Accepted Assigned FirewallReady DNSReady Published Conflict ProbesDoubted MassFailure",
      RoutedIPIssuer: "Ready Reconciling Stalled Accepted",
      ClusterRoutedIPClass: "Ready Reconciling Stalled Accepted",
    });
  });
});

describe("names in a cluster", () => {
  it("do not change, because objects contain them", () => {
    expect(
      Object.values({ ...Annotation, ...Label, ...Finalizer }).map((name) =>
        name.replace("flipop.digitalocean.com/", ""),
      ),
    ).to.deep.equal([
      "ipv4-reserved-ip",
      "ipv6-reserved-ip",
      "ipv4-reserved-ip-owner",
      "ipv6-reserved-ip-owner",
      "taints",
      "created-ips",
      "pending-creation",
      "forget-creation",
      "stop",
      "replica",
      "ignore-mass-failure",
      "allow-routed-ip-from",
      "publish-addresses",
      "job",
      "cleanup",
      "in-use",
    ]);
    expect(ELECTED_NODE_TAINT).to.deep.equal({
      key: "flipop.digitalocean.com/routed-ip",
      value: "",
      effect: "PreferNoSchedule",
    });
  });
});

describe("metrics", () => {
  it("keep their names, types and labels: the Go operator's, and those of RoutedIPs and of every kind", () => {
    const shown = Object.entries(METRICS).map(([name, { type, labels }]) => `${type} ${name}{${labels.join(",")}}`);
    expect(shown).to.deep.equal([
      "gauge flipop_floatingippoolcontroller_node_status{namespace,name,provider,dns,status}",
      "counter flipop_floatingippoolcontroller_ip_assignment_errors{namespace,name,ip,provider,dns}",
      "counter flipop_floatingippoolcontroller_ip_assignments{namespace,name,ip,provider,dns}",
      "gauge flipop_floatingippoolcontroller_ip_node{namespace,name,ip,provider,dns,provider_id,node}",
      "gauge flipop_floatingippoolcontroller_ip_state{namespace,name,ip,provider,dns,state}",
      "gauge flipop_floatingippoolcontroller_unfulfilled_ips{namespace,name,provider,dns}",
      "gauge flipop_floatingippoolcontroller_inactive_ips{namespace,name,provider,dns}",
      "gauge flipop_nodednsrecordset_records{namespace,name,provider,dns}",
      "counter flipop_routedipcontroller_ip_assignment_errors{namespace,name,ip,provider,dns}",
      "counter flipop_routedipcontroller_ip_assignments{namespace,name,ip,provider,dns}",
      "gauge flipop_routedipcontroller_ip_node{namespace,name,ip,provider,dns,provider_id,node}",
      "gauge flipop_routedipcontroller_ip_state{namespace,name,ip,provider,dns,state}",
      "gauge flipop_resource_condition{kind,namespace,name,type}",
      "gauge flipop_resource_problem{kind,namespace,name,type,reason}",
      "gauge flipop_build_info{version,commit,node_version}",
      "gauge flipop_stopped{}",
      "counter flipop_health_probes_total{result}",
      "gauge flipop_cache_stale_seconds{resource}",
      "gauge flipop_mass_failure{zone}",
      "gauge flipop_unlisted_addresses{holder}",
      "counter flipop_cleanup_abandoned_total{kind,namespace,name}",
      "counter flipop_providers_calls_total{provider,call,outcome,kind,namespace,name}",
      "histogram flipop_providers_call_duration_seconds{provider,call}",
      "gauge flipop_provider_limit_wait_seconds{provider}",
      "histogram flipop_provider_call_wait_seconds{provider,class}",
    ]);
  });
});

describe("flags", () => {
  it("keep their defaults", () => {
    const shown = FLAGS.map(({ name, default: usual }) => `${name}=${usual}`);
    expect(shown).to.deep.equal([
      "kubeconfig=",
      "metrics-bind-addr=:8080",
      "debug=false",
      "health-bind-addr=:8081",
      "features=pools,dns,routedip",
      "namespace=",
      "watch-namespaces=",
      "pod-namespaces=",
      "issuer-namespaces=",
      "job-namespaces=flipop-jobs",
      "tenant-limits=",
      "dry-run=false",
      "resync=60",
      "drift-interval=600",
      "max-moves-per-minute=0",
      "leader-elect=true",
      "leader-elect-lease-duration=15",
      "leader-elect-renew-deadline=10",
      "leader-elect-retry-period=2",
      "node-name=",
      "witness-bind-addr=",
      "shutdown-timeout=20",
      "log-format=auto",
    ]);
  });
});

describe("rights", () => {
  /** `verbs resource` of what a feature needs beyond leases, Events, and reading nodes and pods. */
  function rights(feature: FeatureName): readonly string[] {
    const common = new Set(
      permissionsFor([feature]).filter(({ features }) => features.length === Object.keys(FEATURES).length),
    );
    return permissionsFor([feature])
      .filter((permission) => !common.has(permission))
      .flatMap(({ resources, verbs, scope }) => resources.map((resource) => `${verbs.join()} ${resource} in ${scope}`));
  }

  it("of every feature are leases, Events, and reading nodes and pods", () => {
    const common = permissionsFor(["dns"]).filter(({ features }) => features.length === Object.keys(FEATURES).length);
    expect(
      common.map(({ resources, verbs, scope }) => `${verbs.join()} ${resources.join()} in ${scope}`),
    ).to.deep.equal([
      "create leases in operatorNamespace",
      "get,update leases in operatorNamespace",
      "list,watch leases in operatorNamespace",
      "create,patch events in cluster",
      "list,watch nodes in cluster",
      "list,watch pods in podNamespaces",
    ]);
  });

  it("of pools and record sets are on their own kind, and for pools on the node's annotations", () => {
    expect(rights("pools")).to.deep.equal([
      "patch nodes in cluster",
      "get,list,watch,patch floatingippools in watchNamespaces",
      "patch floatingippools/status in watchNamespaces",
      "patch floatingippools in goingNamespaces",
      "patch floatingippools/status in goingNamespaces",
    ]);
    expect(rights("dns")).to.deep.equal([
      "get,list,watch,patch nodednsrecordsets in watchNamespaces",
      "patch nodednsrecordsets/status in watchNamespaces",
      "patch nodednsrecordsets in goingNamespaces",
      "patch nodednsrecordsets/status in goingNamespaces",
    ]);
  });

  it("of RoutedIP add Services, their endpoints and the Secrets of issuers", () => {
    expect(rights("routedip")).to.include.members([
      "list,watch services in watchNamespaces",
      "list,watch endpointslices in watchNamespaces",
      "get,list,watch,patch routedipissuers in issuerNamespaces",
      "list,watch secrets in issuerNamespaces",
    ]);
  });

  it("of health checks are to watch the Leases of nodes, and to keep the Lease of the standby replica", () => {
    expect(rights("healthchecks")).to.deep.equal([
      "list,watch leases in nodeLeaseNamespace",
      "get,update leases in operatorNamespace",
    ]);
  });

  it("of external-dns are to write DNSEndpoint objects in the operator's own namespace", () => {
    expect(rights("externaldns")).to.deep.equal(["get,create,patch,delete dnsendpoints in operatorNamespace"]);
  });

  it("of publications are to write the status of Services and Gateways, and no other part of them", () => {
    expect(rights("publish")).to.deep.equal([
      "list,watch services in watchNamespaces",
      "patch services/status in watchNamespaces",
      "list,watch gateways in watchNamespaces",
      "patch gateways/status in watchNamespaces",
    ]);
  });

  it("of Jobs are only in the namespaces of Jobs", () => {
    expect(rights("jobs").filter((right) => right.endsWith("jobNamespaces"))).to.deep.equal([
      "list,watch,create,delete jobs in jobNamespaces",
      "list,watch,create pods in jobNamespaces",
      "list events in jobNamespaces",
      "get serviceaccounts in jobNamespaces",
    ]);
  });
});
