import type { KindName } from "../api/kinds";
import type { ClusterRoutedIPClassProps } from "../cluster-routed-ip-class";
import type { FloatingIPPoolProps } from "../floating-ip-pool";
import type { NodeDNSRecordSetProps } from "../node-dns-record-set";
import type { RoutedIPProps } from "../routed-ip";
import type { RoutedIPIssuerProps } from "../routed-ip-issuer";

type FieldsOf<Props> = { readonly [Prop in Exclude<keyof Props, "metadata"> & string]-?: readonly string[] };

const MATCH = {
  pods: ["match.podLabel", "match.podNamespace"],
  nodes: ["match.nodeLabel"],
  tolerations: ["match.tolerations"],
} as const;

const floatingIpPool: FieldsOf<FloatingIPPoolProps> = {
  ...MATCH,
  region: ["region"],
  provider: ["provider"],
  desiredIps: ["desiredIPs"],
  ips: ["ips"],
  ipFamily: ["ipFamily"],
  assignmentCoolOff: ["assignmentCoolOffSeconds"],
  gracePeriod: ["gracePeriodSeconds"],
  nodePreference: ["nodePreference"],
  reclaimPolicy: ["reclaimPolicy"],
  dnsRecord: ["dnsRecordSet"],
  paused: ["paused"],
};

const nodeDnsRecordSet: FieldsOf<NodeDNSRecordSetProps> = {
  ...MATCH,
  dnsRecord: ["dnsRecordSet"],
  addressType: ["addressType"],
  ipFamilies: ["ipFamilies"],
  gracePeriod: ["gracePeriodSeconds"],
  emptyPolicy: ["emptyPolicy"],
  paused: ["paused"],
};

const routedIp: FieldsOf<RoutedIPProps> = {
  implementation: ["className", "issuerRef"],
  service: ["serviceRef"],
  address: ["routedIP"],
  dnsRecord: ["dnsRecordSet"],
  gracePeriod: ["gracePeriodSeconds"],
  paused: ["paused"],
};

const routedIpIssuer: FieldsOf<RoutedIPIssuerProps> = {
  region: ["region"],
  provider: ["provider"],
  credentials: ["credentialsSecretRef"],
  reclaimPolicy: ["routedIPReclaimPolicy"],
  firewallName: ["routedIPFirewallName"],
};

const clusterRoutedIpClass: FieldsOf<ClusterRoutedIPClassProps> = {
  implementation: ["issuerRef", "updateRoutedIP", "updateFirewall"],
  firewallPostAllow: ["firewallPostAllow"],
  nodePorts: ["nodePortRange"],
  perNodeIpLimit: ["perNodeIPLimit"],
  secrets: ["fromSecretsRef"],
  jobNamespace: ["jobNamespace"],
  electedNodeTaint: ["electedNodeTaint"],
  allowedNamespaces: ["allowedNamespaces"],
};

/** Which prop writes which fields of the spec. It does not compile while a prop is missing. */
export const PROP_FIELDS: Readonly<Record<KindName, Readonly<Record<string, readonly string[]>>>> = {
  FloatingIPPool: floatingIpPool,
  NodeDNSRecordSet: nodeDnsRecordSet,
  RoutedIP: routedIp,
  RoutedIPIssuer: routedIpIssuer,
  ClusterRoutedIPClass: clusterRoutedIpClass,
};

/** Fields that are told apart within their prop. */
const PARTS: Readonly<Record<string, string>> = { "spec.match.podNamespace": "pods.namespace" };

/** The prop that wrote a field, with the rest of the field's path; empty for the spec as a whole. */
export function propOf(kind: KindName, path: string): string {
  for (const [prop, fields] of Object.entries(PROP_FIELDS[kind])) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (path.startsWith(`spec.${field}`) && /^($|[.[])/.test(rest)) return PARTS[path] ?? `${prop}${rest}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}
