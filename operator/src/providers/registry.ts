/** Which providers there are: those with credentials in the environment, and one for each issuer's Secret. */

import { DEFAULT_SECRET, type ProviderFacts, type ProviderService } from "cdk8s-flipop/api";
import type { Logger, Redactor } from "../logging.js";
import { failureText, unusableProvider } from "../messages/failed-calls.js";
import { TOKEN_FILE_MAX_AGE_MS } from "../timings.js";
import { omitUndefined } from "../values.js";
import type { CallContext, CallRunner } from "./call.js";
import { type Credentials, fixedToken, PushedToken, TokenFile, tokenHash } from "./credentials.js";
import { type AccountOnRecord, SameAccount } from "./layers/account-guard.js";
import { TokenGuards } from "./layers/circuit-breaker.js";
import {
  callStack,
  type ProviderSet,
  type StackOptions,
  tokenlessStack,
  withMutationLayers,
} from "./layers/compose.js";
import type { AuditSink } from "./layers/mutations.js";
import type { RateLimit } from "./layers/rate-windows.js";
import type { ProviderProbes } from "./probes.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What a provider is built from. */
export interface ProviderSetup {
  readonly credentials: Credentials;
  /** Sends through all layers: the only way to the API. */
  readonly run: CallRunner;
  /** Base URL that may carry a path. Absent: the provider's own. */
  readonly baseUrl?: string;
  readonly userAgent: string;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env: Env;
  /** Wall clock, for dates in answers. */
  readonly now: () => number;
  /** ms, for ages. */
  readonly monotonic: () => number;
}

/** For the client of an API. */
export type ClientOptions = Omit<ProviderSetup, "monotonic"> & { readonly baseUrl: string };

/** A kind of provider: one entry of the table in kinds.ts. */
export interface ProviderKind
  extends Pick<ProviderFacts, "name" | "tokenVariable" | "urlVariable" | "userAgentVariable"> {
  readonly rateLimits: readonly RateLimit[];
  /** Whether addresses move through its API: a share of every limit is reserved for moves then. @default true */
  readonly movesAddresses?: boolean;
  /** The API counts a user's calls over all tokens: they share one budget here, rotated tokens included. @default false */
  readonly countsAllTokens?: boolean;
  readonly probes: ProviderProbes;
  build(setup: ProviderSetup): ProviderSet;
}

export interface RegistryOptions extends StackOptions {
  readonly kinds: readonly ProviderKind[];
  readonly env: Env;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly audit: AuditSink;
  /** Of calls where no variable says otherwise. */
  readonly userAgent: string;
}

/** A provider that a resource names is not there. The text says what is, and what to do. */
export class UnknownProviderError extends Error {
  override readonly name = "UnknownProviderError";

  constructor(
    readonly provider: string,
    readonly service: ProviderService,
  ) {
    super(failureText(unusableProvider(provider, service)));
  }
}

/** The token of an issuer's Secret. */
export interface IssuedToken {
  readonly token: string;
  /** Where it is, for people. */
  readonly place?: string;
  /** Key of the account that the issuer has on record: the operator refuses a token of another one. It counts with the first token. */
  readonly account?: string;
}

interface Issued {
  readonly token: PushedToken;
  readonly provider: string;
  readonly set: ProviderSet;
  hash: string;
}

export class ProviderRegistry {
  private readonly sets = new Map<string, ProviderSet>();
  private readonly issued = new Map<string, Issued>();
  private readonly guards: TokenGuards;
  private readonly listeners: ((set: ProviderSet) => void)[] = [];
  private readonly tokenListeners: ((set: ProviderSet) => void)[] = [];
  private readonly own: Credentials[] = [];

  /** Registers every kind that has credentials in the environment. */
  constructor(private readonly options: RegistryOptions) {
    this.guards = new TokenGuards(options);
    options.metrics.limitWait?.readFrom(() => this.guards.limitSeconds());
    for (const kind of options.kinds) {
      const credentials = this.credentialsOf(kind);
      if (credentials === undefined) continue;
      this.own.push(credentials);
      this.sets.set(kind.name, this.build(kind, credentials));
    }
  }

  /** It knows the tokens of all providers. */
  get redactor(): Redactor {
    return this.options.redactor;
  }

  /** Names of the registered providers, sorted. */
  get names(): readonly string[] {
    return [...this.sets.keys()].sort();
  }

  /**
   * @param service what the caller needs of it, for the text of the error
   * @throws UnknownProviderError with the providers that have it, or how to register this one.
   */
  get(name: string, service: ProviderService): ProviderSet {
    const set = this.sets.get(name);
    if (set === undefined) throw new UnknownProviderError(name, service);
    return set;
  }

