import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server as NetServer, type Socket } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { probeWithSocket } from "../../src/health/probe.js";
import type { ProbeResult } from "../../src/health/probe-state.js";
import type { ProbeTarget } from "../../src/health/target.js";
import { issue, makeAuthority } from "../support/certificates.js";
import { until } from "../support/time/until.js";

const HOST = "127.0.0.1";

describe("a probe with a real socket", () => {
  let server: NetServer | undefined;
  let sockets: Set<Socket>;
  let opened: number;

  beforeEach(() => {
    sockets = new Set();
    opened = 0;
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => (server?.listening ? server.close(() => resolve()) : resolve()));
  });

  async function listen(made: NetServer): Promise<number> {
    server = made;
    made.on("connection", (socket: Socket) => {
      opened += 1;
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => made.listen(0, HOST, resolve));
    return (made.address() as AddressInfo).port;
  }

  const http = (listener: RequestListener): Promise<number> => listen(createHttpServer(listener) satisfies Server);
  const status = (code: number) => http((_request, response) => response.writeHead(code).end("x".repeat(100_000)));

  function send(type: ProbeTarget["type"], port: number, more: Partial<ProbeTarget> = {}, signal?: AbortSignal) {
    const rest = { timeoutMs: 1_000, path: "/", expectedStatuses: [], insecureSkipVerify: false };
    return probeWithSocket({ type, host: HOST, port, ...rest, ...more }, signal ?? new AbortController().signal);
  }

  const noneOpen = () => until("every socket is closed", () => opened > 0 && sockets.size === 0);

  it("by TCP succeeds when the port accepts a connection, and closes it", async () => {
    const port = await listen(createTcpServer());
    expect(await send("TCP", port)).to.deep.equal({ ok: true });
    await noneOpen();
  });

  it("by TCP fails where nothing listens", async () => {
    const port = await listen(createTcpServer());
    await new Promise<void>((resolve) => server?.close(() => resolve()));
    expect(await send("TCP", port)).to.deep.equal({ ok: false, error: "connection refused" });
  });

  for (const [code, expected, ok] of [
    [200, [], true],
    [302, [], true],
    [404, [], false],
    [503, [], false],
    [503, [503], true],
    [200, [204], false],
  ] as const) {
    it(`by HTTP ${ok ? "succeeds" : "fails"} with status ${code} where ${expected.join() || "200 to 399"} is expected`, async () => {
      const port = await status(code);
      const result: ProbeResult = await send("HTTP", port, { expectedStatuses: expected });
      expect(result).to.deep.equal(ok ? { ok } : { ok, error: `status ${code}` });
      await noneOpen();
    });
  }

  it("by HTTP asks for the path, and names itself", async () => {
    const seen: string[] = [];
    const port = await http(({ method, url, headers }, response) => {
      seen.push(`${method} ${url} ${headers.host} ${headers["user-agent"]?.split("/")[0]}`);
      response.end();
    });
    await send("HTTP", port, { path: "/healthz?full=1" });
    expect(seen).to.deep.equal([`GET /healthz?full=1 ${HOST}:${port} flipop`]);
  });

  it("by HTTP fails when the server ends the connection without an answer", async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()));
    expect(await send("HTTP", port)).to.deep.include({ ok: false });
    await noneOpen();
  });

  it("by HTTP fails with the signal's reason where the server accepts and never answers, and closes its socket", async () => {
    const port = await http(() => undefined);
    const given = new AbortController();
    const result = send("HTTP", port, {}, given.signal);
    await until("the request is there", () => opened === 1);
    given.abort(new Error("no answer within 1 s"));
    expect(await result).to.deep.equal({ ok: false, error: "no answer within 1 s" });
    await noneOpen();
  });

  it("opens no socket for a signal that has aborted, and does not reject", async () => {
    const port = await listen(createTcpServer());
    expect(await send("TCP", port, {}, AbortSignal.abort(new Error("over")))).to.deep.equal({
      ok: false,
      error: "over",
    });
    expect(await send("TCP", 70_000)).to.deep.include({ ok: false });
  });

  it("by HTTPS needs a valid certificate, unless insecureSkipVerify is set", async () => {
    const authority = makeAuthority();
    const certificate = issue(authority, { name: "node", addresses: [HOST] });
    const port = await listen(createHttpsServer(certificate, (_request, response) => response.end()));
    expect((await send("HTTPS", port)).ok).to.equal(false);
    expect(await send("HTTPS", port, { insecureSkipVerify: true })).to.deep.equal({ ok: true });
    await noneOpen();
  });

  it("leaves no socket behind after many probes", async () => {
    const port = await status(200);
    const results = await Promise.all(Array.from({ length: 200 }, () => send("HTTP", port)));
    expect(results.every(({ ok }) => ok)).to.equal(true);
    expect(opened).to.equal(200);
    await noneOpen();
  });
});
