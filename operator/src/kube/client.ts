/** The seam between everything that talks to the Kubernetes API and the transport that carries it. */

export type KubeMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Reads the protobuf answers of one kind. */
export interface BodyDecoder {
  list(bytes: Buffer): unknown;
  /** @param frame one event of a watch. */
  event(frame: Buffer): { readonly type: string; readonly object: unknown };
}

export interface KubeRequest {
  readonly method: KubeMethod;
  /** Absolute path on the API server, for example `/api/v1/nodes`. */
  readonly path: string;
  /** Query parameters; `undefined` leaves one out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @default application/json; for PATCH application/merge-patch+json */
  readonly contentType?: string;
  /**
   * The whole call, all attempts and waits included. For `open` it bounds the time to the response's headers only.
   * @default 30
   */
  readonly deadlineSeconds?: number;
  /**
   * Sends of this call altogether, where a retry is safe. `open` always sends once.
   * @default 5
   */
  readonly maxAttempts?: number;
  readonly signal?: AbortSignal;
  /** Asks for protobuf, and reads it where the answer is a list. The server may answer in JSON all the same. @default JSON */
  readonly decoder?: BodyDecoder;
}

export interface KubeClient {
  /** One call, answered in full. Rejects with StatusError, or with the network's own error. */
  request<T>(request: KubeRequest): Promise<T>;
  /** A streaming answer (watch). Resolves once a 200 has arrived; rejects as `request` does. */
  open(request: KubeRequest): Promise<KubeStream>;
}

/** The raw bytes of a streaming answer. Iteration ends on FIN and throws on RST or on the request's signal. */
export interface KubeStream extends AsyncIterable<Buffer> {
  /** Of the answer. @default JSON */
  readonly contentType?: string;
  /** Ends the stream and destroys its socket; safe to call twice. */
  close(): void;
}
