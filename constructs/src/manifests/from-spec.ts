import type { KindName } from "../api/kinds/kinds";
import { isObject, type JsonObject } from "../api/schema/schema";
import { LIMIT_FACTS } from "../private/write-limits";
import { call, data, type Expression, optional, type Struct, struct } from "./expression";
import { dnsRecord, duration, healthCheck, ipProvider, matchProps, member, publications } from "./from-values";

/** Finds the constructs that a spec refers to. */
export interface References {
  /** An issuer of the app, or one from outside. */
  issuer(name: string, namespace: string | undefined): Expression;
  /** A class of the app, or one from outside. */
  clusterClass(name: string): Expression;
  /** A Service of the app, or one from outside. */
  service(name: string, namespace: string | undefined): Expression;
}

type Props = Readonly<Record<string, Expression | undefined>>;

/**
 * The props with which a construct writes a spec, or most of it; undefined if no construct can. They may write fields
 * that the spec does not have, and may omit some: the caller compares.
 */
export function propsOf(kind: KindName, spec: JsonObject, references: References): Struct | undefined {
  const props = WRITERS[kind](spec, references);
  return props && struct(props);
}

const WRITERS: Readonly<Record<KindName, (spec: JsonObject, references: References) => Props | undefined>> = {
  FloatingIPPool: (spec) => ({
    provider: ipProvider(spec.provider),
    region: optional(spec.region),
    desiredIps: optional(spec.desiredIPs),
    ips: optional(spec.ips),
    ipFamily: member("IpFamily", spec.ipFamily),
    ...matchProps(spec.match),
    assignmentCoolOff: duration(spec.assignmentCoolOffSeconds),
    gracePeriod: duration(spec.gracePeriodSeconds),
    maxMovesPerMinute: optional(spec.maxMovesPerMinute),
    nodePreference: member("NodePreference", spec.nodePreference),
    reclaimPolicy: member("ReclaimPolicy", spec.reclaimPolicy),
    dnsRecord: dnsRecord(spec.dnsRecordSet, spec.provider),
    healthCheck: healthCheck(spec.healthCheck),
    holderLabel: optional(spec.holderLabel),
    untilAssigned: optional(spec.untilAssigned),
    publishTo: publications(spec.publishTo),
    paused: optional(spec.paused),
  }),
  NodeDNSRecordSet: (spec) => {
    const record = dnsRecord(spec.dnsRecordSet, spec.provider);
    if (!record) return undefined;
    return {
      dnsRecord: record,
      addressType: member("AddressType", spec.addressType),
      ipFamilies: families(spec.ipFamilies),
      ...matchProps(spec.match),
      gracePeriod: duration(spec.gracePeriodSeconds),
      healthCheck: healthCheck(spec.healthCheck),
      emptyPolicy: member("EmptyPolicy", spec.emptyPolicy),
      paused: optional(spec.paused),
    };
  },
  RoutedIP: (spec, references) => {
    const implementation = routedImplementation(spec, references);
    const { serviceName, namespace } = isObject(spec.serviceRef) ? spec.serviceRef : {};
    if (!implementation || typeof serviceName !== "string") return undefined;
    return {
      implementation,
      service: references.service(serviceName, typeof namespace === "string" ? namespace : undefined),
      address: optional(spec.routedIP),
      dnsRecord: dnsRecord(spec.dnsRecordSet, undefined),
      gracePeriod: duration(spec.gracePeriodSeconds),
      healthCheck: healthCheck(spec.healthCheck),
      holderLabel: optional(spec.holderLabel),
      untilAssigned: optional(spec.untilAssigned),
      publishTo: publications(spec.publishTo),
      paused: optional(spec.paused),
    };
  },
  RoutedIPIssuer: (spec) => ({
    provider: ipProvider(spec.provider),
    region: optional(spec.region),
    credentials: credentials(spec.credentialsSecretRef),
    reclaimPolicy: member("ReclaimPolicy", spec.routedIPReclaimPolicy),
    firewallName: optional(spec.routedIPFirewallName),
    ...limits(spec),
  }),
  ClusterRoutedIPClass: (spec, references) => {
    const implementation = classImplementation(spec, references);
    if (!implementation) return undefined;
    return {
      className: optional(spec.className),
      implementation,
      firewallPostAllow: optional(spec.firewallPostAllow),
      nodePorts: portRange(spec.nodePortRange),
      perNodeIpLimit: optional(spec.perNodeIPLimit),
      secrets: secrets(spec.fromSecretsRef),
      jobNamespace: optional(spec.jobNamespace),
      startDeadline: duration(spec.startDeadlineSeconds),
      electedNodeTaint: taint(spec.electedNodeTaint),
      allowedNamespaces: optional(spec.allowedNamespaces),
      ...limits(spec),
    };
  },
};

/** Limits of an issuer or a class. */
function limits(spec: JsonObject): Props {
  return Object.fromEntries(Object.keys(LIMIT_FACTS).map((prop) => [prop, optional(spec[prop])]));
}

function families(given: unknown): Expression | undefined {
  if (!Array.isArray(given)) return undefined;
  const items = given.map((family) => member("IpFamily", family));
  const known = items.filter((item) => item !== undefined);
  return known.length === items.length ? { kind: "list", items: known } : undefined;
}

function routedImplementation({ issuerRef, className }: JsonObject, references: References): Expression | undefined {
  if (isObject(issuerRef) && typeof issuerRef.name === "string") {
    return call("RoutedIPImplementation", "issuer", references.issuer(issuerRef.name, undefined));
  }
  if (typeof className !== "string" || className === "") return undefined;
  return call("RoutedIPImplementation", "clusterClass", references.clusterClass(className));
}

function classImplementation(spec: JsonObject, references: References): Expression | undefined {
  const { issuerRef, updateRoutedIP, updateFirewall } = spec;
  if (isObject(issuerRef) && typeof issuerRef.name === "string") {
    const { name, namespace } = issuerRef;
    const issuer = references.issuer(name, typeof namespace === "string" ? namespace : undefined);
    return call("ClassImplementation", "issuer", issuer);
  }
  if (!isObject(updateRoutedIP)) return undefined;
  const jobs = [updateRoutedIP, updateFirewall].filter(isObject).map((job) => call("RoutedIPJob", "spec", data(job)));
  return call("ClassImplementation", "jobs", ...jobs);
}

function credentials(ref: unknown): Expression | undefined {
  if (!isObject(ref) || typeof ref.name !== "string") return undefined;
  const key = optional(ref.key);
  return call("Credentials", "fromSecretName", data(ref.name), ...(key ? [key] : []));
}

function portRange(text: unknown): Expression | undefined {
  if (typeof text !== "string") return undefined;
  const [from, to] = text.split("-").map(Number);
  const exact = `${from}-${to}` === text;
  return exact ? call("PortRange", "of", data(from), data(to)) : call("PortRange", "parse", data(text));
}

function secrets(refs: unknown): Expression | undefined {
  if (!Array.isArray(refs)) return undefined;
  const names = refs.map((ref) => (isObject(ref) ? ref.name : undefined));
  if (!names.every((name) => typeof name === "string")) return undefined;
  return { kind: "list", items: names.map((name) => call("SecretRef", "fromSecretName", data(name))) };
}

function taint(fields: unknown): Expression | undefined {
  if (!isObject(fields)) return undefined;
  const { key, value, effect } = fields;
  return struct({ key: optional(key), value: optional(value), effect: member("TaintEffect", effect) });
}
