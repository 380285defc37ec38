import type { KindName } from "../../src/api";

/** A spec that the server must accept and return unchanged. */
export interface GoodSpec {
  readonly kind: KindName;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const MATCH = {
  podNamespace: "ingress",
  podLabel: "app=web,component=controller",
  nodeLabel: "doks.digitalocean.com/node-pool=work",
  tolerations: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
};
const JOB_SPEC = {
  ttlSecondsAfterFinished: 60,
  template: {
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "update", image: "registry.example/update:1", env: [{ name: "MODE", value: "assign" }] }],
    },
  },
};

const HEALTH_CHECK = {
  type: "HTTPS",
  port: 443,
  address: "ExternalIP",
  path: "/healthz",
  expectedStatuses: [200, 204],
  insecureSkipVerify: true,
  intervalSeconds: 5,
  timeoutSeconds: 2,
  failureThreshold: 3,
  successThreshold: 4,
};
/** As the API server returns one of type and port alone. */
const HEALTH_PLAIN = {
  port: 80,
  address: "InternalIP",
  insecureSkipVerify: false,
  intervalSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 2,
  successThreshold: 2,
};
const FOLLOWERS = {
  healthCheck: HEALTH_CHECK,
  holderLabel: true,
  untilAssigned: true,
  publishTo: [
    { kind: "Service", name: "ingress" },
    { kind: "Gateway", name: "public" },
  ],
};
const LIMITS = {
  allowedPorts: ["80", "443", "7000-7999/UDP"],
  maxPorts: 8,
  allowedAddresses: ["Created", "203.0.113.0/28"],
  allowedZones: ["example.com"],
  allowedNames: ["*.{namespace}.example.com"],
  adoptRecords: true,
};

/** Specs with the fields of the Go operator, and of RoutedIP. */
export const REFERENCE_SPECS: readonly GoodSpec[] = [
  {
    kind: "FloatingIPPool",
    name: "every field of the Go operator",
    spec: {
      provider: "digitalocean",
      region: "nyc3",
      desiredIPs: 3,
      assignmentCoolOffSeconds: 0.5,
      ips: ["192.168.1.1", "192.168.2.1"],
      dnsRecordSet: { recordName: "hello", zone: "0123456789abcdef0123456789abcdef", ttl: 30, provider: "cloudflare" },
      match: MATCH,
    },
  },
  {
    kind: "FloatingIPPool",
    name: "what a typed Go client writes for absent fields",
    spec: {
      provider: "digitalocean",
      desiredIPs: 1,
      region: "",
      match: {},
      dnsRecordSet: { recordName: "a", zone: "b", ttl: 0, provider: "" },
    },
  },
  {
    kind: "FloatingIPPool",
    name: "an address in two spellings",
    spec: { provider: "digitalocean", ips: ["2001:db8::1", "2001:DB8::1"] },
  },
  { kind: "FloatingIPPool", name: "an unknown provider", spec: { provider: "somewhere", ips: ["192.0.2.1"] } },
  {
    kind: "FloatingIPPool",
    name: "IPv6 addresses",
    spec: { provider: "digitalocean", ips: ["2001:db8::1", "2001:DB8:0:0::2"] },
  },
  {
    kind: "FloatingIPPool",
    name: "a toleration that tolerates nothing",
    spec: {
      provider: "digitalocean",
      ips: ["192.0.2.1"],
      match: {
        tolerations: [
          { operator: "Any", effect: "None" },
          { key: "a", operator: "Exists", value: "any thing" },
        ],
      },
    },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "provider in the record set",
    spec: {
      dnsRecordSet: { recordName: "nodes", zone: "example.com", ttl: 120, provider: "digitalocean" },
      match: MATCH,
    },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "provider at spec level",
    spec: {
      provider: "digitalocean",
      dnsRecordSet: { recordName: "nodes.example.com", zone: "example.com", ttl: 120 },
      addressType: "flipop.digitalocean.com/ipv4-reserved-ip",
      match: MATCH,
    },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "an empty address type, which a typed Go client writes",
    spec: {
      provider: "digitalocean",
      dnsRecordSet: { recordName: "a", zone: "b", ttl: 0 },
      match: {},
      addressType: "",
    },
  },
  {
    kind: "RoutedIP",
    name: "every planned field",
    spec: {
      className: "floating",
      routedIP: "192.0.2.9",
      serviceRef: { serviceName: "ingress", namespace: "ingress" },
    },
  },
  {
    kind: "RoutedIP",
    name: "an address to create",
    spec: { className: "floating", serviceRef: { serviceName: "ingress" } },
  },
  {
    kind: "RoutedIPIssuer",
    name: "every planned field",
    spec: {
      provider: "digitalocean",
      region: "nyc3",
      routedIPReclaimPolicy: "Delete",
      routedIPFirewallName: "ingress",
    },
  },
  {
    kind: "ClusterRoutedIPClass",
    name: "every planned field",
    spec: {
      firewallPostAllow: true,
      nodePortRange: "30000-32767",
      perNodeIPLimit: 1,
      fromSecretsRef: [{ name: "cloud" }],
      updateRoutedIP: JOB_SPEC,
      updateFirewall: JOB_SPEC,
    },
  },
  { kind: "ClusterRoutedIPClass", name: "a Job for the address only", spec: { updateRoutedIP: JOB_SPEC } },
];

