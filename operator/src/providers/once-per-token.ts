/** Facts about a token, such as whose it is: asked once for each token, whoever wants to know. */

import { type CallContext, sharedRead } from "./call.js";
import { tokenHash } from "./credentials.js";
import { unlessAborted } from "./unless-aborted.js";
import { Urgency } from "./urgency.js";

export interface OncePerTokenOptions<T> {
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
