/** Tokens: from the environment, from a file that is read again, from a Secret that is pushed in. They are never logged. Facts about a token are read once for each. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Clock } from "../clock.js";
import type { Logger, Redactor } from "../logging.js";
import { TOKEN_FILE_MAX_AGE_MS } from "../timings.js";
import { type CallContext, sharedRead, Urgency } from "./call.js";
import { isProviderError, unlessAborted } from "./errors.js";

/** Where a provider gets its token. Reading it takes no await, so that nothing comes between the fence and the call. */
export interface Credentials {
  /** The token now. Empty: there is none at the moment; the call fails as Unauthorized without being sent. */
  token(): string;
  /** The API refused the token: looks for another one. `token` is the new one then. */
  renew(): void;
  /** Where the token comes from, for the person who replaces it; empty: not known. */
  place(): string;
  /** Called when another token has replaced the former one. Absent: the token stays the same. */
  onReplaced?: () => void;
}

/** A short fingerprint that distinguishes tokens and reveals nothing of them. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 16);
}

/** One token for the life of the process. */
export function fixedToken(token: string, redactor: Redactor, place = ""): Credentials {
  redactor.add(token);
  return { token: () => token.trim(), renew: () => undefined, place: () => place };
}

/** A token that others replace: that of an issuer's Secret. */
export class PushedToken implements Credentials {
  onReplaced: () => void = () => undefined;
  private current = "";
  private from = "";

  constructor(private readonly redactor: Redactor) {}

  /** The last one stays in use until another comes. */
  set(token: string, place = ""): void {
    this.redactor.add(token);
    const replaced = this.current !== token.trim();
    this.current = token.trim();
    this.from = place;
    if (replaced) this.onReplaced();
  }

  place(): string {
    return this.from;
  }

  token(): string {
    return this.current;
  }

  /** Nothing: another one is pushed in when there is one. */
  renew(): void {}
}

interface TokenFileOptions {
  readonly path: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly redactor: Redactor;
  readonly logger: Logger;
}

/**
 * A token in a file, as a mounted Secret is: read again after `TOKEN_FILE_MAX_AGE_MS` and when the API refuses it. The
 * last good one stays in use while the file cannot be read.
 */
export class TokenFile implements Credentials {
  onReplaced: () => void = () => undefined;
  private current = "";
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: TokenFileOptions) {}

  token(): string {
    if (this.options.clock.monotonic() - this.readAt >= TOKEN_FILE_MAX_AGE_MS) this.read();
    return this.current;
  }

  renew(): void {
    this.read();
  }

  place(): string {
    return `file ${this.options.path} of its pod, which is an entry of its own Secret`;
  }

  private read(): void {
    const { path, clock, redactor, logger } = this.options;
    this.readAt = clock.monotonic();
    try {
      const text = readFileSync(path, "utf8").trim();
      if (text === "") throw new Error("the file is empty");
      redactor.add(text);
      if (this.current === text) return;
      if (this.current !== "") logger.info({ path }, "the token file has another token, which the operator uses now");
      this.current = text;
      this.onReplaced();
    } catch (error) {
      logger.warn(
        { path, error, lastGoodTokenInUse: this.current !== "" },
        "cannot read the token file; check that the Secret is mounted and has this key",
      );
    }
  }
}

interface OncePerTokenOptions<T> {
  /** For the error of a caller that gives up: `digitalocean: read the account`. */
  readonly where: string;
  /** The token in use. */
  token(): string;
  /** @param hash the token's fingerprint */
  ask(context: CallContext, hash: string): Promise<T>;
}

/** A failure is not kept: whoever comes next asks again. */
export class OncePerToken<T> {
  private known: { readonly hash: string; readonly urgency: Urgency; readonly answer: Promise<T> } | undefined;

  constructor(private readonly options: OncePerTokenOptions<T>) {}

  read({ why, priority, signal }: CallContext): Promise<T> {
    const { where, token, ask } = this.options;
    const hash = tokenHash(token());
    if (this.known?.hash !== hash) {
      const urgency = new Urgency(priority);
      const entry = { hash, urgency, answer: ask(sharedRead(why, urgency), hash) };
      this.known = entry;
      entry.answer.catch(() => {
        if (this.known === entry) this.known = undefined;
      });
    }
    this.known.urgency.raise(priority);
    return unlessAborted(signal, where, this.known.answer);
  }
}

/** In the place of an account that the token does not show. */
function keyOfToken(hash: string): string {
  return `token-${hash}`;
}

export function isKeyOfToken(key: string): boolean {
  return key.startsWith(keyOfToken(""));
}

/** Whether two keys may be of one account. One token of Cloudflare may see several accounts. */
export function isSameAccount(one: string, other: string): boolean {
  if (isKeyOfToken(one) || isKeyOfToken(other)) return true;
  const ids = new Set(one.split("+"));
  return other.split("+").some((id) => ids.has(id));
}

interface AccountQuestion {
  readonly where: string;
  /** The token in use. */
  token(): string;
  /** `undefined`: the token sees no account. */
  read(context: CallContext): Promise<string | undefined>;
}

/** The account that a token belongs to. A token that may not read the account is identified by its hash. */
export function accountKeyOf({ where, token, read }: AccountQuestion): OncePerToken<string> {
  const ask = async (context: CallContext, hash: string) => {
    try {
      return (await read(context)) ?? keyOfToken(hash);
    } catch (error) {
      // 403: a valid token without this right.
      if (isProviderError(error, "Unauthorized") && error.status === 403) return keyOfToken(hash);
      throw error;
    }
  };
  return new OncePerToken({ where, token, ask });
}
