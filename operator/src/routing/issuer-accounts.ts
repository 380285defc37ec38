/** The accounts of issuers: each with the token of its Secret, the last good one for as long as somebody uses it. */

import type { IpFamily, RoutedIPIssuerSpec } from "cdk8s-flipop/api";
import { AddressAccount } from "../addresses/accounts/address-account.js";
import type { ControllerContext } from "../controllers/context.js";
import { credentialMessages } from "../messages/issuers-and-classes.js";
import type { Problem } from "../messages/message.js";
import { providerMessages, serverMessages } from "../messages/provider.js";
import { isSameAccount } from "../providers/credentials.js";
import { PROVIDER_KINDS } from "../providers/kinds.js";
import type { ProviderSet } from "../providers/layers/compose.js";
import { UnknownProviderError } from "../providers/registry.js";
import { listed, omitUndefined } from "../values.js";
import type { IssuerRead } from "./read-resources.js";
import type { RoutingSettings } from "./shared-caches.js";

export interface IssuedAccount {
  readonly providers: ProviderSet;
  addresses(family: IpFamily): AddressAccount | Problem;
  /** Another token has replaced the former one. */
  credentialsReplaced(): void;
}

interface Known {
  readonly provider: string;
  readonly account: IssuedAccount;
}

export interface AccountAnswer {
  /** Absent: nothing good was ever there. */
  readonly account?: IssuedAccount;
  /** What is wrong with the credentials now; the last good ones go on. */
  readonly problem?: Problem;
}

export class IssuerAccounts {
  private readonly known = new Map<string, Known>();

  constructor(
    private readonly context: Pick<ControllerContext, "providers" | "clock" | "inventories">,
    private readonly settings: RoutingSettings,
    private readonly secret: (key: string) => SecretAnswer,
  ) {
    context.providers.onTokenReplaced((set) => {
      for (const { account } of this.known.values()) if (account.providers === set) account.credentialsReplaced();
    });
  }

  /** An account that is not the one on record counts as not there. */
  of(issuer: IssuerRead): AccountAnswer {
    const answer = this.ofToken(issuer);
    const { account: recorded } = issuer.status;
    const seen = answer.account && keyOfAccount(answer.account);
    if (!seen || !recorded || isSameAccount(seen, recorded)) return answer;
    return { problem: providerMessages.otherAccountOfIssuer({ issuer: keyOfIssuer(issuer.metadata) }) };
  }

  private ofToken(issuer: IssuerRead): AccountAnswer {
    const { namespace = "", name, deletionTimestamp } = issuer.metadata;
    const { provider } = issuer.spec;
    const key = `${namespace}/${name}`;
    const known = this.known.get(key);
    const answer = this.credentials(issuer.spec, { namespace, name, leaving: deletionTimestamp !== undefined });
    if (answer.from === "nowhere") {
      const { problem } = answer;
      return known?.provider === provider ? { account: known.account, problem } : { problem };
    }
    const set = this.providers(issuer, answer);
    if (!("close" in set)) return { problem: set };
    if (known?.account.providers === set) return { account: known.account };
    const account = this.open({ issuer: key, provider }, set);
    this.known.set(key, { provider, account });
    return { account };
  }

  private credentials(
    spec: RoutedIPIssuerSpec,
    of: Pick<IssuerPlace, "namespace" | "name" | "leaving">,
  ): CredentialsAnswer {
    const { namespace: operatorNamespace, issuerNamespaces } = this.settings;
    const place = { ...of, operatorNamespace, issuerNamespaces };
    const key = secretOf(spec, place);
    const secret = key === undefined ? undefined : this.secret(key);
    const variable = PROVIDER_KINDS.find((kind) => kind.name === spec.provider)?.tokenVariable ?? "";
    return credentialsOf(spec, place, { secret, variable });
  }

  private providers(
    { metadata, spec: { provider }, status }: IssuerRead,
    answer: Exclude<CredentialsAnswer, { readonly from: "nowhere" }>,
  ): ProviderSet | Problem {
    const { providers } = this.context;
    const key = keyOfIssuer(metadata);
    try {
      return answer.from === "operator"
        ? providers.get(provider, "addresses")
        : providers.issue(key, provider, { ...answer, ...omitUndefined({ account: status.account }) });
    } catch (error) {
      if (!(error instanceof UnknownProviderError)) throw error;
      return providerMessages.issuerNotUsable({ provider, issuer: key });
    }
  }

  /** The issuer is gone, and no resource uses it any more. */
  async forget(key: string): Promise<void> {
    this.known.delete(key);
    await this.context.providers.withdraw(key);
  }

