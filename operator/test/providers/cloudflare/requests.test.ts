import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import type { CallRunner, RateFacts } from "../../../src/providers/call.js";
import type { ProviderError } from "../../../src/providers/errors.js";
import { context, failureOf } from "../../support/cloud/cloudflare-rig.js";
import { NOW, ok, refused, type Stub, type StubAnswer, startStub, ZONE_ID } from "./stub.js";

const NAME = { zone: ZONE_ID, name: "www", types: ["A"] } as const;
const LIMIT = {
  ratelimit: '"burst";r=90;t=1, "default";r=50;t=30',
  "ratelimit-policy": '"burst";q=100;w=1, "default";q=1200;w=300',
};

describe("Cloudflare provider: requests", () => {
  let stub: Stub | undefined;
  const kept: Record<string, string | undefined> = {};
  afterEach(async () => {
    for (const [name, value] of Object.entries(kept)) restore(name, value);
    await stub?.close();
    stub = undefined;
  });

  const set = (name: string, value: string) => {
    kept[name] = process.env[name];
    process.env[name] = value;
  };
  const answers = (path: string): StubAnswer =>
    path.includes("dns_records")
      ? ok([], { result_info: { total_count: 0 } })
      : ok({ id: ZONE_ID, name: "example.com" });

  it("carry the token, the operator's name, and nothing about the machine", async () => {
    stub = await startStub(answers);
    await stub.provider().read(context, NAME);
    const { host: _, connection: __, ...headers } = stub.seen[0]?.headers ?? {};
    expect(headers).to.deep.equal({
      accept: "application/json",
      "api-version": "2026-10-02",
      authorization: "Bearer stub-token",
      "user-agent": "flipop-test",
    });
  });

  it("heed none of the variables of Cloudflare's package", async () => {
    set("CLOUDFLARE_API_TOKEN", "another-token");
    set("CLOUDFLARE_API_KEY", "a-key");
    set("CLOUDFLARE_EMAIL", "a@example.com");
    set("CLOUDFLARE_BASE_URL", "http://127.0.0.1:1");
    set("CLOUDFLARE_CUSTOM_HEADERS", "X-Auth-Key: another-key");
    stub = await startStub(answers);
    await stub.provider().read(context, NAME);
    const [request] = stub.seen;
    expect([
      request?.headers.authorization,
      request?.headers["x-auth-key"],
      request?.headers["x-auth-email"],
    ]).to.deep.equal(["Bearer stub-token", undefined, undefined]);
  });

  it("keep the path of the base URL, with or without a slash at its end", async () => {
    stub = await startStub(answers);
    await stub.provider({ baseUrl: `${stub.url}/gateway/client/v4/` }).read(context, NAME);
    expect(stub.seen.map(({ url }) => url.split("?")[0])).to.deep.equal([
      `/gateway/client/v4/zones/${ZONE_ID}`,
      `/gateway/client/v4/zones/${ZONE_ID}/dns_records`,
    ]);
  });

  it("are sent once, whatever the answer: the layers send again, where that is safe", async () => {
    stub = await startStub(() => ({ status: 503, body: "" }));
    const steps = [{ do: "create", type: "A", to: "192.0.2.1", ttl: 60 }] as const;
    const changes = { zone: ZONE_ID, fqdn: "www.example.com", steps, before: [], after: [] };
    await failureOf(stub.provider().apply(context, changes));
    await failureOf(stub.provider().read(context, NAME));
    expect(stub.seen.map(({ method }) => method)).to.deep.equal(["POST", "GET"]);
  });

  it("use the same connections again", async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end(JSON.stringify(ok([]).body)));
    server.on("connection", () => connections++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stub = await startStub(answers);
    const provider = stub.provider({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    for (let index = 0; index < 20; index++) {
      await failureOf(provider.read(context, { ...NAME, zone: `z${index}.example` }));
    }
    server.closeAllConnections();
    server.close();
    expect(connections).to.be.at.most(2);
  });

  it("go through the proxy of the environment, unless it is excepted", async () => {
    const tunnels: string[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      tunnels.push(request.url ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    stub = await startStub(answers);
    const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const baseUrl = "https://api.cloudflare.invalid/client/v4";
    const proxied = (await failureOf(
      stub.provider({ baseUrl, env: { HTTPS_PROXY } }).read(context, NAME),
    )) as ProviderError;
    const env = { HTTPS_PROXY, NO_PROXY: ".invalid" };
    const excepted = (await failureOf(stub.provider({ baseUrl, env }).read(context, NAME))) as ProviderError;
    proxy.closeAllConnections();
    proxy.close();
    expect(tunnels).to.deep.equal(["api.cloudflare.invalid:443"]);
    expect([proxied.kind, excepted.kind, excepted.outcome]).to.deep.equal(["Unavailable", "Unavailable", "not-sent"]);
  });

  it("tell the tightest limit of each answer, refusals included", async () => {
    const heard: RateFacts[] = [];
    const run: CallRunner = (_, send) =>
      send({ signal: new AbortController().signal, sawLimit: (facts) => heard.push(facts) });
    stub = await startStub((path) =>
      path.includes("dns_records") ? refused(429, 10100, "slow down", LIMIT) : { ...answers(path), headers: LIMIT },
    );
    await failureOf(stub.provider({ run }).read(context, NAME));
    const facts = { limit: 1_200, remaining: 50, resetAt: NOW + 30_000 };
    expect(heard).to.deep.equal([facts, facts]);
  });

  it("do without headers that are unreadable", async () => {
    const heard: RateFacts[] = [];
    const run: CallRunner = (_, send) =>
      send({ signal: new AbortController().signal, sawLimit: (facts) => heard.push(facts) });
    const headers = { ratelimit: "plenty", "ratelimit-policy": ";;q=,,", "retry-after": "soon" };
    stub = await startStub((path) => ({ ...answers(path), headers }));
    await stub.provider({ run }).read(context, NAME);
    expect(heard).to.deep.equal([]);
  });
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
