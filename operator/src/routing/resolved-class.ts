/** The account and the settings for an address: those of its class, or of its issuer with all defaults. */

import {
  type ClusterRoutedIPClassSpec,
  CREATED_ADDRESSES,
  canonicalIp,
  DEFAULT_NODE_PORT_RANGE,
  type DeletionPolicy,
  ELECTED_NODE_TAINT,
  Finalizer,
  type RoutedIPIssuerSpec,
  type RoutedIPSpec,
  type RoutedIPStatus,
} from "cdk8s-flipop/api";
import { timeOf } from "../clock.js";
import type { Taint } from "../kube/cache/slim-objects.js";
import type { ObjectMeta } from "../kube/objects.js";
import { classMessages, issuerMessages } from "../messages/issuers-and-classes.js";
import type { Problem } from "../messages/message.js";
import { specMessages } from "../messages/spec.js";
import { deletionMessages } from "../messages/summary.js";
import { omitUndefined } from "../values.js";
import {
  type AddressAccess,
  addressAccessOf,
  hasHad,
  type LimitSource,
  type NameAccess,
  nameAccessOf,
  wrongLimitsOf,
} from "./address-and-name-access.js";
import { type ExcludedNamespace, type PortAccess, portAccessOf } from "./port-access.js";

export interface Issuer {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPIssuerSpec;
  /** What is wrong with its spec as it is stored: `spec` lacks the fields that are. */
  readonly problem?: Problem;
}

export interface RoutedIPClass {
  readonly metadata: ObjectMeta;
  readonly spec: ClusterRoutedIPClassSpec;
  /** As of an issuer. */
  readonly problem?: Problem;
}

/** A class lets RoutedIPs name no address unless it says so: it serves other teams than its author's. */
function classSource(of: string, { spec, problem }: Pick<RoutedIPClass, "spec" | "problem">): LimitSource {
  return { of, problem, limits: { ...spec, allowedAddresses: spec.allowedAddresses ?? [CREATED_ADDRESSES] } };
}

/** @param key `namespace/name` */
function issuerSource(key: string, { spec: limits, problem }: Issuer): LimitSource {
  const [namespace = ""] = key.split("/");
  return { of: `RoutedIPIssuer ${key}`, namespace, problem, limits };
}

/** The class that uses an issuer; empty: a RoutedIP names the issuer itself. */
interface UsingClass {
  readonly spec?: ClusterRoutedIPClassSpec;
  readonly objectName?: string;
  readonly own?: LimitSource;
}

/** What holds whoever does the work. */
export interface ClassRules {
  readonly postAllow: boolean;
  readonly nodePortRange: string;
  readonly perNodeIPLimit: number;
  readonly taint: Taint;
  readonly portAccess: PortAccess;
  readonly addressAccess: AddressAccess;
  readonly nameAccess: NameAccess;
  /** Limits that cannot be read: no RoutedIP gets anything new. */
  readonly wrongLimits?: Problem;
  /** The class no longer allows the namespace: only the address that the RoutedIP has stays. */
  readonly excluded?: ExcludedNamespace;
}

/** The built-in implementation. */
export interface ResolvedIssuerClass extends ClassRules {
  readonly by: "issuer";
  /** Of the class; absent: the RoutedIP names the issuer itself. */
  readonly objectName?: string;
  /** `namespace/name`. */
  readonly issuer: string;
  readonly provider: string;
  readonly region?: string;
  readonly reclaimPolicy: DeletionPolicy;
  /** Absent: no firewall is touched. */
  readonly firewallName?: string;
}

/** A class with Jobs. */
export interface ResolvedJobClass extends ClassRules {
  readonly by: "jobs";
  /** As RoutedIPs name it. */
  readonly className: string;
  /** The name of the object. */
  readonly objectName: string;
  /** It has `updateFirewall`. */
  readonly hasFirewallJob: boolean;
}

export type ResolvedClass = ResolvedIssuerClass | ResolvedJobClass;

