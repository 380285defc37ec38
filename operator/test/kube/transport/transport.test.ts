import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { StatusError } from "../../../src/kube/client.js";
import { NetworkError } from "../../../src/kube/transport/failures.js";
import { errorText } from "../../../src/logging.js";
import { answer, errorOf, GET, HttpRig, PATCH } from "../../support/http-rig.js";
import { plainConfig } from "../../support/kube/reflector-rig.js";
import { until } from "../../support/time/until.js";

describe("transport", () => {
  let rig: HttpRig;
  beforeEach(async () => {
    rig = await HttpRig.create();
  });
  afterEach(() => rig.close());

  it("sends path, query, body and headers, and parses the answer", async () => {
    let body = "";
    rig.handler = (_request, response, text) => {
      body = text;
      answer(response, 200, { ok: true });
    };
    const transport = rig.transport({ server: `${rig.url}/prefix`, auth: { kind: "token", token: { data: "t" } } });
    const query = { fieldManager: "f g", dryRun: undefined, limit: 5, watch: false };
    expect(await transport.request({ ...PATCH, query })).to.deep.equal({ ok: true });
    expect(rig.seen[0]?.url).to.equal("/prefix/api/v1/nodes/n?fieldManager=f+g&limit=5&watch=false");
    expect(rig.seen[0]?.headers).to.include({
      authorization: "Bearer t",
      "content-type": "application/merge-patch+json",
      "user-agent": "flipop-operator",
      accept: "application/json",
    });
    expect(body).to.equal('{"a":1}');
  });

  it("keeps its connections for calls that follow each other", async () => {
    const transport = rig.transport();
    const used = new Set<Socket>();
    rig.server.on("request", (request) => used.add(request.socket));
    for (let i = 0; i < 20; i++) await transport.request(GET);
    // undici may open a second one while the first still winds up its answer.
    expect(used.size).to.be.at.most(2);
  });

  it("turns a refusal into a StatusError with reason, details and where it was", async () => {
    rig.handler = (_request, response) =>
      answer(response, 404, {
        kind: "Status",
        code: 404,
        reason: "NotFound",
        message: "nodes n not found",
        details: { name: "n" },
      });
    const error = await errorOf(rig.transport().request(GET));
    expect(error).to.be.instanceOf(StatusError).and.include({ code: 404, reason: "NotFound" });
    expect(String(error)).to.include("GET /api/v1/nodes/n: 404 NotFound: nodes n not found");
  });

  it("says so where an answer is no JSON", async () => {
    rig.handler = (_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    expect(String(await errorOf(rig.transport().request(GET)))).to.match(
      /answered 200 with text\/html, which is not JSON: "<html>"/,
    );
    rig.handler = (_request, response) => response.writeHead(403, { "content-type": "text/html" }).end("<b>proxy</b>");
    expect(await errorOf(rig.transport().request(GET)))
      .to.be.instanceOf(StatusError)
      .and.include({ code: 403 });
  });

  it("quotes no part of a token from an answer that is no JSON", async () => {
    const token = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6lM9o";
    for (const code of [200, 403]) {
      for (const before of [0, 170, 180, 190, 199]) {
        const page = `${"<b>".repeat(before).slice(0, before)}"${token}" is no user`;
        rig.handler = (_request, response) => response.writeHead(code, { "content-type": "text/html" }).end(page);
        const text = errorText(await errorOf(rig.transport().request(GET)));
        expect(text.replaceAll(token, ""), `${before} characters before it`).to.not.include(token.slice(0, 4));
      }
    }
  });

  it("streams a watch, and closing it closes its socket", async () => {
    rig.handler = (_request, response) => {
      response.writeHead(200).write("one\n");
    };
    const stream = await rig.transport().open({ ...GET, query: { watch: true }, deadlineSeconds: 30 });
    let text = "";
    for await (const chunk of stream) {
      text += chunk.toString();
      await rig.clock.sleep(90_000);
      stream.close();
    }
    expect(text).to.equal("one\n");
    await until("the socket is closed", () => rig.sockets.size === 0);
  });

  it("throws out of a watch that is reset, aborted, or refused", async () => {
    let response: ServerResponse | undefined;
    rig.handler = (_request, opened) => {
      response = opened;
      opened.writeHead(200).write("x\n");
    };
    const read = async (signal?: AbortSignal) => {
      const stream = await rig.transport().open({ ...GET, ...(signal && { signal }) });
      for await (const chunk of stream) if (chunk.length === 0) break;
    };
    const reset = errorOf(read());
    await until("it is open", () => response !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    response?.socket?.resetAndDestroy();
    expect(await reset)
      .to.be.instanceOf(NetworkError)
      .and.include({ kind: "reset" });
    response = undefined;
    const controller = new AbortController();
    const aborted = errorOf(read(controller.signal));
    await until("it is open", () => response !== undefined);
    controller.abort(new Error("stop"));
    expect(String(await aborted)).to.equal("Error: stop");
    rig.handler = (_request, refused) => answer(refused, 410, { kind: "Status", reason: "Expired", message: "old" });
    expect(await errorOf(rig.transport().open(GET))).to.include({ code: 410, reason: "Expired" });
  });

  it("says what to look at when nothing listens", async () => {
    const config = { ...plainConfig("http://127.0.0.1:1"), source: 'context "c" of file' };
    const error = await errorOf(rig.transport(config).request({ ...GET, maxAttempts: 1 }));
    expect(error).to.be.instanceOf(NetworkError).and.include({ kind: "refused" });
    expect(String(error)).to.match(
      /GET http:\/\/127.0.0.1:1\/api\/v1\/nodes\/n \(context "c" of file\): .*; check that the API server is up/,
    );
  });

  it("counts each attempt by method, code and host", async () => {
    await rig.transport().request(GET);
    await errorOf(rig.transport(plainConfig("http://127.0.0.1:1")).request(PATCH));
    expect(rig.samples.map(({ method, code, host }) => [method, code, host])).to.deep.equal([
      ["GET", "200", new URL(rig.url).host],
      ["PATCH", "<error>", "127.0.0.1:1"],
    ]);
  });

  it("ends what is under way when closed, and refuses to be used afterwards", async () => {
    rig.handler = (_request, response) => {
      response.writeHead(200).write("x\n");
    };
    const transport = rig.transport();
    const watch = await transport.open(GET);
    const call = errorOf(transport.request({ ...GET, maxAttempts: 1 }));
    await until("both are open", () => rig.seen.length === 2);
    await transport.close();
    expect(await call).to.be.instanceOf(Error);
    expect(
      await errorOf(
        (async () => {
          for await (const chunk of watch) void chunk;
        })(),
      ),
    ).to.be.instanceOf(Error);
    expect(String(await errorOf(transport.request(GET)))).to.match(/used after close/);
  });
});
