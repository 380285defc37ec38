import { isIPv4, isIPv6 } from "node:net";

const OCTET = 256;

/** An IPv4 address as a number: DigitalOcean names addresses so in its actions. */
export function numberOf(ip: string): number {
  return ip.split(".").reduce((value, octet) => value * OCTET + Number(octet), 0);
}

/** The shortest form of an IPv6 address in lower case; undefined if the text is not an IPv6 address. */
export function shortIpv6(ip: string): string | undefined {
  return isIPv6(ip) ? new URL(`http://[${ip}]/`).hostname.slice(1, -1) : undefined;
}

/** Whether an IPv4 address can be used in a prefix: the first and the second of the range are reserved. */
export function isUsableIn(prefix: string, ip: string): boolean {
  if (!isIPv4(ip)) return false;
  const [base = "", bits = "32"] = prefix.split("/");
  const offset = numberOf(ip) - numberOf(base);
  return offset >= 2 && offset < 2 ** (32 - Number(bits));
}

/** Whether the text is an address or a CIDR range of either family. */
export function isAddressOrCidr(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  if (rest.length > 0) return false;
  const longest = isIPv4(address) ? 32 : 128;
  if (!isIPv4(address) && !isIPv6(address)) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
}
