import type { Readable } from "node:stream";
import { MAX_QUEUED_BYTES } from "../bounds.js";

/**
 * The chunks of a body as the socket delivered them; Node's own iterator would join those that wait. Where the reader is
 * slower, the body is paused, so that the socket fills up and the server waits.
 */
export class ChunkQueue {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private first = 0;
  private over = false;
  private error: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly body: Readable) {
    body.on("data", (chunk: Buffer) => this.add(chunk));
    body.on("end", () => this.end(undefined));
    body.on("error", (error) => this.end(error));
    body.on("close", () => this.end(new Error("the stream was closed before its end")));
  }

  /** The next chunk that has arrived; `undefined`: none, see {@link next}. */
  take(): Buffer | undefined {
    const chunk = this.chunks[this.first];
    if (chunk === undefined) return undefined;
    this.first++;
    this.bytes -= chunk.length;
    if (this.first === this.chunks.length) this.restart();
    return chunk;
  }

  /** Waits for a chunk. @returns `undefined` at the end; rejects with what broke the body. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.take();
      if (chunk !== undefined) return chunk;
      if (this.error !== undefined) throw this.error;
      if (this.over) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private restart(): void {
    this.chunks = [];
    this.first = 0;
    if (this.body.isPaused()) this.body.resume();
  }

  private add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes >= MAX_QUEUED_BYTES) this.body.pause();
    this.wake?.();
  }

  /** The first reason counts. */
  private end(error: Error | undefined): void {
    if (this.over) return;
    this.over = true;
    this.error = error;
    this.wake?.();
  }
}
