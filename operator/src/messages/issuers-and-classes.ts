/** Issuers and classes: what a RoutedIP needs of them, what they lack, and what they do not allow. */

import { Annotation } from "cdk8s-flipop/api";
import { listed } from "../values.js";
import { COMES_FIRST } from "./claims.js";
import { authorOf } from "./failed-calls.js";
import { note, type Problem, problem, topic } from "./message.js";
import { HAVE_ADMINISTRATOR, REGION_LABEL_TEXT } from "./nodes/label-remedies.js";
import {
  type AddressRefusal,
  addressChangesText,
  addressRefusalsText,
  haveChanged,
  joined,
  type NameRefusal,
  nameChangeTexts,
  nameRefusalTexts,
} from "./tenants.js";

interface Named {
  readonly name: string;
}

interface Unusable extends Named {
  /** What the issuer's own condition says. */
  readonly cause: Problem;
}

interface Limit {
  readonly limit: number;
  readonly provider: string | undefined;
  readonly allowed: number;
}

interface Limited {
  /** What limits it, by kind and name. */
  readonly limiter: string;
}

const LIMITER = "ClusterRoutedIPClass shared";
const RANGE = "198.51.100.0/24";
const NAME = "www.example.com";

export const issuerMessages = topic("issuers", {
  ready: note({
    reason: "Observed",
    text: () => "the provider accepts the credentials, and what the spec names exists",
  }),
  firewallToCome: problem({
    reason: "FirewallNotFound",
    by: "operator",
    text: ({ name }: Named) =>
      `the provider accepts the credentials; the operator creates firewall "${name}" when a RoutedIP first needs a rule there and a node may join it`,
    example: { name: "ingress" },
  }),
  noNodeInRegion: problem({
    reason: "WrongRegion",
    by: "author",
    text: ({ region, others }: { readonly region: string; readonly others: readonly string[] }) =>
      `no node of the cluster is in region "${region}"; there are nodes in ${listed(others)}, by their ${REGION_LABEL_TEXT}`,
    remedy: "correct spec.region, or the label if the provider has no such region",
    example: { region: "fra1", others: ["ams3"] },
  }),
  missing: problem({
    reason: "IssuerNotFound",
    by: "administrator",
    text: ({ name }: Named) => `RoutedIPIssuer ${name} does not exist`,
    remedy: "have the cluster's administrator create the issuer, or correct issuerRef of the class",
    example: { name: "ingress/digitalocean" },
  }),
  missingHere: problem({
    reason: "IssuerNotFound",
    by: "administrator",
    text: ({ name }: Named) =>
      `RoutedIPIssuer ${name} does not exist, and issuerRef of a RoutedIP names an issuer of its own namespace`,
    remedy:
      "have the cluster's administrator create the issuer there, or a class that uses an issuer of another namespace; then, unless the issuer has this name, delete the RoutedIP and create it again with the other issuerRef or className",
    example: { name: "ingress/digitalocean" },
  }),
  unusable: problem({
    reason: ({ cause }: Unusable) => cause.reason,
    by: "cause",
    text: ({ name, cause }: Unusable) => `RoutedIPIssuer ${name} cannot be used: ${cause.message}`,
    example: {
      name: "ingress/digitalocean",
      cause: { reason: "SecretNotFound", message: "Secret ingress/token does not exist" },
    },
  }),
  unobserved: note({
    reason: "NotObserved",
    text: ({ name }: Named) => `RoutedIPIssuer ${name} exists; whether it can be used is not observed yet`,
    example: { name: "ingress/digitalocean" },
  }),
});

interface OfIssuer {
  /** `namespace/name` of the issuer: a RoutedIP shows these messages, too. */
  readonly issuer: string;
}

interface Secret extends OfIssuer {
  /** `namespace/name` */
  readonly secret: string;
}

interface UnreadNamespace extends OfIssuer {
  readonly namespace: string;
  /** Those whose Secrets the operator may read. */
  readonly allowed: readonly string[];
}

const CREDENTIALS = { issuer: "ingress/digitalocean", secret: "ingress/token" };
const secretMissing = ({ secret }: Secret) => `Secret ${secret} does not exist`;

