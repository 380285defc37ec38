import type { KindName } from "../api/kinds";
import type { ClusterRoutedIPClassProps } from "../cluster-routed-ip-class";
import type { FloatingIPPoolProps } from "../floating-ip-pool";
import type { NodeDNSRecordSetProps } from "../node-dns-record-set";
import type { RoutedIPProps } from "../routed-ip";
import type { RoutedIPIssuerProps } from "../routed-ip-issuer";
import { PART } from "./part";
import type { Shape, ShapeOf } from "./prop-shapes";

/** What is known of a prop: which fields of the spec it writes, and what it takes. */
type FactsOf<Props> = {
  readonly [Prop in Exclude<keyof Props, "metadata"> & string]-?: ShapeOf<Props[Prop]> & {
    readonly fields: readonly string[];
  };
};

const MATCH = {
  pods: { fields: ["match.podLabel", "match.podNamespace"], part: PART.pods },
  nodes: { fields: ["match.nodeLabel"], part: PART.nodes },
  tolerations: { fields: ["match.tolerations"], part: PART.toleration, list: true },
} as const;

const floatingIpPool: FactsOf<FloatingIPPoolProps> = {
  ...MATCH,
  region: { fields: ["region"] },
  provider: { fields: ["provider"], part: PART.provider },
  desiredIps: { fields: ["desiredIPs"] },
  ips: { fields: ["ips"], list: true },
  ipFamily: { fields: ["ipFamily"] },
  assignmentCoolOff: { fields: ["assignmentCoolOffSeconds"], part: PART.duration },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  nodePreference: { fields: ["nodePreference"] },
  reclaimPolicy: { fields: ["reclaimPolicy"] },
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord },
  paused: { fields: ["paused"] },
};

const nodeDnsRecordSet: FactsOf<NodeDNSRecordSetProps> = {
  ...MATCH,
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord, required: true },
  addressType: { fields: ["addressType"] },
  ipFamilies: { fields: ["ipFamilies"], list: true },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  emptyPolicy: { fields: ["emptyPolicy"] },
  paused: { fields: ["paused"] },
};

const routedIp: FactsOf<RoutedIPProps> = {
  implementation: { fields: ["className", "issuerRef"], required: true, part: PART.routedIp },
  service: { fields: ["serviceRef"], part: PART.service, required: true },
  address: { fields: ["routedIP"] },
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord },
  gracePeriod: { fields: ["gracePeriodSeconds"], part: PART.duration },
  paused: { fields: ["paused"] },
};

const routedIpIssuer: FactsOf<RoutedIPIssuerProps> = {
  region: { fields: ["region"] },
  provider: { fields: ["provider"], part: PART.provider },
  credentials: { fields: ["credentialsSecretRef"], part: PART.credentials },
  reclaimPolicy: { fields: ["routedIPReclaimPolicy"] },
  firewallName: { fields: ["routedIPFirewallName"] },
};

const clusterRoutedIpClass: FactsOf<ClusterRoutedIPClassProps> = {
  implementation: {
    fields: ["issuerRef", "updateRoutedIP", "updateFirewall"],
    required: true,
    part: PART.clusterClass,
  },
  firewallPostAllow: { fields: ["firewallPostAllow"] },
  nodePorts: { fields: ["nodePortRange"], part: PART.ports },
  perNodeIpLimit: { fields: ["perNodeIPLimit"] },
  secrets: { fields: ["fromSecretsRef"], part: PART.secret, list: true },
  jobNamespace: { fields: ["jobNamespace"] },
  electedNodeTaint: { fields: ["electedNodeTaint"], part: PART.taint },
  allowedNamespaces: { fields: ["allowedNamespaces"], list: true },
};

/** What is known of the props of each kind. It does not compile while a prop is missing. */
export const PROPS: Readonly<
  Record<KindName, Readonly<Record<string, Shape & { readonly fields: readonly string[] }>>>
> = {
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
  for (const [prop, { fields }] of Object.entries(PROPS[kind])) {
    for (const field of fields) {
      const rest = path.slice(`spec.${field}`.length);
      if (path.startsWith(`spec.${field}`) && /^($|[.[])/.test(rest)) return PARTS[path] ?? `${prop}${rest}`;
    }
  }
  return path.replace(/^spec\.?/, "");
}

/** A message about fields as one about props: it names the prop in the place of a field of another name. */
export function inProps(kind: KindName, message: string): string {
  const props = Object.entries(PROPS[kind]);
  // What stands in quotation marks is a value.
  return message.replaceAll(
    /"[^"]*"|\w+/g,
    (word) =>
      props.find(
        ([
          ,
          {
            fields: [field, ...more],
          },
        ]) => field === word && more.length === 0,
      )?.[0] ?? word,
  );
}
