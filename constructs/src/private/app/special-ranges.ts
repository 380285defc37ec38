import { canonicalIp, isIp } from "../../api/ip-address";

/** Ranges without public addresses, as prefixes of bits, from IANA's registries of special addresses. */
const IPV4_RANGES: readonly Range[] = [
  { range: "0.0.0.0/8", use: "this network" },
  { range: "10.0.0.0/8", use: "private networks" },
  { range: "100.64.0.0/10", use: "carriers' NAT" },
  { range: "127.0.0.0/8", use: "loopback" },
  { range: "169.254.0.0/16", use: "one link" },
  { range: "172.16.0.0/12", use: "private networks" },
  { range: "192.0.2.0/24", use: "documentation" },
  { range: "192.168.0.0/16", use: "private networks" },
  { range: "198.18.0.0/15", use: "benchmarks" },
  { range: "198.51.100.0/24", use: "documentation" },
  { range: "203.0.113.0/24", use: "documentation" },
  { range: "224.0.0.0/4", use: "multicast" },
  { range: "240.0.0.0/4", use: "no use yet" },
];
const IPV6_RANGES: readonly Range[] = [
  { range: "::/127", use: "loopback" },
  { range: "2001:db8::/32", use: "documentation" },
  { range: "3fff::/20", use: "documentation" },
  { range: "fc00::/7", use: "private networks" },
  { range: "fe80::/10", use: "one link" },
  { range: "ff00::/8", use: "multicast" },
];

interface Range {
  /** Address and length of the prefix. */
  readonly range: string;
  /** What the range is for. */
  readonly use: string;
}

/** The range of a private or reserved address; undefined for a public address, and for text that is no address. */
export function reservedRange(ip: string): Range | undefined {
  if (!isIp(ip)) return undefined;
  const bits = bitsOf(ip);
  return (ip.includes(":") ? IPV6_RANGES : IPV4_RANGES).find(({ range }) => bits.startsWith(prefixOf(range)));
}

/** Whether an address is in a range in CIDR notation. */
export function isInRange(ip: string, range: string): boolean {
  return ip.includes(":") === range.includes(":") && bitsOf(ip).startsWith(prefixOf(range));
}

const PREFIXES = new Map<string, string>();

function prefixOf(range: string): string {
  const known = PREFIXES.get(range);
  if (known !== undefined) return known;
  const [ip = "", length = ""] = range.split("/");
  const prefix = bitsOf(ip).slice(0, Number(length));
  PREFIXES.set(range, prefix);
  return prefix;
}

function bitsOf(ip: string): string {
  if (!ip.includes(":")) return binary(ip.split(".").map(Number), 8);
  const [head = [], tail = []] = canonicalIp(ip).split("::").map(groupsOf);
  const zeros = Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0);
  return binary([...head, ...zeros, ...tail], 16);
}

function groupsOf(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function binary(numbers: readonly number[], digits: number): string {
  return numbers.map((number) => number.toString(2).padStart(digits, "0")).join("");
}