  /**
   * The provider of an issuer, with the token of its Secret. Call it again when the Secret changes: the same
   * connections and limits go on with the new token.
   * @param key `namespace/name` of the issuer.
   */
  issue(key: string, provider: string, { token, place = "", account }: IssuedToken): ProviderSet {
    const hash = tokenHash(token);
    const known = this.issued.get(key);
    if (known?.provider === provider) {
      if (known.hash !== hash || known.token.place() !== place) known.token.set(token, place);
      known.hash = hash;
      return known.set;
    }
    const kind = this.options.kinds.find(({ name }) => name === provider);
    if (kind === undefined) throw new UnknownProviderError(provider, "addresses");
    const pushed = new PushedToken(this.redactor);
    pushed.set(token, place);
    const set = this.build(kind, pushed, { name: key, ...omitUndefined({ account }) });
    const previous = this.withdraw(key);
    previous.catch((error: unknown) =>
      this.options.logger.warn({ error, issuer: key }, "cannot close the connections of a former token"),
    );
    this.issued.set(key, { token: pushed, provider, set, hash });
    return set;
  }

  /** A provider without credentials. Its calls pass the layers, except those that are about tokens and their limits. */
  add(name: string, build: (run: CallRunner) => ProviderSet): void {
    this.sets.set(name, withMutationLayers(build(tokenlessStack(this.options)), this.options));
  }

  /** Announces each issuer's provider before it is closed: its readers must stop. */
  onWithdraw(listener: (set: ProviderSet) => void): void {
    this.listeners.push(listener);
  }

  /** Announces each provider whose token another one has replaced: what the former one failed may be tried at once. */
  onTokenReplaced(listener: (set: ProviderSet) => void): void {
    this.tokenListeners.push(listener);
  }

  /** Looks for other tokens in the files, until the signal. */
  async followFiles(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.options.clock.sleep(TOKEN_FILE_MAX_AGE_MS, signal).catch(() => undefined);
      for (const credentials of this.own) credentials.renew();
    }
  }

  /** The issuer is gone, and nothing uses it any more. */
  async withdraw(key: string): Promise<void> {
    const issued = this.issued.get(key);
    this.issued.delete(key);
    if (issued === undefined) return;
    for (const listener of this.listeners) listener(issued.set);
    await issued.set.close();
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const all = [...this.sets.values(), ...[...this.issued.values()].map(({ set }) => set)];
    this.sets.clear();
    this.issued.clear();
    await Promise.all(all.map((set) => set.close()));
  }

  private credentialsOf({ tokenVariable }: ProviderKind): Credentials | undefined {
    const { env, redactor, logger, clock } = this.options;
    const token = env[tokenVariable]?.trim();
    if (token) return fixedToken(token, redactor, placeOf(tokenVariable));
    const path = env[`${tokenVariable}_FILE`]?.trim();
    return path ? new TokenFile({ path, clock, redactor, logger }) : undefined;
  }

  private build(kind: ProviderKind, credentials: Credentials, issuer?: AccountOnRecord): ProviderSet {
    const { env, userAgent, clock } = this.options;
    const baseUrl = env[kind.urlVariable]?.trim();
    const changes = "onReplaced" in credentials;
    const account = changes ? new SameAccount(credentials, (context) => keyOf(built, context), issuer) : undefined;
    const built = kind.build({
      credentials,
      run: callStack(this.options, credentials, (token) => this.guards.of(kind, token), account),
      ...(baseUrl ? { baseUrl } : {}),
      userAgent: env[kind.userAgentVariable]?.trim() || userAgent,
      env,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    });
    const guard = () => this.guards.of(kind, credentials.token());
    const waits: Pick<ProviderSet, "longWait" | "creationTurn"> = {
      longWait: (priority) => guard().limiter.longWait(priority),
      creationTurn: (family, requester) => guard().groups.get(`${family} creations`)?.turnOf(requester),
    };
    const set = withAccountKey(withMutationLayers({ ...built, ...waits }, this.options), account);
    if (changes)
      credentials.onReplaced = () => {
        for (const listener of this.tokenListeners) listener(set);
      };
    return set;
  }
}

/** Whoever opens the inventory of an account asks for its key first. */
function withAccountKey(set: ProviderSet, account: SameAccount | undefined): ProviderSet {
  const { addresses } = set;
  if (account === undefined || addresses === undefined) return set;
  return { ...set, addresses: { ...addresses, accountKey: (context) => account.accountKey(addresses.name, context) } };
}

async function keyOf({ addresses, dns }: ProviderSet, context: CallContext): Promise<string> {
  const provider = addresses ?? dns;
  if (provider === undefined) throw new Error("a provider has neither addresses nor DNS");
  return provider.accountKey(context);
}

function placeOf(variable: string): string {
  return `entry ${variable} of its own Secret (by default ${DEFAULT_SECRET}; restart the operator after a change)`;
}
