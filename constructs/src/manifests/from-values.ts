import { AddressType } from "../address-type";
import { isObject, type JsonObject } from "../api/schema/schema";
import { ProbedAddress } from "../health-check";
import { IpFamily } from "../ip-family";
import { NodePreference } from "../match/node-preference";
import { TaintEffect } from "../match/taint-effect";
import { ReclaimPolicy } from "../reclaim-policy";
import { EmptyPolicy } from "../routed-ip/empty-policy";
import { call, data, type Expression, optional, struct } from "./expression";

/** The enums of the library, by name. */
export const ENUMS = {
  AddressType,
  EmptyPolicy,
  IpFamily,
  NodePreference,
  ProbedAddress,
  ReclaimPolicy,
  TaintEffect,
} as const;

/** The member of an enum with this value, if there is one. */
export function member(of: keyof typeof ENUMS, value: unknown): Expression | undefined {
  const [name] = Object.entries(ENUMS[of]).find(([, known]) => known === value) ?? [];
  return name === undefined ? undefined : { kind: "member", of, name };
}

const UNITS = [
  { method: "hours", seconds: 3600 },
  { method: "minutes", seconds: 60 },
  { method: "seconds", seconds: 1 },
  { method: "millis", seconds: 0.001 },
];

/** A Duration of so many seconds, in the largest unit that is exact. */
export function duration(seconds: unknown): Expression | undefined {
  if (typeof seconds !== "number" || seconds < 0) return undefined;
  if (seconds === 0) return call("Duration", "seconds", data(0));
  const unit = UNITS.find((one) => Math.round(seconds / one.seconds) * one.seconds === seconds);
  return unit && call("Duration", unit.method, data(Math.round(seconds / unit.seconds)));
}

const DNS_METHODS: Readonly<Record<string, string>> = { digitalocean: "digitalOcean", cloudflare: "cloudflare" };

/**
 * A DnsRecord.
 * @param fallback provider of a record set that names none
 */
export function dnsRecord(fields: unknown, fallback: unknown): Expression | undefined {
  if (!isObject(fields)) return undefined;
  const { recordName, zone, ttl, deletionPolicy } = fields;
  const provider = fields["provider"] || fallback;
  if (typeof provider !== "string") return undefined;
  const place = [data(recordName), data(zone)];
  const options = struct({ ttl: duration(ttl), deletionPolicy: member("ReclaimPolicy", deletionPolicy) });
  const method = Object.hasOwn(DNS_METHODS, provider) ? DNS_METHODS[provider] : undefined;
  if (method !== undefined) return call("DnsRecord", method, ...place, options);
  return call("DnsRecord", "of", data(provider), ...place, options);
}

/** A HealthCheck. */
export function healthCheck(fields: unknown): Expression | undefined {
  if (!isObject(fields)) return undefined;
  const { type, port, address, intervalSeconds, timeoutSeconds, ...others } = fields;
  const { path, expectedStatuses, insecureSkipVerify, failureThreshold, successThreshold } = others;
  if (typeof type !== "string" || !["TCP", "HTTP", "HTTPS"].includes(type)) return undefined;
  const options = struct({
    address: member("ProbedAddress", address),
    interval: duration(intervalSeconds),
    timeout: duration(timeoutSeconds),
    failureThreshold: optional(failureThreshold),
    successThreshold: optional(successThreshold),
    path: optional(path),
    expectedStatuses: optional(expectedStatuses),
    // The API server adds the default also where the prop has no meaning.
    insecureSkipVerify: optional(type === "HTTPS" ? insecureSkipVerify : insecureSkipVerify || undefined),
  });
  return call("HealthCheck", type.toLowerCase(), data(port), options);
}

/** A list of Publications, if each is of a known kind. */
export function publications(items: unknown): Expression | undefined {
  if (!Array.isArray(items)) return undefined;
  const made = items.map((item) => {
    const { kind, name } = isObject(item) ? item : {};
    const known = kind === "Service" || kind === "Gateway";
    return known ? call("Publication", kind.toLowerCase(), data(name)) : undefined;
  });
  const known = made.filter((each) => each !== undefined);
  return known.length === made.length ? { kind: "list", items: known } : undefined;
}

/** The provider of addresses, if it is not the default one. */
export function ipProvider(name: unknown): Expression | undefined {
  return name === undefined || name === "digitalocean" ? undefined : call("IpProvider", "of", data(name));
}

/** The props of a match. */
export function matchProps(match: unknown): Readonly<Record<string, Expression | undefined>> {
  const { podLabel, podNamespace, nodeLabel, tolerations } = isObject(match) ? match : {};
  return {
    pods: podMatch(podLabel, podNamespace),
    nodes: nodeMatch(nodeLabel),
    tolerations: tolerationList(tolerations),
  };
}

function podMatch(selector: unknown, namespace: unknown): Expression | undefined {
  const options = struct({ namespace: optional(namespace || undefined) });
  if (isGiven(selector)) {
    const labels = labelsOf(selector);
    return labels
      ? call("PodMatch", "labels", data(labels), options)
      : call("PodMatch", "selector", data(selector), options);
  }
  return isGiven(namespace) ? call("PodMatch", "inNamespace", data(namespace)) : undefined;
}

const DOKS_POOL = "doks.digitalocean.com/node-pool";

function nodeMatch(selector: unknown): Expression | undefined {
  if (!isGiven(selector)) return undefined;
  const labels = labelsOf(selector);
  if (!labels) return call("NodeMatch", "selector", data(selector));
  const [[key, value] = [], ...others] = Object.entries(labels);
  const isNodePool = key === DOKS_POOL && others.length === 0;
  return isNodePool ? call("NodeMatch", "doksNodePool", data(value)) : call("NodeMatch", "labels", data(labels));
}

/** The labels of a selector that only compares labels with values, and that the library writes in the same way. */
function labelsOf(selector: string): Readonly<Record<string, string>> | undefined {
  const pairs = selector.split(",").map((part) => /^([\w./-]+)=([\w.-]*)$/.exec(part));
  const labels = Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
  const text = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return text.join(",") === selector ? labels : undefined;
}

/** The tolerations, if each of them can be made with the library. */
function tolerationList(tolerations: unknown): Expression | undefined {
  if (!Array.isArray(tolerations)) return undefined;
  const items = tolerations.map((one) => (isObject(one) ? toleration(one) : undefined));
  const made = items.filter((item) => item !== undefined);
  return made.length === items.length ? { kind: "list", items: made } : undefined;
}

function toleration({ effect, ...fields }: JsonObject): Expression | undefined {
  const effectMember = member("TaintEffect", effect);
  if (effect !== undefined && !effectMember) return undefined;
  return effectToleration(fields, effectMember ? [effectMember] : []);
}

function effectToleration({ key, operator, value, ...others }: JsonObject, effects: readonly Expression[]) {
  if (Object.keys(others).length > 0) return undefined;
  if (operator === "Equal") return equalToleration(key, value, effects);
  if (operator !== "Exists" || value !== undefined) return undefined;
  if (isGiven(key)) return call("Toleration", "key", data(key), ...effects);
  return key === undefined && effects.length === 0 ? call("Toleration", "all") : undefined;
}

function equalToleration(key: unknown, value: unknown, effects: readonly Expression[]): Expression | undefined {
  if (!isGiven(key) || typeof value !== "string") return undefined;
  return call("Toleration", "keyValue", data(key), data(value), ...effects);
}

function isGiven(text: unknown): text is string {
  return typeof text === "string" && text.trim() !== "";
}
