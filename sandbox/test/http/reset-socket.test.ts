import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { resetSocket } from "../../src/http/reset-socket.js";

describe("the reset of a socket", () => {
  let server: Server;
  let client: Socket;
  let socket: Socket;
  beforeEach(async () => {
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const accepted = once(server, "connection") as Promise<[Socket]>;
    client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    [socket] = await accepted;
  });
  afterEach(async () => {
    client.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it("is seen as one by the other side", async () => {
    const failure = new Promise<NodeJS.ErrnoException>((resolve) => client.on("error", resolve));
    resetSocket(socket);
    expect(await failure).to.have.property("code", "ECONNRESET");
  });

  it("closes one that is being closed already, without an error", async () => {
    client.on("error", () => {});
    const closed = once(socket, "close");
    socket.end("x");
    resetSocket(socket);
    await closed;
  });
});
