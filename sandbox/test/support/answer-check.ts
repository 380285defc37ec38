import type { AnswerListener } from "../../src/http/message.js";
import type { ObservedAnswer, ObservedRequest } from "./openapi.js";

/** Checks every answer of a simulator against a description, as the client gets it. */
export class AnswerCheck {
  private problem: Error | undefined;

  constructor(private readonly check: (request: ObservedRequest, answer: ObservedAnswer) => void) {}

  /** For a simulator's `onAnswer`. Requests that no route fits are not looked at. */
  readonly listen: AnswerListener = ({ method, path, query, body: sent, route }, { status, headers = {}, body }) => {
    if (route === undefined || this.problem !== undefined) return;
    const search = query.size === 0 ? "" : `?${query.toString()}`;
    const content = body === undefined ? {} : { "content-type": "application/json" };
    // As on the wire: without members that are undefined.
    const seen = body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown);
    try {
      this.check(
        { method, path: `${path}${search}`, body: sent },
        { status, headers: { ...content, ...headers }, body: seen },
      );
    } catch (error) {
      this.problem = error instanceof Error ? error : new Error(String(error));
    }
  };

  /** Throws for the first answer that is not as described. */
  done(): void {
    if (this.problem !== undefined) throw this.problem;
  }
}
