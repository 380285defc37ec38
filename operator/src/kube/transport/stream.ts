import type { Readable } from "node:stream";
import type { KubeStream } from "../client.js";
import { ChunkQueue } from "./chunk-queue.js";
import type { Deadline } from "./deadline.js";
import { toNetworkError } from "./network-error.js";

/** The body of a watch. Owns the request's abort scope from the moment the headers are there. */
export class BodyStream implements KubeStream {
  private closed = false;

  constructor(
    private readonly body: Readable,
    private readonly scope: Deadline,
    private readonly where: string,
    readonly contentType: string,
  ) {
    // An error after the reader has left (a reset while closing) is dropped.
    body.on("error", () => {});
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      const queue = new ChunkQueue(this.body);
      for (;;) {
        const chunk = queue.take() ?? (await queue.next());
        if (chunk === undefined) return;
        yield chunk;
      }
    } catch (error) {
      if (this.closed) return;
      this.scope.signal.throwIfAborted();
      throw toNetworkError(error, this.where);
    } finally {
      this.close();
    }
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.scope.dispose();
    this.body.destroy();
  }
}