export const credentialMessages = topic("credentials", {
  namespaceNotRead: problem({
    reason: "NamespaceNotAllowed",
    by: "administrator",
    text: ({ issuer, namespace, allowed }: UnreadNamespace) =>
      `RoutedIPIssuer ${issuer} needs a Secret of namespace ${namespace}, and the operator may read only those of ${listed(allowed)}`,
    remedy: ({ namespace }) => `have the cluster's administrator add ${namespace} to --issuer-namespaces`,
    example: { issuer: CREDENTIALS.issuer, namespace: "ingress", allowed: ["flipop"] },
  }),
  secretMissing: problem({
    reason: "SecretNotFound",
    by: "author",
    text: secretMissing,
    remedy: (secret) => `${authorOf(secret)} create it, or correct credentialsSecretRef`,
    example: CREDENTIALS,
  }),
  /** The issuer is being deleted, perhaps with its namespace. */
  secretGone: problem({
    reason: "SecretNotFound",
    by: "author",
    text: secretMissing,
    remedy: (secret) => [
      `unless its namespace is being deleted, ${authorOf(secret)} restore it, or name in credentialsSecretRef a Secret that exists`,
      `if that namespace is being deleted, ${HAVE_ADMINISTRATOR} create a RoutedIPIssuer and its Secret in another namespace, which --issuer-namespaces has to list, and name that issuer in issuerRef of the ClusterRoutedIPClass`,
    ],
    example: CREDENTIALS,
  }),
  keyMissing: problem({
    reason: "SecretNotFound",
    by: "author",
    text: ({ secret, key, issuer }: Secret & { readonly key: string }) =>
      key === ""
        ? `RoutedIPIssuer ${issuer} names no key of Secret ${secret}`
        : `Secret ${secret} has no key "${key}", or it is empty`,
    remedy: ({ key, ...secret }) =>
      `${authorOf(secret)} ${key === "" ? "set key to the entry with the token" : "put the token there"}, or correct credentialsSecretRef`,
    example: { ...CREDENTIALS, key: "DIGITALOCEAN_TOKEN" },
  }),
  noSecretNamed: problem({
    reason: "NamespaceNotAllowed",
    by: "author",
    text: ({ own, issuer }: OfIssuer & { readonly own: string }) =>
      `credentialsSecretRef of RoutedIPIssuer ${issuer} is not set; only an issuer in namespace ${own} may use the operator's own credentials`,
    remedy: "have its author set it to a Secret with a token",
    example: { issuer: CREDENTIALS.issuer, own: "flipop" },
  }),
});

export const classMessages = topic("classes", {
  notOneOfTwo: problem({
    reason: "Invalid",
    by: "author",
    text: () => "the spec needs exactly one of className and issuerRef",
    remedy: "set one, and remove the other",
  }),
  missing: problem({
    reason: "ClassNotFound",
    by: "administrator",
    text: ({ name }: Named) => `ClusterRoutedIPClass ${name} does not exist`,
    remedy: `${HAVE_ADMINISTRATOR} create the class, or delete this RoutedIP and create it again with another className, since the field cannot be changed`,
    example: { name: "public" },
  }),
  nameTaken: problem({
    reason: "ClassNameTaken",
    by: "author",
    text: ({ className, older }: { readonly className: string; readonly older: string }) =>
      `RoutedIPs of class "${className}" use ClusterRoutedIPClass ${older}, which ${COMES_FIRST}`,
    remedy: "give this class another spec.className, or delete this one",
    example: { className: "public", older: "public-2024" },
  }),
  namespaceNotAllowed: problem({
    reason: "NamespaceNotAllowed",
    by: "administrator",
    text: ({ name, namespace, keeps, unopened }: Named & { namespace: string; keeps?: true; unopened?: string }) =>
      `ClusterRoutedIPClass ${name} does not allow namespace ${namespace}${unopened ? `, so the operator opens no port anew: ${unopened}` : ""}${keeps ? "; the RoutedIP keeps its address, which still moves, and the ports that are open" : ""}`,
    remedy: `${HAVE_ADMINISTRATOR} add it to allowedNamespaces, or delete this RoutedIP and create it again with another className, since the field cannot be changed`,
    example: { name: "public", namespace: "web" },
  }),
  incomplete: problem({
    reason: "Invalid",
    by: "administrator",
    text: ({ name }: Named) => `ClusterRoutedIPClass ${name} needs issuerRef or updateRoutedIP`,
    remedy: "have the cluster's administrator set issuerRef or the Jobs in the class, and not both",
    example: { name: "public" },
  }),
  limitTooHigh: problem({
    reason: "LimitUnsupported",
    by: "administrator",
    text: ({ limit, provider, allowed }: Limit & Limited) =>
      `perNodeIPLimit is ${limit}, but ${provider} allows ${allowed} on a machine, and that limit holds`,
    remedy: ({ limiter }) => `have the author of ${limiter} lower perNodeIPLimit`,
    example: { limit: 3, provider: "digitalocean", allowed: 1, limiter: LIMITER },
  }),
  issuerAccepted: note({ reason: "Observed", text: () => "its issuer is accepted" }),
});

