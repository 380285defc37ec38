/** A class of which a prop takes an object: without a type check, other things get there too. */
export interface Part {
  readonly type: string;
  /** A member that all its objects have; absent: it is a plain object. */
  readonly member?: string;
  /** How to make one in the place of this value. */
  readonly make: (value: unknown) => string;
}

function part(type: string, member: string, make: string): Part {
  return { type, member, make: () => make };
}

const CREDENTIALS = "Credentials.fromSecretName(...)";

/** Every class that a prop takes an object of. */
export const PART = {
  duration: {
    type: "Duration",
    member: "toSeconds",
    make: (value) => `Duration.seconds(${typeof value === "number" ? value : 30})`,
  },
  dnsRecord: part("DnsRecord", "_write", "DnsRecord.digitalOcean(...) or DnsRecord.cloudflare(...)"),
  pods: part("PodMatch", "_write", "PodMatch.of(...) or PodMatch.labels(...)"),
  nodes: part("NodeMatch", "_write", "NodeMatch.labels(...) or NodeMatch.doksNodePool(...)"),
  toleration: part("Toleration", "_write", "Toleration.key(...)"),
  provider: part("IpProvider", "name", "IpProvider.DIGITALOCEAN or IpProvider.of(...)"),
  credentials: part("Credentials", "_write", CREDENTIALS),
  routedIp: part(
    "RoutedIPImplementation",
    "_write",
    "RoutedIPImplementation.issuer(...) or RoutedIPImplementation.clusterClass(...)",
  ),
  clusterClass: part(
    "ClassImplementation",
    "_write",
    "ClassImplementation.issuer(...) or ClassImplementation.jobs(...)",
  ),
  service: part("ServiceRef", "_write", "ServiceRef.of(...) or ServiceRef.named(...)"),
  secret: part("SecretRef", "_write", "SecretRef.of(...) or SecretRef.named(...)"),
  ports: part("PortRange", "text", "PortRange.of(30000, 32767)"),
  taint: { type: "ElectedNodeTaint", make: () => "{ key: ... }" },
  map: { type: "map", make: () => "{ key: value }" },
} as const satisfies Readonly<Record<string, Part>>;

/** What is wrong with a value that should be such an object. */
export function partProblem(value: unknown, { type, member, make }: Part): string | undefined {
  const fits = typeof value === "object" && value !== null && !Array.isArray(value);
  if (fits && (member === undefined || member in value)) return undefined;
  return `${shown(value)} is not ${articled(type)}: write ${make(value)}`;
}

function articled(type: string): string {
  if (type === "Credentials") return type;
  return /^[AEIOU]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A value of any type as a message shows it. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return typeof value === "string" ? cut(value) : String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

function cut(text: string): string {
  return JSON.stringify(text.length > 50 ? `${text.slice(0, 50)}…` : text);
}
