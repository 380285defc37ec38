import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { HttpConnections } from "flipop-operator/connections";
import { afterEach, beforeEach, describe, it } from "mocha";
import { watchCalls } from "../../src/story/pending-requests.js";

describe("the watch over requests under way", () => {
  let server: Server;
  let url = "";
  let answer: (() => void) | undefined;
  let unwatch: () => void;
  let connections: HttpConnections;
  const seen: string[] = [];

  beforeEach(async () => {
    seen.length = 0;
    server = createServer((_request, response) => {
      seen.push("arrives");
      answer = () => response.end("done");
      if (_request.url === "/reset") response.destroy();
      if (_request.url === "/now") answer();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    connections = new HttpConnections({ keepAliveMs: 1_000, connectTimeoutMs: 1_000 });
    const asked = () => {
      seen.push("asked");
      return () => seen.push("over");
    };
    unwatch = watchCalls({ to: (origin) => origin === url, asked });
  });
  afterEach(async () => {
    unwatch();
    await connections.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const get = async (origin: string, path: string) => {
    const answer = await connections.send({ method: "GET", origin, path, headers: {} });
    for await (const _chunk of answer);
  };

  it("shows a request before it is sent, and when its answer comes", async () => {
    await get(url, "/now");
    expect(seen).to.deep.equal(["asked", "arrives", "over"]);
  });

  it("shows a request that fails, too", async () => {
    await get(url, "/reset").catch(() => undefined);
    expect(seen).to.deep.equal(["asked", "arrives", "over"]);
  });

  it("leaves those to others alone, and all once it has ended", async () => {
    await get(url.replace("127.0.0.1", "localhost"), "/now");
    unwatch();
    await get(url, "/now");
    expect(seen).to.deep.equal(["arrives", "arrives"]);
  });
});
