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
  IpFamily,
  IpProvider,
  LabelQuery,
  NodeDNSRecordSet,
  NodeMatch,
  NodePreference,
  PodMatch,
  PortRange,
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

const DNS = DnsRecord.cloudflare("www.example.com", "023e105f4ecef8ad9ca31a8372d0c353", {
  ttl: Duration.minutes(5),
  deletionPolicy: ReclaimPolicy.DELETE,
});
const MATCH = {
  pods: PodMatch.query([LabelQuery.is("app", "web"), LabelQuery.in("tier", ["a", "b"])], { namespace: "ingress" }),
  nodes: NodeMatch.query(LabelQuery.gt("size", 3), LabelQuery.notIn("pool", ["spot", ""])),
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
    nodePreference: NodePreference.STABLE,
    reclaimPolicy: ReclaimPolicy.RETAIN,
    dnsRecord: DNS,
    paused: true,
  });
  new NodeDNSRecordSet(scope, "nodes", {
    ...MATCH,
    metadata: { name: "nodes" },
    dnsRecord: DNS,
    addressType: AddressType.RESERVED_IPV6,
    ipFamilies: [IpFamily.IPV6],
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
  });
  const builtIn = new ClusterRoutedIPClass(scope, "built-in", {
    metadata: { name: "built-in" },
    implementation: ClassImplementation.issuer(issuer),
    firewallPostAllow: true,
    nodePorts: PortRange.of(30_000, 32_767),
    perNodeIpLimit: 2,
    electedNodeTaint: { key: "flipop.digitalocean.com/edge", value: "a", effect: TaintEffect.PREFER_NO_SCHEDULE },
    allowedNamespaces: [namespace],
  });
  new ClusterRoutedIPClass(scope, "jobs", {
    metadata: { name: "jobs" },
    implementation: ClassImplementation.jobs(
      RoutedIPJob.container({ image: "registry.example/update:1", args: ["assign"], env: { MODE: "a" } }),
      RoutedIPJob.spec({
        template: { spec: { containers: [{ name: "firewall", image: "registry.example/update:1" }] } },
      }),
    ),
    secrets: [SecretRef.named("my-cloud")],
    jobNamespace: "jobs",
  });
  for (const implementation of [RoutedIPImplementation.issuer(issuer), RoutedIPImplementation.clusterClass(builtIn)]) {
    const name = `ip-${scope.node.children.length}`;
    new RoutedIP(scope, name, {
      metadata: { name },
      implementation,
      service: ServiceRef.named("game", "games"),
      address: `192.0.2.${20 + scope.node.children.length}`,
      dnsRecord: DNS,
      gracePeriod: Duration.seconds(10),
      paused: true,
    });
  }
}
