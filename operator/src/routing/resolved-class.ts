/** By whose account and under which terms an address is handled: those of its class, or of its issuer with all defaults. */

import {
  type ClusterRoutedIPClassSpec,
  DEFAULT_NODE_PORT_RANGE,
  type DeletionPolicy,
  ELECTED_NODE_TAINT,
  type RoutedIPIssuerSpec,
  type RoutedIPSpec,
} from "cdk8s-flipop/api";
import type { Taint } from "../kube/cache/slim.js";
import type { ObjectMeta } from "../kube/objects.js";
import type { Problem } from "../reconcile/conditions/problem.js";

export interface Issuer {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPIssuerSpec;
}

export interface RoutedIPClass {
  readonly metadata: ObjectMeta;
  readonly spec: ClusterRoutedIPClassSpec;
}

/** What holds whoever does the work. */
export interface ClassRules {
  readonly postAllow: boolean;
  readonly nodePortRange: string;
  readonly perNodeIPLimit: number;
  readonly taint: Taint;
}

/** The built-in implementation. */
export interface ResolvedIssuerClass extends ClassRules {
  readonly by: "issuer";
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
  readonly className: string;
}

export type ResolvedClass = ResolvedIssuerClass | ResolvedJobClass;

/** The resources that a RoutedIP refers to, looked up by whoever asks. */
export interface LookUp {
  class(name: string): RoutedIPClass | undefined;
  /** @param key `namespace/name` */
  issuer(key: string): Issuer | undefined;
}

export type ClassResolution =
  | { readonly resolvedClass: ResolvedClass; readonly problem?: undefined }
  | { readonly resolvedClass?: undefined; readonly problem: Problem };

export interface Applicant {
  readonly metadata: ObjectMeta;
  readonly spec: RoutedIPSpec;
}

export function resolveClass(applicant: Applicant, lookUp: LookUp): ClassResolution {
  const { className, issuerRef } = applicant.spec;
  const namespace = applicant.metadata.namespace ?? "";
  if (className !== undefined && issuerRef === undefined) return rulesOfClass(className, namespace, lookUp);
  if (issuerRef !== undefined && className === undefined) {
    return resolvedIssuerClass(`${namespace}/${issuerRef.name}`, classRules({}), lookUp);
  }
  return refused("Invalid", "exactly one of spec.className and spec.issuerRef is needed: set one, drop the other");
}

/** Which class or issuer a RoutedIP uses, whether it exists or not. */
export function usesOf({ metadata, spec }: Applicant): { readonly className?: string; readonly issuer?: string } {
  return {
    ...(spec.className === undefined ? {} : { className: spec.className }),
    ...(spec.issuerRef === undefined ? {} : { issuer: `${metadata.namespace ?? ""}/${spec.issuerRef.name}` }),
  };
}

export function classRules(spec: ClusterRoutedIPClassSpec): ClassRules {
  const { key, value, effect } = { ...ELECTED_NODE_TAINT, ...spec.electedNodeTaint };
  return {
    postAllow: spec.firewallPostAllow ?? false,
    nodePortRange: spec.nodePortRange ?? DEFAULT_NODE_PORT_RANGE,
    perNodeIPLimit: spec.perNodeIPLimit ?? 1,
    taint: { key, effect, ...(value ? { value } : {}) },
  };
}

function rulesOfClass(name: string, namespace: string, lookUp: LookUp): ClassResolution {
  const found = lookUp.class(name);
  if (found === undefined)
    return refused("ClassNotFound", `ClusterRoutedIPClass ${name} does not exist: create it, or correct className`);
  const { allowedNamespaces, issuerRef, updateRoutedIP, updateFirewall } = found.spec;
  if (allowedNamespaces !== undefined && !allowedNamespaces.includes(namespace)) {
    const message = `ClusterRoutedIPClass ${name} does not allow namespace ${namespace}: add it to allowedNamespaces`;
    return refused("NamespaceNotAllowed", message);
  }
  const jobs = [updateRoutedIP, updateFirewall].filter((job) => job !== undefined).length;
  const resolvedClass = classRules(found.spec);
  if (issuerRef !== undefined && jobs === 0) {
    return resolvedIssuerClass(`${issuerRef.namespace}/${issuerRef.name}`, resolvedClass, lookUp);
  }
  if (issuerRef === undefined && jobs === 2)
    return { resolvedClass: { ...resolvedClass, by: "jobs", className: name } };
  const message = `ClusterRoutedIPClass ${name} needs issuerRef, or updateRoutedIP and updateFirewall, and not both`;
  return refused("Invalid", message);
}

function resolvedIssuerClass(key: string, resolvedClass: ClassRules, lookUp: LookUp): ClassResolution {
  const issuer = lookUp.issuer(key);
  if (issuer === undefined)
    return refused("IssuerNotFound", `RoutedIPIssuer ${key} does not exist: create it, or correct issuerRef`);
  const { provider, region, routedIPReclaimPolicy = "Retain", routedIPFirewallName } = issuer.spec;
  return {
    resolvedClass: {
      ...resolvedClass,
      by: "issuer",
      issuer: key,
      provider,
      ...(region === undefined ? {} : { region }),
      reclaimPolicy: routedIPReclaimPolicy,
      ...(routedIPFirewallName === undefined ? {} : { firewallName: routedIPFirewallName }),
    },
  };
}

function refused(reason: Problem["reason"], message: string): ClassResolution {
  return { problem: { reason, message } };
}
