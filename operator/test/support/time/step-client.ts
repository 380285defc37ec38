import type { KubeClient, KubeRequest, KubeStream } from "../../../src/kube/client.js";

/** Passes everything on and calls `step` at each point where the caller waits: before and after calls and chunks. */
export class StepClient implements KubeClient {
  openStreams = 0;

  constructor(
    private readonly inner: KubeClient,
    private readonly step: () => void,
  ) {}

  async request<T>(request: KubeRequest): Promise<T> {
    this.step();
    try {
      return await this.inner.request<T>(request);
    } finally {
      this.step();
    }
  }

  async open(request: KubeRequest): Promise<KubeStream> {
    this.step();
    const stream = await this.inner.open(request);
    this.openStreams++;
    this.step();
    return this.wrap(stream);
  }

  private wrap(stream: KubeStream): KubeStream {
    let closed = false;
    const close = () => {
      if (!closed) this.openStreams--;
      closed = true;
      stream.close();
    };
    const step = this.step;
    async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of stream) {
        step();
        yield chunk;
        step();
      }
    }
    return { [Symbol.asyncIterator]: chunks, close };
  }
}
