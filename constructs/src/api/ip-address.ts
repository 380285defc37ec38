import type { Rule } from "./schema/schema";

/** Address family. */
export type IpFamily = "IPv4" | "IPv6";

export const IP_FAMILIES: readonly IpFamily[] = ["IPv4", "IPv6"];

/** Maximum length of an IPv6 address with an embedded IPv4 address. */
export const MAX_IP_LENGTH = 45;

/**
 * Whether the API server's CEL function `isIP` accepts `text`: an IPv4 address without leading zeros, or an IPv6
 * address without a zone that is not IPv4-mapped.
 */
export function isIp(text: string): boolean {
  return parseIpv4(text) !== undefined || isPlainIpv6(text);
}

/** The family of an address that `isIp` accepts. */
export function familyOf(ip: string): IpFamily {
  return ip.includes(":") ? "IPv6" : "IPv4";
}

/**
 * The canonical spelling of an address, for comparisons: IPv4 unchanged, IPv6 by RFC 5952 section 4, which clouds and
 * people use. Text that is not an address is returned unchanged.
 */
export function canonicalIp(ip: string): string {
  // Callers convert thousands of IPv4 addresses at once.
  const groups = ip.includes(":") ? parseIpv6(ip) : undefined;
  return groups === undefined ? ip : ipv6Text(groups);
}

/** The rule of every field that holds one address. */
export const ipRule: Rule<string> = {
  cel: "isIP(self)",
  message: "not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length",
  messageCel:
    "'\"' + self + '\" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length'",
  check: (self) =>
    isIp(self)
      ? undefined
      : `"${self}" is not an IP address: give an IPv4 or IPv6 address without leading zeros, zone or prefix length`,
};

/** The longest run of zeros, the first of several, becomes `::`; a single zero group stays. */
function ipv6Text(groups: readonly number[]): string {
  const digits = groups.map((group) => group.toString(16));
  const runs = digits.map((_, start) => digits.slice(start).findIndex((group) => group !== "0"));
  const lengths = runs.map((length, start) => (length < 0 ? digits.length - start : length));
  const longest = Math.max(...lengths);
  if (longest < 2) return digits.join(":");
  const start = lengths.indexOf(longest);
  return `${digits.slice(0, start).join(":")}::${digits.slice(start + longest).join(":")}`;
}

function parseIpv4(text: string): readonly number[] | undefined {
  const parts = text.split(".");
  const valid = parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
  return valid ? parts.map(Number) : undefined;
}

function isPlainIpv6(text: string): boolean {
  const groups = parseIpv6(text);
  if (!groups) return false;
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return !mapped;
}

/** The eight groups of an IPv6 address; RFC 4291 section 2.2, zones refused. */
function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] ?? "", halves.length === 1), groupsOf(halves[1] ?? "", true)];
  if (!head || !tail) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  const missing = 8 - head.length - tail.length;
  return missing >= 1 ? [...head, ...Array<number>(missing).fill(0), ...tail] : undefined;
}

/** Groups between colons; only the last part of the whole address may be a dotted IPv4 address. */
function groupsOf(text: string, endsAddress: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    const dotted = endsAddress && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (dotted) groups.push(pair(dotted, 0), pair(dotted, 2));
    else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function pair(bytes: readonly number[], at: number): number {
  return (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
}
