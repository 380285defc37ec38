import type { KubeStatus } from "./resource-path.js";

/** The server rejected a request. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly body: KubeStatus,
    request: string,
  ) {
    super(`${request}: ${status} ${body.reason ?? ""} ${body.message ?? ""}`.trimEnd());
  }

  /** The machine-readable reason, such as `NotFound`. */
  get reason(): string | undefined {
    return this.body.reason;
  }
}