interface RefusedAddress {
  readonly ip: string;
  readonly refusals: readonly AddressRefusal[];
  readonly namespace: string;
  /** The namespace for which the operator created the address. Absent: not known, or it did not. */
  readonly createdFor?: string;
  /** Further addresses of the same resource that are refused. @default none */
  readonly others?: readonly string[];
}

export const accessMessages = topic("access", {
  addressNotAllowed: problem({
    reason: "AddressNotAllowed",
    by: "other",
    text: ({ ip, refusals, namespace, createdFor, others = [] }: RefusedAddress) => {
      const other = createdFor === undefined ? "" : `, which it created for namespace ${createdFor}`;
      return `${addressRefusalsText(namespace, refusals)}, so the operator does not touch ${listed([`${ip}${other}`, ...others])}`;
    },
    remedy: ({ ip, refusals, others = [] }) =>
      `to use the address, ${addressChangesText(ip, refusals, others)}; to do without it, remove it from the spec (and from annotation ${Annotation.createdIps}); the account keeps it`,
    example: { ip: "203.0.113.7", refusals: [{ limiter: LIMITER, allowed: ["Created", RANGE] }], namespace: "game" },
  }),
  nameNotAllowed: problem({
    reason: "NameNotAllowed",
    by: "other",
    text: ({ name, refusals }: RefusedName) => `${joined(nameRefusalTexts(name, refusals))}, so no record is written`,
    remedy: ({ refusals }) => `use another name, or ${joined(nameChangeTexts(refusals))}`,
    example: {
      name: NAME,
      refusals: [{ limiter: LIMITER, lists: "allowedNames is empty", additions: `${NAME} to allowedNames` }],
    },
  }),
  noNameAllowed: problem({
    reason: "NameNotAllowed",
    by: "other",
    text: ({ name, limiter, refusals }: LimitedName & RefusedName) => {
      const silent = `${limiter} has neither allowedNames nor allowedZones, and the token for DNS is not one of this namespace`;
      return `${joined([silent, ...nameRefusalTexts(name, refusals)])}, so no record is written for ${name}`;
    },
    remedy: ({ limiter, refusals }) =>
      joined([haveChanged(limiter, "add the name to allowedNames"), ...nameChangeTexts(refusals)]),
    example: { name: NAME, limiter: LIMITER, refusals: [] },
  }),
  tokenOfOthers: problem({
    reason: "NameNotAllowed",
    by: "administrator",
    text: ({ name, provider, namespace }: TokenOfOthers) =>
      `the operator would write ${name} with the token for ${provider} of namespace ${namespace}, of which no class or issuer allows the name, so no record is written`,
    remedy:
      "have the cluster's administrator list the name in allowedNames of a class that uses the issuer, and create the RoutedIP again with this className (to keep the address, first set routedIPReclaimPolicy of the issuer to Retain, and then routedIP); or, if the provider of the issuer serves the zone, name it in dnsRecordSet.provider",
    example: { name: NAME, provider: "cloudflare", namespace: "flipop" },
  }),
  zoneUnknown: problem({
    reason: "NameNotAllowed",
    by: "author",
    text: ({ name, zone, limiter }: LimitedName & { readonly zone: string }) =>
      `${limiter} limits DNS names, and the provider has not yet said which domain the zone ${zone} of ${name} is, so no record is written`,
    remedy: "if this lasts, write the zone as a domain name",
    example: { name: "www", zone: "023e105f4ecef8ad9ca31a8372d0c353", limiter: LIMITER },
  }),
  recordExists: problem({
    reason: "RecordExists",
    by: "other",
    text: ({ name, values }: ForeignRecord) =>
      `${name} already holds ${listed(values)}, and the status does not show that the operator wrote that for this resource (a restore from a backup loses the status)`,
    remedy: ({ limiter }) =>
      `have the owner of the DNS account delete the record, use another name, or ask the author of ${limiter ?? "the class or issuer"} to set adoptRecords to true until DNSReady is True; the operator reads the name again within 2 minutes`,
    example: { name: "www.example.com", values: ["198.51.100.7"], limiter: LIMITER },
  }),
});

interface ForeignRecord {
  readonly name: string;
  readonly values: readonly string[];
  /** Absent: the class is not known now. */
  readonly limiter: string | undefined;
}

interface TokenOfOthers extends Named {
  readonly provider: string;
  readonly namespace: string;
}

interface LimitedName extends Limited {
  readonly name: string;
}

interface RefusedName extends Named {
  readonly refusals: readonly NameRefusal[];
}