/** The resources that a RoutedIP refers to, looked up by whoever asks. */
export interface LookUp {
  class(name: string): RoutedIPClass | undefined;
  /** The name by which RoutedIPs use the object of this name. @default none: there is no such object */
  classNameOf?(object: string): string | undefined;
  /** @param key `namespace/name` */
  issuer(key: string): Issuer | undefined;
}

export type ClassResolution =
  | { readonly resolvedClass: ResolvedClass; readonly problem?: undefined }
  | { readonly resolvedClass?: undefined; readonly problem: Problem };

export interface Applicant {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPSpec;
  /** @default it has no address */
  readonly status?: RoutedIPStatus;
}

export function resolveClass(applicant: Applicant, lookUp: LookUp): ClassResolution {
  const { resolvedClass, problem } = resolvedFor(applicant, lookUp);
  if (resolvedClass === undefined) return { problem };
  const { className = "" } = applicant.spec;
  const issuer = resolvedClass.by === "issuer" ? resolvedClass.issuer : "";
  if (comesTooLate(applicant, lookUp.class(className)?.metadata)) {
    return { problem: deletionMessages.takesNoNew({ kind: "ClusterRoutedIPClass", name: className }) };
  }
  if (!comesTooLate(applicant, lookUp.issuer(issuer)?.metadata)) return { resolvedClass };
  return { problem: deletionMessages.takesNoNew({ kind: "RoutedIPIssuer", name: issuer }) };
}

function resolvedFor(applicant: Applicant, lookUp: LookUp): ClassResolution {
  const { className, issuerRef } = applicant.spec;
  const namespace = applicant.metadata.namespace ?? "";
  if (className !== undefined && issuerRef === undefined) return rulesForNamespace(className, applicant, lookUp);
  if (issuerRef !== undefined && className === undefined) {
    return resolvedIssuerClass(`${namespace}/${issuerRef.name}`, {}, lookUp);
  }
  return { problem: classMessages.notOneOfTwo() };
}

/**
 * It would keep what it uses from going for ever. One that names an address is served: it may replace an older one, and
 * clients use the address.
 */
export function comesTooLate({ metadata, spec, status }: Applicant, used: ObjectMeta | undefined): boolean {
  const began = timeOf(used?.deletionTimestamp) ?? Number.POSITIVE_INFINITY;
  if ((timeOf(metadata.creationTimestamp) ?? 0) <= began) return false;
  const { routedIP, pendingCreation } = status ?? {};
  // The finalizer comes before the first Job.
  const hasBegun = metadata.finalizers?.includes(Finalizer.cleanup);
  return ![spec.routedIP, routedIP, pendingCreation, hasBegun].some(Boolean);
}

/** Which class or issuer a RoutedIP uses, whether it exists or not. */
export function usesOf({ metadata, spec }: Applicant): { readonly className?: string; readonly issuer?: string } {
  return {
    ...(spec.className === undefined ? {} : { className: spec.className }),
    ...(spec.issuerRef === undefined ? {} : { issuer: `${metadata.namespace ?? ""}/${spec.issuerRef.name}` }),
  };
}

/** @param sources whose limits hold. */
export function classRules(
  spec: ClusterRoutedIPClassSpec,
  sources: readonly LimitSource[] = [classSource("its class", { spec })],
): ClassRules {
  const { key, value, effect } = { ...ELECTED_NODE_TAINT, ...spec.electedNodeTaint };
  return {
    postAllow: spec.firewallPostAllow ?? false,
    nodePortRange: spec.nodePortRange ?? DEFAULT_NODE_PORT_RANGE,
    perNodeIPLimit: spec.perNodeIPLimit ?? 1,
    taint: { key, effect, ...(value ? { value } : {}) },
    portAccess: portAccessOf(sources),
    addressAccess: addressAccessOf(sources),
    nameAccess: nameAccessOf(sources),
    ...omitUndefined({ wrongLimits: wrongLimitsOf(sources) }),
  };
}

function classNotFound(name: string, lookUp: LookUp): Problem {
  const servedAs = lookUp.classNameOf?.(name);
  return servedAs === undefined
    ? classMessages.missing({ name })
    : specMessages.classNamedOtherwise({ name, servedAs });
}

