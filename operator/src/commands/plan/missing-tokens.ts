/** Tokens that the environment of `flipop plan` lacks: the operator, whose Secret the command does not read, may have them. */

import { type ProviderService, providerNamed } from "cdk8s-flipop/api";
import { valuesIn } from "../../messages/message.js";
import { providerMessages } from "../../messages/provider.js";
import type { PlannedCondition } from "../../reconcile/conditions.js";
import { listed } from "../../values.js";

type Lack = Pick<PlannedCondition, "said">;

/** Names of the providers for which the condition says that there is no token. */
export function providersWithoutToken({ said }: Lack): readonly string[] {
  if (said === undefined) return [];
  const { issuerNotUsable, noDns, notSetUp, unknown } = providerMessages;
  const named = [
    ...[...valuesIn(said, notSetUp), ...valuesIn(said, issuerNotUsable)].map(needed("addresses")),
    ...valuesIn(said, noDns).map(needed("dns")),
    ...valuesIn(said, unknown),
  ];
  return [...new Set(named.filter(isSupported).map(({ provider }) => provider))];
}

function needed(service: ProviderService) {
  return ({ provider }: { readonly provider: string }) => ({ provider, service });
}

function isSupported({ provider, service }: { readonly provider: string; readonly service: ProviderService }): boolean {
  return providerNamed(provider)?.services.includes(service) === true;
}

/** The operator's remedy, its Secret, does not help here. */
export function ofThisCommand(condition: PlannedCondition): PlannedCondition {
  const names = providersWithoutToken(condition).map((name) => `"${name}"`);
  if (names.length === 0) return condition;
  return { ...condition, message: `this command has no token for provider ${listed(names)}` };
}

/** Variables of which each provider needs one. */
export function variablesFor(names: readonly string[]): readonly string[] {
  const variables = names.flatMap((name) => providerNamed(name)?.tokenVariable ?? []);
  return variables.map((variable) => `${variable} or ${variable}_FILE`);
}
