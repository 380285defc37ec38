import { BlockList, isIP } from "node:net";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by the variables that Go clients honour: HTTPS_PROXY for https, HTTP_PROXY for http, either
 * case, NO_PROXY with hosts, domains (`example.com` and `.example.com`), `host:port`, addresses, CIDRs and `*`.
 * localhost and loopback addresses are never proxied.
 */
export function proxyFromEnv(url: URL, env: Env): string | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = variable(env, name);
  if (proxy === undefined || isLocal(hostOf(url)) || isExcluded(url, variable(env, "NO_PROXY") ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function variable(env: Env, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

/** Without the brackets of IPv6. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
}

function isLocal(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function isExcluded(url: URL, noProxy: string): boolean {
  const rules = noProxy
    .split(",")
    .map((rule) => rule.trim().toLowerCase())
    .filter((rule) => rule !== "");
  return rules.some((rule) => matches(url, rule));
}

function matches(url: URL, rule: string): boolean {
  const host = hostOf(url);
  if (rule === "*") return true;
  if (rule.includes("/")) return inCidr(host, rule);
  const [name, port] = splitPort(rule);
  if (port !== undefined && port !== portOf(url)) return false;
  if (isIP(name) !== 0) return host === name;
  const domain = name.replace(/^\*?\./, "");
  return host.endsWith(`.${domain}`) || (host === domain && !name.startsWith("."));
}

function splitPort(rule: string): [string, string | undefined] {
  if (isIP(rule) !== 0) return [rule, undefined];
  const found = /^\[?([^\]]*?)\]?:(\d+)$/.exec(rule);
  return found?.[1] === undefined ? [rule.replace(/^\[|\]$/g, ""), undefined] : [found[1], found[2]];
}

function portOf(url: URL): string {
  if (url.port !== "") return url.port;
  return url.protocol === "https:" ? "443" : "80";
}

function inCidr(host: string, cidr: string): boolean {
  const [base = "", bits = ""] = cidr.split("/");
  const family = isIP(host);
  if (family === 0 || isIP(base) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  block.addSubnet(base, Number(bits), kind);
  return block.check(host, kind);
}
