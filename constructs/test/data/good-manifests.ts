import type { KindName } from "../../src/api";

/** A spec that the server must accept and return unchanged. */
export interface GoodSpec {
  readonly kind: KindName;
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

export const MATCH = {
  podNamespace: "ingress",
  podLabel: "app=web,component=controller",
  nodeLabel: "doks.digitalocean.com/node-pool=work",
  tolerations: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
};
export const JOB_SPEC = {
  ttlSecondsAfterFinished: 60,
  template: {
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "update", image: "registry.example/update:1", env: [{ name: "MODE", value: "assign" }] }],
    },
  },
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
