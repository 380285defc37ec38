import { Duration } from "cdk8s";
import { Construct } from "constructs";
import {
  AddressType,
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  EmptyPolicy,
  FloatingIPPool,
  HealthCheck,
  IpFamily,
  IpProvider,
  LabelQuery,
  NodeDNSRecordSet,
  NodeMatch,
  NodePreference,
  PodMatch,
  PortRange,
  ProbedAddress,
  Publication,
  ReclaimPolicy,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  TaintEffect,
  Toleration,
} from "../../src";
import { newChart, type Synthesised, synth } from "./charts";

/** A record set with every option. Each resource needs its own. */
function dns(name: string): DnsRecord {
  return DnsRecord.cloudflare(name, "023e105f4ecef8ad9ca31a8372d0c353", {
    ttl: Duration.minutes(5),
    deletionPolicy: ReclaimPolicy.DELETE,
  });
}
const PROBES = HealthCheck.https(443, {
  address: ProbedAddress.EXTERNAL_IP,
  path: "/healthz",
  expectedStatuses: [200, 204],
  insecureSkipVerify: true,
  interval: Duration.seconds(5),
  timeout: Duration.seconds(2),
  failureThreshold: 3,
  successThreshold: 4,
});
const MATCH = {
  pods: PodMatch.query([LabelQuery.is("app", "web"), LabelQuery.in("tier", ["a", "b"])], { namespace: "ingress" }),
  nodes: NodeMatch.query([LabelQuery.gt("size", 3), LabelQuery.notIn("pool", ["spot", ""])]),
  tolerations: [Toleration.cordoned(), Toleration.keyValue("team", "edge", TaintEffect.NO_EXECUTE), Toleration.all()],
};

/**
 * Resources that use every prop.
 * @param scopeId id of their parent construct
 */
export function fullResources(namespace = "default", scopeId = "all"): readonly Synthesised[] {
  const chart = newChart({ namespace });
  const scope = new Construct(chart, scopeId);
  addPoolAndRecords(scope);
  addRoutedIps(scope, namespace);
  return synth(chart);
}

function addPoolAndRecords(scope: Construct): void {
  new FloatingIPPool(scope, "pool", {
    ...MATCH,
    metadata: { name: "pool", labels: { team: "edge" }, annotations: { "example.com/note": "any text" } },
    region: "nyc3",
    provider: IpProvider.DIGITALOCEAN,
    desiredIps: 3,
    ips: ["192.0.2.10", "192.0.2.11"],
    ipFamily: IpFamily.IPV4,
    assignmentCoolOff: Duration.millis(1500),
    gracePeriod: Duration.days(1),
    maxMovesPerMinute: 2,
    nodePreference: NodePreference.STABLE,
    reclaimPolicy: ReclaimPolicy.RETAIN,
    dnsRecord: dns("www.example.com"),
    healthCheck: PROBES,
    holderLabel: true,
    untilAssigned: true,
    publishTo: [Publication.service("public"), Publication.gateway("edge")],
    paused: true,
  });
  new NodeDNSRecordSet(scope, "nodes", {
    ...MATCH,
    metadata: { name: "nodes" },
    dnsRecord: dns("nodes.example.com"),
    addressType: AddressType.RESERVED_IPV6,
    ipFamilies: [IpFamily.IPV6],
    healthCheck: PROBES,
    gracePeriod: Duration.seconds(0),
    emptyPolicy: EmptyPolicy.DELETE,
    paused: false,
  });
}

function addRoutedIps(scope: Construct, namespace: string): void {
  const issuer = new RoutedIPIssuer(scope, "issuer", {
    metadata: { name: "issuer" },
    region: "nyc3",
    provider: IpProvider.DIGITALOCEAN,
    credentials: Credentials.fromSecretName("do", "token"),
    reclaimPolicy: ReclaimPolicy.DELETE,
    firewallName: "game servers",
    allowedPorts: ["80", "443", "7000-7999/UDP"],
    maxPorts: 8,
    allowedAddresses: ["2001:db8::/32"],
    allowedZones: ["example.com"],
    allowedNames: ["*.example.com"],
    adoptRecords: false,
  });
  const builtIn = new ClusterRoutedIPClass(scope, "built-in", {
    metadata: { name: "built-in" },
    className: "public",
    implementation: ClassImplementation.issuer(issuer),
    firewallPostAllow: true,
    nodePorts: PortRange.of(30_000, 32_767),
    perNodeIpLimit: 2,
    electedNodeTaint: { key: "flipop.digitalocean.com/edge", value: "a", effect: TaintEffect.PREFER_NO_SCHEDULE },
    allowedNamespaces: [namespace],
    allowedPorts: ["22/TCP"],
    maxPorts: 1,
    allowedAddresses: ["Created", "192.0.2.0/24"],
    allowedZones: ["023e105f4ecef8ad9ca31a8372d0c353"],
    allowedNames: ["*.{namespace}.example.com", "www.example.com"],
    adoptRecords: true,
  });
  new ClusterRoutedIPClass(scope, "jobs", {
    metadata: { name: "jobs" },
    implementation: ClassImplementation.jobs(
      RoutedIPJob.container({ image: "registry.example/update:1", args: ["assign"], env: { MODE: "a" } }),
      RoutedIPJob.spec({
        template: { spec: { containers: [{ name: "firewall", image: "registry.example/update:1" }] } },
      }),
    ),
    firewallPostAllow: false,
    secrets: [SecretRef.fromSecretName("my-cloud")],
    jobNamespace: "jobs",
    startDeadline: Duration.seconds(30),
  });
  for (const implementation of [RoutedIPImplementation.issuer(issuer), RoutedIPImplementation.clusterClass(builtIn)]) {
    const name = `ip-${scope.node.children.length}`;
    new RoutedIP(scope, name, {
      metadata: { name },
      implementation,
      service: ServiceRef.fromServiceName("game", "games"),
      address: `192.0.2.${20 + scope.node.children.length}`,
      dnsRecord: dns(`${name}.example.com`),
      healthCheck: PROBES,
      gracePeriod: Duration.seconds(10),
      holderLabel: true,
      untilAssigned: true,
      publishTo: [Publication.service("public")],
      paused: true,
    });
  }
}