  private open(names: { readonly issuer: string; readonly provider: string }, providers: ProviderSet): IssuedAccount {
    const accounts = new Map<IpFamily, AddressAccount>();
    const { clock, inventories } = this.context;
    const { longWait, creationTurn } = providers;
    const tools = { clock, inventories, ...omitUndefined({ longWait, creationTurn }) };
    return {
      providers,
      credentialsReplaced: () => {
        for (const account of accounts.values()) account.credentialsReplaced();
      },
      addresses: (family) => {
        const { addresses } = providers;
        if (addresses?.capabilities.families.includes(family) !== true) {
          return providerMessages.issuerUnsupported({ ...names, family });
        }
        const account = accounts.get(family) ?? new AddressAccount(addresses, family, tools);
        accounts.set(family, account);
        return account;
      },
    };
  }
}

export interface IssuerPlace {
  /** Of the issuer. */
  readonly name: string;
  readonly namespace: string;
  /** The operator's own. */
  readonly operatorNamespace: string;
  /** Those whose Secrets the operator may read. */
  readonly issuerNamespaces: readonly string[];
  /** The issuer is being deleted. @default false */
  readonly leaving?: boolean;
}

/** A Secret as far as it matters: its decoded entries. */
export type SecretEntries = Readonly<Record<string, string>>;

/** `forbidden`: the operator may not read Secrets of the namespace. `undefined`: it does not exist. */
export type SecretAnswer = SecretEntries | "forbidden" | undefined;

export type CredentialsAnswer =
  /** Those of the operator itself. */
  | { readonly from: "operator" }
  | { readonly from: "secret"; readonly token: string; readonly place: string }
  /** Not to be had; a token that was good before stays in use. */
  | { readonly from: "nowhere"; readonly problem: Problem };

/** Which Secret is to be read; `undefined`: none, or none that may be. */
export function secretOf(spec: RoutedIPIssuerSpec, place: IssuerPlace): string | undefined {
  if (spec.credentialsSecretRef === undefined || !place.issuerNamespaces.includes(place.namespace)) return undefined;
  return `${place.namespace}/${spec.credentialsSecretRef.name}`;
}

/** @param variable of the provider's token: the key of a Secret whose reference names none. */
export function credentialsOf(
  spec: RoutedIPIssuerSpec,
  place: IssuerPlace,
  { secret, variable }: { readonly secret: SecretAnswer; readonly variable: string },
): CredentialsAnswer {
  const { namespace, operatorNamespace, issuerNamespaces } = place;
  const ref = spec.credentialsSecretRef;
  if (ref === undefined) return namespace === operatorNamespace ? { from: "operator" } : nowhere(secretNeeded(place));
  const issuer = keyOfIssuer(place);
  if (!issuerNamespaces.includes(namespace)) {
    return nowhere(credentialMessages.namespaceNotRead({ issuer, namespace, allowed: issuerNamespaces }));
  }
  const key = ref.key || variable;
  const name = `${namespace}/${ref.name}`;
  if (typeof secret !== "object")
    return nowhere(missingSecret(place, { secret: name, issuer, isForbidden: secret === "forbidden" }));
  const token = (Object.hasOwn(secret, key) && secret[key]?.trim()) || "";
  if (token !== "") return { from: "secret", token, place: placeOf(name, key, secret) };
  return nowhere(credentialMessages.keyMissing({ secret: name, key, issuer }));
}

/** Whoever renewed the token may have written another entry. */
function placeOf(name: string, key: string, secret: SecretEntries): string {
  const others = Object.keys(secret).filter((each) => each !== key);
  const beside = `${others.length === 1 ? "entry" : "entries"} ${listed(others.sort())}, which the operator does not read`;
  return `entry ${key} of Secret ${name}${others.length === 0 ? "" : ` (beside ${beside})`}`;
}

interface Missing {
  readonly secret: string;
  readonly issuer: string;
  readonly isForbidden: boolean;
}

/** The deletion of a namespace deletes Roles, too, and the namespace takes no new one. */
function missingSecret({ leaving = false, namespace }: IssuerPlace, { secret, issuer, isForbidden }: Missing): Problem {
  if (leaving) return credentialMessages.secretGone({ secret, issuer });
  if (isForbidden) return serverMessages.secretsForbidden({ issuer, namespace });
  return credentialMessages.secretMissing({ secret, issuer });
}

function secretNeeded(place: IssuerPlace): Problem {
  return credentialMessages.noSecretNamed({ issuer: keyOfIssuer(place), own: place.operatorNamespace });
}

function keyOfIssuer({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** `undefined`: it is not read yet, or the token may not read it. */
function keyOfAccount({ addresses }: IssuedAccount): string | undefined {
  const account = addresses("IPv4");
  return account instanceof AddressAccount ? account.key : undefined;
}

function nowhere(problem: Problem): CredentialsAnswer {
  return { from: "nowhere", problem };
}
