/** A service that a provider offers to resources. */
export type ProviderService = "addresses" | "dns" | "firewalls";

/** Facts about a provider for all code outside of the provider's own folder. */
export interface ProviderFacts {
  /** As in `spec.provider`. */
  readonly name: string;
  /** The provider's own spelling of its name. */
  readonly title: string;
  /** The prop of FlipopOperator, and the value of the Helm chart, with the provider's credentials. */
  readonly prop: string;
  /** Services of the provider; the operator's ProviderSet has the same parts. */
  readonly services: readonly ProviderService[];
  /** The variable with the API token, and the key of the token in the operator's Secret; `<variable>_FILE` names a file. */
  readonly tokenVariable: string;
  /** The variable with the base URL of the API. */
  readonly urlVariable: string;
  /** The variable with the User-Agent of the calls. */
  readonly userAgentVariable: string;
  /**
   * The forms of the provider's API tokens, which manifests must not contain: regular expressions without look-ahead,
   * which Helm does not support. A number means that many characters, including upper case, lower case and digits.
   */
  readonly tokenForms: readonly (string | number)[];
  /** Search keywords for the Helm chart. */
  readonly keywords: readonly string[];
  /** The TTLs in seconds that the provider's DNS supports. @default any */
  readonly ttl?: { readonly automatic?: number; readonly least: number; readonly most?: number };
  /** How many addresses a new account may have. @default not known */
  readonly addressQuota?: number;
}

/** Every provider, by its name: the source of flags, variables, props' checks, Helm values and reference pages. */
export const PROVIDERS = {
  digitalocean: {
    name: "digitalocean",
    title: "DigitalOcean",
    prop: "digitalOcean",
    services: ["addresses", "dns", "firewalls"],
    tokenVariable: "DIGITALOCEAN_ACCESS_TOKEN",
    urlVariable: "DIGITALOCEAN_API_URL",
    userAgentVariable: "DIGITALOCEAN_USER_AGENT",
    // Personal, OAuth and refresh tokens.
    tokenForms: ["[Dd][Oo][OPRopr]_[Vv]1_[0-9a-fA-F]{16,}"],
    keywords: ["digitalocean", "reserved-ip"],
    ttl: { least: 30 },
    addressQuota: 3,
  },
  cloudflare: {
    name: "cloudflare",
    title: "Cloudflare",
    prop: "cloudflare",
    services: ["dns"],
    tokenVariable: "CLOUDFLARE_TOKEN",
    urlVariable: "CLOUDFLARE_API_URL",
    userAgentVariable: "CLOUDFLARE_USER_AGENT",
    // Older tokens have no prefix; the mixed characters exclude commit hashes.
    tokenForms: [40, "cf[aku]t_[-_A-Za-z0-9]{20,}"],
    keywords: ["cloudflare"],
    ttl: { automatic: 1, least: 60, most: 86_400 },
  },
} as const satisfies Readonly<Record<string, ProviderFacts>>;

/** The provider of records that writes DNSEndpoint objects for external-dns; it needs no credentials. */
export const EXTERNAL_DNS = "external-dns";

/** The props of FlipopOperator that hold credentials. */
export type CredentialProp = (typeof PROVIDERS)[keyof typeof PROVIDERS]["prop"];

/** Every provider, in the order of the docs. */
export function allProviders(): readonly (ProviderFacts & { readonly prop: CredentialProp })[] {
  return Object.values(PROVIDERS);
}

/** The facts of a provider; undefined if this release does not support it. */
export function providerNamed(name: string): ProviderFacts | undefined {
  return allProviders().find((provider) => provider.name === name);
}

/**
 * An environment variable that configures a provider. The names equal those of the Go operator, if it has the variable.
 */
export interface ProviderVariable {
  readonly env: string;
  /** As in `spec.provider`. */
  readonly provider: string;
  /** The corresponding prop of FlipopOperator. */
  readonly prop: CredentialProp;
  /** Whether the value must never appear in output. */
  readonly secret: boolean;
  readonly description: string;
}

/** Every variable of the providers. */
export function providerVariables(): readonly ProviderVariable[] {
  return allProviders().flatMap(({ name: provider, prop, tokenVariable, urlVariable, userAgentVariable }) => {
    const of = { provider, prop };
    return [
      {
        env: tokenVariable,
        ...of,
        secret: true,
        description: "API token; without it the operator does not set up the provider",
      },
      {
        env: `${tokenVariable}_FILE`,
        ...of,
        secret: false,
        description: "File with the API token; the operator reads it every 10 s",
      },
      { env: urlVariable, ...of, secret: false, description: "Base URL of the API; may contain a path" },
      { env: userAgentVariable, ...of, secret: false, description: "User-Agent of the calls" },
    ];
  });
}