function rulesForNamespace(className: string, applicant: Applicant, lookUp: LookUp): ClassResolution {
  const found = lookUp.class(className);
  if (found === undefined) return { problem: classNotFound(className, lookUp) };
  const { name } = found.metadata;
  const { namespace = "" } = applicant.metadata;
  if (found.spec.allowedNamespaces?.includes(namespace) !== false) return rulesOfClass(className, found, lookUp);
  if (!keepsAddress(applicant)) return { problem: classMessages.namespaceNotAllowed({ name, namespace }) };
  const { resolvedClass, problem } = rulesOfClass(className, found, lookUp);
  if (resolvedClass === undefined) return { problem };
  return {
    resolvedClass: { ...resolvedClass, excluded: { name, namespace } },
  };
}

/** For Accepted, which stays True. */
export function exclusionRemark({ excluded }: Pick<ResolvedClass, "excluded">): Problem | undefined {
  return excluded && classMessages.namespaceNotAllowed({ ...excluded, keeps: true });
}

/** It asks for no other address than the one that the operator gave it: a change of the class must not stop its moves. */
function keepsAddress({ spec: { routedIP: asked }, status = {} }: Applicant): boolean {
  const ip = canonicalIp(asked || (status.routedIP ?? ""));
  return hasHad(status, ip);
}

function rulesOfClass(name: string, found: RoutedIPClass, lookUp: LookUp): ClassResolution {
  const objectName = found.metadata.name;
  const { issuerRef, updateRoutedIP, updateFirewall } = found.spec;
  const hasFirewallJob = updateFirewall !== undefined;
  const hasJobs = updateRoutedIP !== undefined || hasFirewallJob;
  const own = classSource(`ClusterRoutedIPClass ${objectName}`, found);
  if (issuerRef !== undefined && !hasJobs) {
    return resolvedIssuerClass(
      `${issuerRef.namespace}/${issuerRef.name}`,
      { spec: found.spec, objectName, own },
      lookUp,
    );
  }
  if (issuerRef === undefined && updateRoutedIP !== undefined) {
    const names = { className: name, objectName };
    return { resolvedClass: { ...classRules(found.spec, [own]), by: "jobs", ...names, hasFirewallJob } };
  }
  return { problem: incompleteClass(objectName, found) };
}

function incompleteClass(name: string, { problem: cause }: RoutedIPClass): Problem {
  return cause === undefined ? classMessages.incomplete({ name }) : specMessages.ofClass({ name, cause });
}

function resolvedIssuerClass(key: string, { spec = {}, objectName, own }: UsingClass, lookUp: LookUp): ClassResolution {
  const issuer = lookUp.issuer(key);
  if (issuer === undefined) {
    const missing = own === undefined ? issuerMessages.missingHere : issuerMessages.missing;
    return { problem: missing({ name: key }) };
  }
  const { provider, region, routedIPReclaimPolicy = "Retain", routedIPFirewallName } = issuer.spec;
  return {
    resolvedClass: {
      ...classRules(spec, [...(own === undefined ? [] : [own]), issuerSource(key, issuer)]),
      by: "issuer",
      issuer: key,
      provider,
      ...omitUndefined({ objectName }),
      ...(region === undefined ? {} : { region }),
      reclaimPolicy: routedIPReclaimPolicy,
      ...(routedIPFirewallName === undefined ? {} : { firewallName: routedIPFirewallName }),
    },
  };
}

/** A `perNodeIPLimit` that no node reaches. */
export interface ExceededLimit {
  readonly limit: number;
  readonly provider: string;
  /** Addresses on one node, at the provider. */
  readonly allowed: number;
}

/** `provider` or `allowed` undefined: not known. */
export function exceededLimit({ limit = 1, provider, allowed }: Unsure<ExceededLimit>): ExceededLimit | undefined {
  return provider === undefined || allowed === undefined || limit <= allowed ? undefined : { limit, provider, allowed };
}

type Unsure<T> = { readonly [K in keyof T]: T[K] | undefined };
