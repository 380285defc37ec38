/** What the addresses of each provider can do, for code that has no token and makes no call. */

import type { AddressCapabilities, IpFamily } from "./types.js";

/** As DigitalOcean's cloud controller manager writes it: `digitalocean://<droplet id>`. */
export const PROVIDER_ID_SCHEME = "digitalocean";

/** At most 16 digits, so that a number holds it. */
export const DROPLET_ID = { pattern: /^[1-9][0-9]{0,15}$/, text: "<droplet id>" } as const;

export const DIGITALOCEAN_ADDRESSES: AddressCapabilities = {
  providerIdScheme: PROVIDER_ID_SCHEME,
  machineId: DROPLET_ID,
  families: ["IPv4", "IPv6"],
  addressesPerNode: 1,
  regional: true,
  movesHeld: true,
  createsOnNode: ["IPv4"],
  translates: { families: ["IPv4"], to: "the anchor address of the Droplet" },
};

const ADDRESS_CAPABILITIES: Readonly<Record<string, AddressCapabilities>> = { digitalocean: DIGITALOCEAN_ADDRESSES };

/** `undefined`: this release does not know the provider, or it has no addresses. */
export function addressCapabilities(provider: string): AddressCapabilities | undefined {
  return Object.hasOwn(ADDRESS_CAPABILITIES, provider) ? ADDRESS_CAPABILITIES[provider] : undefined;
}

/** What an address costs while no machine holds it. */
export interface IdlePrice {
  readonly usdPerMonth: Readonly<Record<IpFamily, number>>;
  readonly source: string;
}

const IDLE_PRICES: Readonly<Record<string, IdlePrice>> = {
  digitalocean: {
    usdPerMonth: { IPv4: 5, IPv6: 0 },
    source: "https://docs.digitalocean.com/products/networking/reserved-ips/details/pricing/",
  },
};

/** List price; a contract may say otherwise. `undefined`: not known. */
export function idlePrice(provider: string): IdlePrice | undefined {
  return Object.hasOwn(IDLE_PRICES, provider) ? IDLE_PRICES[provider] : undefined;
}