/** Specs with every field. */
export const FULL_SPECS: readonly GoodSpec[] = [
  {
    kind: "FloatingIPPool",
    name: "every field",
    spec: {
      provider: "digitalocean",
      region: "nyc3",
      desiredIPs: 2,
      ips: ["2001:db8::1"],
      assignmentCoolOffSeconds: 20,
      dnsRecordSet: {
        recordName: "@",
        zone: "example.com",
        ttl: 60,
        provider: "digitalocean",
        deletionPolicy: "Delete",
      },
      match: { ...MATCH, nodeLabel: "!spot,tier in (a, b),gen>3,zone notin (x)" },
      ipFamily: "IPv6",
      gracePeriodSeconds: 30,
      nodePreference: "Name",
      reclaimPolicy: "Delete",
      maxMovesPerMinute: 2,
      ...FOLLOWERS,
      paused: true,
    },
  },
  {
    kind: "NodeDNSRecordSet",
    name: "every field",
    spec: {
      dnsRecordSet: {
        recordName: "nodes",
        zone: "example.com",
        ttl: 60,
        provider: "cloudflare",
        deletionPolicy: "Delete",
      },
      provider: "digitalocean",
      match: MATCH,
      addressType: "InternalIP",
      ipFamilies: ["IPv6", "IPv4"],
      gracePeriodSeconds: 30,
      emptyPolicy: "Delete",
      healthCheck: HEALTH_CHECK,
      paused: true,
    },
  },
  {
    kind: "RoutedIP",
    name: "every field with an issuer",
    spec: {
      issuerRef: { name: "digitalocean" },
      routedIP: "192.0.2.9",
      serviceRef: { serviceName: "ingress", namespace: "web" },
      dnsRecordSet: {
        recordName: "www",
        zone: "example.com",
        ttl: 60,
        provider: "digitalocean",
        deletionPolicy: "Delete",
      },
      gracePeriodSeconds: 30,
      ...FOLLOWERS,
      paused: true,
    },
  },
  {
    kind: "RoutedIP",
    name: "a class, and what the API server adds",
    spec: {
      className: "public",
      serviceRef: { serviceName: "ingress" },
      healthCheck: { ...HEALTH_PLAIN, type: "HTTP" },
    },
  },
  {
    kind: "RoutedIPIssuer",
    name: "every field",
    spec: {
      provider: "digitalocean",
      region: "nyc3",
      credentialsSecretRef: { name: "do", key: "token" },
      routedIPReclaimPolicy: "Delete",
      routedIPFirewallName: "ingress",
      ...LIMITS,
    },
  },
  {
    kind: "ClusterRoutedIPClass",
    name: "every field of a class with an issuer",
    spec: {
      className: "public",
      issuerRef: { name: "digitalocean", namespace: "flipop" },
      firewallPostAllow: true,
      nodePortRange: "30000-31000",
      perNodeIPLimit: 2,
      electedNodeTaint: { key: "flipop.digitalocean.com/ingress", value: "a", effect: "NoSchedule" },
      allowedNamespaces: ["a", "b"],
      ...LIMITS,
    },
  },
  {
    kind: "ClusterRoutedIPClass",
    name: "every field of a class with Jobs",
    spec: {
      updateRoutedIP: JOB_SPEC,
      updateFirewall: JOB_SPEC,
      firewallPostAllow: false,
      nodePortRange: "30000-31000",
      perNodeIPLimit: 2,
      fromSecretsRef: [{ name: "cloud" }],
      jobNamespace: "flipop-jobs",
      startDeadlineSeconds: 30,
      electedNodeTaint: { key: "flipop.digitalocean.com/ingress", value: "", effect: "PreferNoSchedule" },
      allowedNamespaces: ["a"],
    },
  },
  {
    kind: "ClusterRoutedIPClass",
    name: "a Job for the address only, and what the API server adds",
    spec: { updateRoutedIP: JOB_SPEC, firewallPostAllow: false },
  },
];
