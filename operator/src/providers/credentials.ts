/** Tokens: from the environment, from a file that is read again, from a Secret that is pushed in. Never logged. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { TOKEN_FILE_MAX_AGE_MS } from "../bounds.js";
import type { Clock } from "../clock.js";
import type { Logger } from "../logging.js";
import type { Redactor } from "../redactor.js";

/** Where a provider gets its token. Reading it takes no await, so that nothing comes between the fence and the call. */
export interface Credentials {
  /** The token now. Empty: there is none at the moment; the call fails as Unauthorized without being sent. */
  token(): string;
  /** The API refused the token: looks for another one. `token` is the new one then. */
  renew(): void;
}

/** A short fingerprint that distinguishes tokens and reveals nothing of them. */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 16);
}

/** One token for the life of the process. */
export function fixedToken(token: string, redactor: Redactor): Credentials {
  redactor.add(token);
  return { token: () => token.trim(), renew: () => undefined };
}

/** A token that others replace: that of an issuer's Secret. */
export class PushedToken implements Credentials {
  private current = "";

  constructor(private readonly redactor: Redactor) {}

  /** The last one stays in use until another comes. */
  set(token: string): void {
    this.redactor.add(token);
    this.current = token.trim();
  }

  token(): string {
    return this.current;
  }

  /** Nothing: another one is pushed in when there is one. */
  renew(): void {}
}

export interface TokenFileOptions {
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

  private read(): void {
    const { path, clock, redactor, logger } = this.options;
    this.readAt = clock.monotonic();
    try {
      const text = readFileSync(path, "utf8").trim();
      if (text === "") throw new Error("the file is empty");
      redactor.add(text);
      this.current = text;
    } catch (error) {
      logger.warn(
        { path, error, lastGoodTokenInUse: this.current !== "" },
        "cannot read the token file; check that the Secret is mounted and has this key",
      );
    }
  }
}
