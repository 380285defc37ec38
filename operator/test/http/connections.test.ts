import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { HttpConnections, type HttpRequest } from "../../src/http/connections.js";
import { CONNECT_TIMEOUT, PROXY_REFUSED } from "../../src/http/connector.js";
import { errorOf } from "../support/http-rig.js";
import { until } from "../support/time/until.js";

const LIMITS = { keepAliveMs: 5_000, connectTimeoutMs: 5_000 };

describe("connections to a server", () => {
  let server: Server;
  let handler: (request: IncomingMessage, response: ServerResponse) => void;
  const sockets = new Set<Socket>();
  const open: HttpConnections[] = [];

  beforeEach(async () => {
    sockets.clear();
    handler = (_request, response) => void response.end("ok");
    server = createServer((request, response) => handler(request, response));
    server.on("connection", (socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((connections) => connections.destroy()));
    await new Promise((resolve) => server.close(resolve));
  });

  const port = () => (server.address() as AddressInfo).port;
  const request = (more: Partial<HttpRequest> = {}): HttpRequest => {
    return { method: "GET", origin: `http://127.0.0.1:${port()}`, path: "/", headers: {}, ...more };
  };
  const make = (options: Partial<ConstructorParameters<typeof HttpConnections>[0]> = {}) => {
    const made = new HttpConnections({ ...LIMITS, ...options });
    open.push(made);
    return made;
  };
  const text = async (answer: Promise<IncomingMessage>) => {
    let read = "";
    for await (const chunk of await answer) read += String(chunk);
    return read;
  };

  it("are no more than allowed: further requests wait, and are sent", async () => {
    const connections = make({ connections: 2 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => text(connections.send(request()))));
    expect(answers).to.deep.equal(Array(10).fill("ok"));
    expect(sockets.size).to.be.at.most(2);
  });

  it("give up a request that waits for one, with the signal's reason", async () => {
    handler = () => {};
    const connections = make({ connections: 1 });
    const first = errorOf(connections.send(request()));
    await until("it has arrived", () => sockets.size === 1);
    const stop = new AbortController();
    const second = errorOf(connections.send(request({ signal: stop.signal })));
    const reason = new Error("stop");
    stop.abort(reason);
    expect(await second).to.equal(reason);
    await connections.destroy();
    expect(await first).to.include({ name: "ConnectionsClosed" });
  });

  it("send the body of every method with its length", async () => {
    const seen: string[] = [];
    handler = (incoming, response) => {
      let body = "";
      incoming.on("data", (chunk) => {
        body += String(chunk);
      });
      incoming.on("end", () => {
        seen.push(`${incoming.method} ${incoming.headers["content-length"]} ${body}`);
        response.end();
      });
    };
    const connections = make();
    for (const method of ["POST", "DELETE", "PATCH"]) await text(connections.send(request({ method, body: "é" })));
    expect(seen).to.deep.equal(["POST 2 é", "DELETE 2 é", "PATCH 2 é"]);
  });

  it("write nothing of a request that is refused at the last moment", async () => {
    let arrived = 0;
    handler = (_request, response) => {
      arrived++;
      response.end();
    };
    const refusal = new Error("the lease is lost");
    const beforeWrite = () => {
      throw refusal;
    };
    const connections = make();
    expect(await errorOf(connections.send(request({ beforeWrite })))).to.equal(refusal);
    await text(connections.send(request()));
    expect(await errorOf(connections.send(request({ beforeWrite })))).to.equal(refusal);
    expect(arrived).to.equal(1);
  });

  it("let answers end when they retire, and close then", async () => {
    let finish: (() => void) | undefined;
    handler = (_request, response) => {
      response.write("begun ");
      finish = () => response.end("ended");
    };
    const connections = make();
    const answer = await connections.send(request());
    const retired = connections.retire();
    finish?.();
    expect(await text(Promise.resolve(answer))).to.equal("begun ended");
    await retired;
    await until("the socket is closed", () => [...sockets].every((socket) => socket.destroyed));
  });

  it("are not waited for longer than allowed", async () => {
    // It accepts connections, and never answers the beginning of TLS.
    const silent = createTcpServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const error = await errorOf(make({ connectTimeoutMs: 30 }).send(request({ origin })));
    expect(error).to.include({ code: CONNECT_TIMEOUT });
    silent.close();
  });

  it("say so where the proxy refuses the tunnel, or gives no answer", async () => {
    const proxy = createServer().on("connect", (incoming, socket) => {
      if (incoming.url !== "silent.test:443") socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const refused = await errorOf(make({ proxyUrl }).send(request({ origin: "https://api.test" })));
    expect(refused).to.include({ code: PROXY_REFUSED });
    expect(String(refused)).to.match(/answered 403 to CONNECT/);
    const late = make({ proxyUrl, connectTimeoutMs: 30 }).send(request({ origin: "https://silent.test" }));
    expect(await errorOf(late)).to.include({ code: CONNECT_TIMEOUT });
    const abandoned = make({ proxyUrl });
    const pending = errorOf(abandoned.send(request({ origin: "https://silent.test" })));
    await abandoned.destroy();
    expect(await pending).to.include({ name: "ConnectionsClosed" });
    proxy.closeAllConnections();
    proxy.close();
  });
});
