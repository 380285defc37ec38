/** The accounts whose tokens are in the environment of the command, through the operator's own providers. */

import { allProviders, RELEASE } from "cdk8s-flipop/api";
import { systemClock } from "../clock.js";
import { Redactor, silentLogger } from "../logging.js";
import { TOKEN_RIGHTS } from "../messages/failed-calls.js";
import { FIX } from "../messages/message.js";
import { flipopMetrics } from "../metrics/definitions.js";
import { MetricsRegistry } from "../metrics/registry.js";
import type { CallContext } from "../providers/call.js";
import { isProviderError, type ProviderError } from "../providers/errors.js";
import { PROVIDER_KINDS } from "../providers/kinds.js";
import { ProviderRegistry } from "../providers/registry.js";
import type { AddressFacts, AddressProvider } from "../providers/types.js";
import { openFence } from "../runtime/fence.js";
import { type CommandCall, CommandError } from "./command.js";

export interface AccountAddress {
  readonly provider: AddressProvider;
  readonly facts: AddressFacts;
}

type Work<T> = (providers: readonly AddressProvider[]) => Promise<T>;

/** @throws CommandError without any token, and where a provider refuses or does not answer */
export function withAccounts<T>(call: Pick<CommandCall, "io">, work: Work<T>): Promise<T> {
  return withKnownAccounts(call, async (providers) => {
    if (providers.length === 0) throw new CommandError(`no account is known: set ${variables()}`);
    return work(providers);
  });
}

/** Without any token, `work` gets no provider. @throws CommandError where a provider refuses or does not answer */
export async function withKnownAccounts<T>({ io }: Pick<CommandCall, "io">, work: Work<T>): Promise<T> {
  const redactor = new Redactor();
  const registry = new ProviderRegistry({
    ...{ kinds: PROVIDER_KINDS, env: io.env, redactor, logger: silentLogger, clock: systemClock },
    ...{ random: Math.random, metrics: flipopMetrics(new MetricsRegistry()), fence: openFence, dryRun: false },
    audit: () => undefined,
    userAgent: `flipop-cli/${RELEASE}`,
  });
  try {
    const providers = registry.names.flatMap((name) => registry.get(name, "addresses").addresses ?? []);
    return await work(providers);
  } catch (error) {
    if (isProviderError(error)) throw new CommandError(redactor.scrub(errorText(error)));
    throw error;
  } finally {
    await registry.close();
  }
}

/** The provider's own texts say what the operator does next. After a command, nothing runs on: a person has to act. */
function errorText(error: ProviderError): string {
  const { where, seen, ...failure } =
    error.reason === "CircuitOpen" && isProviderError(error.cause) ? error.cause : error;
  const isOwnLimit = failure.kind === "RateLimited" && failure.outcome === "not-sent";
  const said = isOwnLimit ? "the calls that the account allows are used up" : seen;
  return `${where}: ${said}${FIX}${remedyOf(failure)}`;
}

function remedyOf({ kind, reason, remedy }: Pick<ProviderError, "kind" | "reason" | "remedy">): string {
  if (kind === "Unavailable") return "check the network and the provider's status page, then try again";
  if (kind === "Unauthorized") {
    return reason === "LacksRight"
      ? `give the token of ${variables()} the rights that ${TOKEN_RIGHTS} lists`
      : `check the token of ${variables()}; flipop doctor says what is wrong with it`;
  }
  if (typeof remedy === "string") return remedy;
  return ["try again later", remedy.person ?? []].flat().join("; ");
}

function variables(): string {
  const holders = allProviders().filter(({ services }) => services.includes("addresses"));
  return holders.map(({ tokenVariable }) => `${tokenVariable} or ${tokenVariable}_FILE`).join(", or ");
}

/** @param why for the provider's audit. */
export function contextOf({ io }: Pick<CommandCall, "io">, why: string): CallContext {
  return { requester: { kind: "command", namespace: "", name: "" }, why, priority: "assignment", signal: io.stop };
}

/** All addresses of all accounts. */
export async function readAccounts(
  call: Pick<CommandCall, "io">,
  providers: readonly AddressProvider[],
): Promise<readonly AccountAddress[]> {
  const context = contextOf(call, "a person asks for all addresses");
  const lists = providers.flatMap((provider) =>
    provider.capabilities.families.map(async (family) => {
      const found = await provider.list(context, { family, named: [] });
      return found.map((facts) => ({ provider, facts }));
    }),
  );
  return (await Promise.all(lists)).flat();
}
