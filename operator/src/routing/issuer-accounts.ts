/** The accounts of issuers: each with the token of its Secret, the last good one for as long as somebody uses it. */

import type { IpFamily } from "cdk8s-flipop/api";
import { AddressAccount } from "../addresses/address-accounts.js";
import type { ControllerContext } from "../controllers/context.js";
import { PROVIDER_KINDS } from "../providers/kinds.js";
import type { ProviderSet } from "../providers/layers/compose.js";
import { UnknownProviderError } from "../providers/registry.js";
import type { Problem } from "../reconcile/conditions/problem.js";
import { type CredentialsAnswer, credentialsOf, type SecretEntries, secretOf } from "./issuer-credentials.js";
import type { Issuer } from "./resolved-class.js";
import type { RoutingSettings } from "./routing.js";

export interface IssuedAccount {
  readonly providers: ProviderSet;
  addresses(family: IpFamily): AddressAccount | Problem;
}

export interface AccountAnswer {
  /** Absent: nothing good was ever there. */
  readonly account?: IssuedAccount;
  /** What is wrong with the credentials now; the last good ones go on. */
  readonly problem?: Problem;
}

export class IssuerAccounts {
  private readonly known = new Map<string, { readonly provider: string; readonly account: IssuedAccount }>();

  constructor(
    private readonly context: Pick<ControllerContext, "providers" | "clock" | "inventories">,
    private readonly settings: RoutingSettings,
    private readonly secret: (key: string) => SecretEntries | undefined,
  ) {}

  of(issuer: Issuer): AccountAnswer {
    const { namespace = "", name } = issuer.metadata;
    const { provider } = issuer.spec;
    const key = `${namespace}/${name}`;
    const known = this.known.get(key);
    const answer = this.credentials(issuer.spec, namespace);
    if (answer.from === "nowhere") {
      const { problem } = answer;
      return known?.provider === provider ? { account: known.account, problem } : { problem };
    }
    const set = this.providers(key, provider, answer);
    if (!("close" in set)) return { problem: set };
    if (known?.account.providers === set) return { account: known.account };
    const account = this.open(provider, set);
    this.known.set(key, { provider, account });
    return { account };
  }

  private credentials(spec: Issuer["spec"], namespace: string): CredentialsAnswer {
    const { namespace: operatorNamespace, issuerNamespaces } = this.settings;
    const place = { namespace, operatorNamespace, issuerNamespaces };
    const key = secretOf(spec, place);
    const secret = key === undefined ? undefined : this.secret(key);
    const variable = PROVIDER_KINDS.find((kind) => kind.name === spec.provider)?.tokenVariable ?? "";
    return credentialsOf(spec, place, { secret, variable });
  }

  private providers(
    key: string,
    provider: string,
    answer: Exclude<CredentialsAnswer, { readonly from: "nowhere" }>,
  ): ProviderSet | Problem {
    const { providers } = this.context;
    try {
      return answer.from === "operator" ? providers.get(provider) : providers.issue(key, provider, answer.token);
    } catch (error) {
      if (!(error instanceof UnknownProviderError)) throw error;
      return { reason: "UnknownProvider", message: error.message };
    }
  }

  /** The issuer is gone, and no resource uses it any more. */
  async forget(key: string): Promise<void> {
    this.known.delete(key);
    await this.context.providers.withdraw(key);
  }

  private open(name: string, providers: ProviderSet): IssuedAccount {
    const accounts = new Map<IpFamily, AddressAccount>();
    const { clock, inventories } = this.context;
    return {
      providers,
      addresses: (family) => {
        const { addresses } = providers;
        if (addresses?.capabilities.families.includes(family) !== true) {
          return {
            reason: "Unsupported",
            message: `provider "${name}" has no ${family} addresses; use another provider`,
          };
        }
        const account = accounts.get(family) ?? new AddressAccount(addresses, family, { clock, inventories });
        accounts.set(family, account);
        return account;
      },
    };
  }
}
