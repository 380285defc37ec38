import { isObject } from "../api/schema/schema";

/** The expected type of a prop's value. Without a compiler, a prop may have a value of any type. */
export interface Part {
  readonly type: string;
  readonly fits: (value: unknown) => boolean;
  /** How to write a value of the type instead of this value. */
  readonly make: (value: unknown) => string;
}

/** Objects of a class of this library, recognised by its name: there may be several copies of the library. */
function part(type: string, make: string): Part {
  return { type, fits: (value) => isObject(value) && Reflect.get(value, "_type") === type, make: () => make };
}

function having(member: string): Part["fits"] {
  return (value) => isObject(value) && member in value;
}

const CREDENTIALS = "Credentials.fromSecretName(...)";

/** The types of props that are checked before use. */
export const PART = {
  duration: {
    type: "Duration",
    fits: having("toSeconds"),
    make: (value) => `Duration.seconds(${typeof value === "number" ? value : 30})`,
  },
  dnsRecord: part("DnsRecord", "DnsRecord.digitalOcean(...) or DnsRecord.cloudflare(...)"),
  healthCheck: part("HealthCheck", "HealthCheck.tcp(...) or HealthCheck.http(...)"),
  publication: part("Publication", "Publication.service(...)"),
  pods: part("PodMatch", "PodMatch.of(...) or PodMatch.labels(...)"),
  nodes: part("NodeMatch", "NodeMatch.labels(...) or NodeMatch.doksNodePool(...)"),
  toleration: part("Toleration", "Toleration.key(...)"),
  provider: part("IpProvider", "IpProvider.DIGITALOCEAN or IpProvider.of(...)"),
  credentials: part("Credentials", CREDENTIALS),
  routedIp: part(
    "RoutedIPImplementation",
    "RoutedIPImplementation.issuer(...) or RoutedIPImplementation.clusterClass(...)",
  ),
  clusterClass: part("ClassImplementation", "ClassImplementation.issuer(...) or ClassImplementation.jobs(...)"),
  service: part("ServiceRef", "ServiceRef.fromService(...) or ServiceRef.fromServiceName(...)"),
  secret: part("SecretRef", "SecretRef.fromSecret(...) or SecretRef.fromSecretName(...)"),
  ports: part("PortRange", "PortRange.of(30000, 32767)"),
  labelQuery: part("LabelQuery", "LabelQuery.is(...)"),
  job: part("RoutedIPJob", "RoutedIPJob.container(...) or RoutedIPJob.spec(...)"),
  map: {
    type: "plain object",
    // The content of a Map, a Promise or a Lazy is not in its fields.
    fits: (value) => ["Object", "Module"].includes(tagOf(value)) && !isLate(value),
    make: (value) => (value instanceof Map ? "Object.fromEntries(...)" : "{ key: value }"),
  },
  text: { type: "string", fits: isText, make: quoted },
  /** Text that goes into the manifest unchanged, so that cdk8s may resolve it at synthesis. */
  lateText: { type: "string", fits: (value) => isText(value) || isLate(value), make: quoted },
  number: {
    type: "number",
    fits: (value) => typeof value === "number",
    make: (value) => `${(typeof value === "string" && Number(value)) || 2}`,
  },
  boolean: {
    type: "boolean",
    fits: (value) => typeof value === "boolean",
    make: (value) => /^(true|false)$/i.exec(String(value))?.[0].toLowerCase() ?? "true or false",
  },
} as const satisfies Readonly<Record<string, Part>>;

/** The problem of a value that should have this type. */
export function partProblem(value: unknown, { type, fits, make }: Part): string | undefined {
  return fits(value) ? undefined : `${shown(value)} is not ${articled(type)}: write ${make(value)}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/**
 * Whether the value is a Lazy or a token, by the member that cdk8s checks too: there may be several copies of cdk8s.
 */
export function isLate(value: unknown): boolean {
  return isObject(value) && ["produce", "resolve"].some((member) => typeof Reflect.get(value, member) === "function");
}

function quoted(value: unknown): string {
  return ["number", "boolean"].includes(typeof value) ? `"${value}"` : '"..."';
}

function articled(type: string): string {
  if (type === "Credentials") return type;
  return /^[AEIOU]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The text of a value of any type, for messages. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return typeof value === "string" ? cut(value) : String(value);
  if (Array.isArray(value)) return "a list";
  if (isLate(value)) return "a Lazy";
  const tag = tagOf(value);
  return tag === "Object" ? "an object" : articled(tag);
}

/** JavaScript's tag of a value: `Object`, except for built-in classes such as Map. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function cut(text: string): string {
  return JSON.stringify(text.length > 50 ? `${text.slice(0, 50)}…` : text);
}

/** Facts about prop `healthCheck`. */
export const HEALTH_CHECK_FACTS = {
  fields: ["healthCheck"],
  part: PART.healthCheck,
  options: { intervalSeconds: "interval", timeoutSeconds: "timeout" },
} as const;

/** Facts about the props that FloatingIPPool and RoutedIP share. */
export const ADDRESS_FACTS = {
  dnsRecord: { fields: ["dnsRecordSet"], part: PART.dnsRecord },
  healthCheck: HEALTH_CHECK_FACTS,
  holderLabel: { fields: ["holderLabel"] },
  untilAssigned: { fields: ["untilAssigned"] },
  publishTo: { fields: ["publishTo"], part: PART.publication, list: true },
  paused: { fields: ["paused"] },
} as const;
