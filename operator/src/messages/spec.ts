/** Specs that the operator cannot act on. */

import { type IpFamily, SPEC_MISSING } from "cdk8s-flipop/api";
import { listed } from "../values.js";
import { type Problem, problem, topic } from "./message.js";
import { haveChanged } from "./tenants.js";

/** One mistake: its path in the spec, and the sentence about it. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
}

const SHOWN = 3;
const MISTAKE: Mistake = { path: "spec.dnsRecordSet.zone", message: "is required" };

interface WrongNameLists {
  readonly name: string;
  /** The class or issuer with the lists, by kind and name. */
  readonly limiter: string;
  readonly wrong: readonly Mistake[];
}

interface OtherFamily {
  readonly asked: IpFamily;
  /** Of the addresses that the operator created. */
  readonly family: IpFamily;
  readonly created: readonly string[];
}

function mistakesText(mistakes: readonly Mistake[]): string {
  const shown = mistakes.slice(0, SHOWN).map(({ path, message }) => `${path}: ${message}`);
  const more = mistakes.length > SHOWN ? [`and ${mistakes.length - SHOWN} more`] : [];
  return [...shown, ...more].join("; ");
}

/** Of a part of a spec that newer definitions have. */
export function unknownField(path: string): string {
  return `${path}: this release of the operator does not know the field, which the cluster's administrator can update`;
}

export const specMessages = topic("spec", {
  missing: problem({ reason: "Invalid", by: "author", text: () => SPEC_MISSING, remedyInText: true }),
  invalid: problem({
    reason: "Invalid",
    by: "author",
    text: ({ mistakes }: { readonly mistakes: readonly Mistake[] }) => mistakesText(mistakes),
    remedyInText: true,
    example: { mistakes: [MISTAKE] },
  }),
  ofClass: problem({
    reason: "Invalid",
    by: "administrator",
    text: ({ name, cause }: { readonly name: string; readonly cause: Problem }) =>
      `ClusterRoutedIPClass ${name} has an invalid spec: ${cause.message}`,
    remedy: "have the cluster's administrator correct the class",
    example: { name: "public", cause: { reason: "Invalid", message: "spec.issuerRef.name: is required" } },
  }),
  /** Unlike a class that is still to be created, this one never appears by itself. */
  classNamedOtherwise: problem({
    reason: "ClassNotFound",
    by: "author",
    text: ({ name, servedAs }: { readonly name: string; readonly servedAs: string }) =>
      `no class has the className ${name}: the object ClusterRoutedIPClass ${name} has spec.className ${servedAs}, and RoutedIPs use it by that name`,
    remedy: ({ servedAs }) =>
      `delete this RoutedIP and create it again with className ${servedAs}, since the field cannot be changed; or, if no RoutedIP uses the class by that name, have the cluster's administrator remove spec.className from it`,
    example: { name: "public-2024", servedAs: "public" },
  }),
  ofNameLists: problem({
    reason: "NameNotAllowed",
    by: "other",
    text: ({ name, limiter, wrong }: WrongNameLists) =>
      `the spec of ${limiter} is invalid (${mistakesText(wrong)}), so the operator ignores these limits and writes no record for ${name}`,
    remedy: ({ limiter }) => haveChanged(limiter, "correct them"),
    example: {
      ...{ name: "www.example.com", limiter: "RoutedIPIssuer team/main" },
      wrong: [{ path: "spec.allowedNames[0]", message: "must be a DNS name or a pattern" }],
    },
  }),
  ofLimits: problem({
    reason: "Invalid",
    by: "other",
    text: ({ limiter, wrong }: Omit<WrongNameLists, "name">) =>
      `the operator cannot read limits of ${limiter} (${mistakesText(wrong)}), so the resource keeps what it has and gets nothing new`,
    remedy: ({ limiter }) => haveChanged(limiter, "correct them"),
    example: {
      limiter: "ClusterRoutedIPClass public",
      wrong: [{ path: "spec.allowedNamespaces", message: "must be a list" }],
    },
  }),
  otherFamily: problem({
    reason: "Invalid",
    by: "author",
    text: ({ asked, family, created }: OtherFamily) =>
      `the spec asks for ${asked} addresses, but the operator created ${listed(created, SHOWN)} for this pool, of family ${family}; it keeps these in service, uses no ${asked} address, and creates no address`,
    remedy: ({ asked, family }) =>
      `set ipFamily to ${family}, remove ${asked} addresses from ips, and create a second pool for ${asked}`,
    example: { asked: "IPv6", family: "IPv4", created: ["203.0.113.7"] },
  }),
  selectsByOwnLabel: problem({
    reason: "Invalid",
    by: "author",
    text: ({ key }: { readonly key: string }) =>
      `spec.match.nodeLabel asks for label ${key}, which the operator itself puts on the nodes that hold an address of this pool (holderLabel), so each move would change which nodes match; no address moves`,
    remedy: ({ key }) => `remove ${key} from spec.match.nodeLabel`,
    example: { key: "flipop.digitalocean.com/holder-of-fip.web.shop" },
  }),
  podsNotReadable: problem({
    reason: "NamespaceNotAllowed",
    by: "administrator",
    text: ({ namespace, allowed }: { readonly namespace: string | undefined; readonly allowed: readonly string[] }) => {
      const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
      return `match asks for pods of ${where}; the operator may read those of ${listed(allowed)}`;
    },
    remedy: "set podNamespace to one of them, or have the cluster's administrator add it to --pod-namespaces",
    example: { namespace: "web", allowed: ["ingress"] },
  }),
});
