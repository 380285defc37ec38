import { type GoodSpec, JOB_SPEC, MATCH } from "./good-manifests";

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
