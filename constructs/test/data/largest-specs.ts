import { MAX_SELECTOR_LENGTH } from "../../src/api/labels/selector-pattern";
import { type GoodSpec, JOB_SPEC } from "./good-manifests";

/** A list of the given length. */
function many<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => item(index));
}

/** Text of exactly the given length that ends with the number. */
function numbered(index: number, length: number): string {
  return `${index}`.padStart(length, "a");
}

/** A DNS name of exactly 253 characters. */
function dnsName(index = 0): string {
  return [63, 63, 63, 0].map((length) => (length > 0 ? "a".repeat(length) : numbered(index, 61))).join(".");
}

/** A selector of the greatest length: requirements as short as they can be cost the server the most. */
const SELECTOR = `${"a,".repeat(MAX_SELECTOR_LENGTH / 2 - 1)}ab`;

/** A key of 253 characters before the slash and 63 behind it. */
const LABEL_KEY = `${dnsName()}/${numbered(0, 63)}`;

const MATCH = {
  nodeLabel: SELECTOR,
  podNamespace: numbered(0, 63),
  podLabel: SELECTOR,
  tolerations: many(128, (index) => ({
    key: LABEL_KEY,
    operator: "Equal",
    value: numbered(index, 63),
    effect: "NoExecute",
  })),
};

const HEALTH_CHECK = {
  type: "HTTPS",
  port: 65_535,
  address: "PodIP",
  path: `/${"a".repeat(1023)}`,
  expectedStatuses: many(32, (index) => 200 + index),
};

/** The name lies within the zone: the two together are as long as a name can be. */
const DNS = { recordName: dnsName(), zone: dnsName(), provider: numbered(0, 63) };

const LIMITS = {
  allowedPorts: many(64, (index) => `${10_000 + index}-${20_000 + index}/TCP`),
  allowedAddresses: many(64, (index) => `2001:0db8:aaaa:bbbb:cccc:dddd:eeee:${10 + index}00/120`),
  allowedZones: many(64, dnsName),
  allowedNames: many(64, dnsName),
};

const PUBLISH_TO = many(8, (index) => ({ kind: "Service", name: numbered(index, 63) }));

const POOL = { provider: "digitalocean", region: numbered(0, 63), match: MATCH, dnsRecordSet: DNS };

/** Lists of 1024 addresses, in forms that differ in the length and in the place of the difference. */
const LISTS: Readonly<Record<string, (index: number) => string>> = {
  "IPv4 addresses": (index) => `164.190.${100 + (index >> 7)}.${100 + (index & 127)}`,
  "IPv6 addresses that differ at their end": (index) => `2001:0db8:aaaa:bbbb:cccc:dddd:${hex(index)}:${hex(index)}`,
  "IPv6 addresses that differ in their middle": (index) => `2001:0db8:aaaa:${hex(index)}:cccc:dddd:eeee:ffff`,
  "addresses of the longest form": (index) => `2001:0db8:aaaa:${hex(index)}:cccc:dddd:192.168.100.100`,
};

function hex(index: number): string {
  return index.toString(16).padStart(4, "0");
}

/** Specs whose lists and texts are as long as the schemas allow. */
export const LARGEST_SPECS: readonly GoodSpec[] = [
  ...Object.entries(LISTS).map(([name, address]) => ({
    kind: "FloatingIPPool" as const,
    name: `1024 ${name}`,
    spec: { ...POOL, ips: many(1024, address), healthCheck: HEALTH_CHECK, publishTo: PUBLISH_TO },
  })),
  {
    kind: "NodeDNSRecordSet",
    name: "each list and text",
    spec: { provider: "digitalocean", dnsRecordSet: DNS, match: MATCH, healthCheck: HEALTH_CHECK },
  },
  {
    kind: "RoutedIP",
    name: "each list and text",
    spec: {
      className: numbered(0, 63),
      routedIP: LISTS["addresses of the longest form"]?.(0),
      serviceRef: { serviceName: numbered(0, 63), namespace: numbered(0, 63) },
      dnsRecordSet: DNS,
      healthCheck: { ...HEALTH_CHECK, address: "InternalIP" },
      publishTo: PUBLISH_TO,
    },
  },
  {
    kind: "RoutedIPIssuer",
    name: "each list and text",
    spec: {
      provider: "digitalocean",
      region: numbered(0, 63),
      credentialsSecretRef: { name: dnsName(), key: "a".repeat(253) },
      routedIPFirewallName: "a".repeat(255),
      ...LIMITS,
    },
  },
  {
    kind: "ClusterRoutedIPClass",
    name: "each list and text",
    spec: {
      className: numbered(0, 63),
      updateRoutedIP: JOB_SPEC,
      updateFirewall: JOB_SPEC,
      fromSecretsRef: many(16, (index) => ({ name: dnsName(index) })),
      allowedNamespaces: many(256, (index) => numbered(index, 63)),
      ...LIMITS,
    },
  },
];
