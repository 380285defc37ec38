import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { request } from "undici";
import { watchCalls } from "../../src/story/calls.js";

describe("the watch over requests under way", () => {
  let server: Server;
  let url = "";
  let answer: (() => void) | undefined;
  let unwatch: () => void;
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
    const asked = () => {
      seen.push("asked");
      return () => seen.push("over");
    };
    unwatch = watchCalls({ to: (origin) => origin === url, asked });
  });
  afterEach(async () => {
    unwatch();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it("tells of a request before it is sent, and when its answer comes", async () => {
    await (await request(`${url}/now`)).body.dump();
    expect(seen).to.deep.equal(["asked", "arrives", "over"]);
  });

  it("tells of one that fails, too", async () => {
    await request(`${url}/reset`).catch(() => undefined);
    expect(seen).to.deep.equal(["asked", "arrives", "over"]);
  });

  it("leaves those to others alone, and all once it has ended", async () => {
    await (await request(`${url.replace("127.0.0.1", "localhost")}/now`)).body.dump();
    unwatch();
    await (await request(`${url}/now`)).body.dump();
    expect(seen).to.deep.equal(["arrives", "arrives"]);
  });
});
