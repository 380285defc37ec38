/** Reads that show whether a token is accepted and which scopes it has. They change nothing. For `flipop doctor`. */

interface Probe {
  /** Below the base URL. */
  readonly path: string;
  /** The scope, as the provider names it. */
  readonly scope: string;
}

export interface ProviderProbes {
  /** Base URL, where no variable names one. */
  readonly baseUrl: string;
  readonly probes: readonly Probe[];
  /** Scopes that a read cannot show. */
  readonly unprobed: string;
  /** Where the account says how many addresses it may have: a path, and the fields in its answer. */
  readonly limits?: { readonly path: string; readonly fields: readonly string[]; readonly used: string };
}

export const PROBES: Readonly<Record<string, ProviderProbes>> = {
  digitalocean: {
    baseUrl: "https://api.digitalocean.com",
    probes: [
      { path: "/v2/reserved_ips?per_page=1", scope: "reserved_ip:read" },
      { path: "/v2/droplets?per_page=1", scope: "droplet:read" },
      { path: "/v2/domains?per_page=1", scope: "domain:read" },
      { path: "/v2/firewalls?per_page=1", scope: "firewall:read" },
      { path: "/v2/account", scope: "account:read" },
    ],
    unprobed: "reserved_ip:create/update/delete, domain:create/update/delete, firewall:create/update/delete, tag:read",
    limits: {
      path: "/v2/account",
      fields: ["account", "floating_ip_limit"],
      used: "/v2/reserved_ips?per_page=1",
    },
  },
  cloudflare: {
    baseUrl: "https://api.cloudflare.com/client/v4",
    probes: [{ path: "/zones?per_page=5", scope: "Zone:Read" }],
    unprobed: "DNS:Edit",
  },
};
