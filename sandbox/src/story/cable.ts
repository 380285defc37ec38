/**
 * The line between one operator and one API. Cut, it is dead for good: seen from the API, the operator that had it was
 * killed in that moment, whatever it still tries.
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface CableOptions {
  /** Base URL of the API on the loopback. */
  readonly to: string;
  /** Called for everything that goes over the line. */
  readonly traffic: () => void;
}

export class Cable {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private port = 0;

  private constructor(private readonly options: CableOptions) {
    this.server = createServer((socket) => this.accept(socket));
  }

  static async open(options: CableOptions): Promise<Cable> {
    const cable = new Cable(options);
    await new Promise<void>((resolve, reject) => {
      cable.server.once("error", reject);
      cable.server.listen({ host: "127.0.0.1", port: 0 }, resolve);
    });
    cable.port = (cable.server.address() as AddressInfo).port;
    return cable;
  }

  /** The API's base URL for whoever uses this line. */
  get url(): string {
    const url = new URL(this.options.to);
    url.port = String(this.port);
    return url.href.replace(/\/$/, "");
  }

  /** Resets what is open, refuses what comes. */
  async cut(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  private accept(near: Socket): void {
    const far = connect({ host: "127.0.0.1", port: Number(new URL(this.options.to).port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("data", () => this.options.traffic());
      // "close" follows, and ends the other side.
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
