import { connect } from "node:net";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { silentLogger } from "../../src/logging.js";
import { runtimeMetrics } from "../../src/metrics/definitions.js";
import { MetricsRegistry } from "../../src/metrics/registry.js";
import {
  Health,
  healthRoutes,
  metricsRoutes,
  parseBind,
  type Route,
  SmallHttpServer,
} from "../../src/runtime/http-server.js";

describe("http server", () => {
  let server: SmallHttpServer | undefined;

  async function serve(routes: Readonly<Record<string, Route>>, bind = "127.0.0.1:0") {
    server = new SmallHttpServer({ name: "health", bind, routes, logger: silentLogger });
    await server.start();
    return (path: string, method = "GET") => fetch(`http://127.0.0.1:${server?.port}${path}`, { method });
  }

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it("answers /healthz and /readyz as the components of Kubernetes do", async () => {
    const health = new Health();
    health.add("healthz", "ping", () => undefined);
    health.add("readyz", "caches", () => "not synced yet: nodes");
    const get = await serve(healthRoutes(health));
    const answers = [
      await get("/healthz"),
      await get("/healthz?verbose"),
      await get("/readyz"),
      await get("/readyz?exclude=caches"),
    ];

    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 500, 200]);
    expect(await Promise.all(answers.map((answer) => answer.text()))).to.deep.equal([
      "ok",
      "[+]ping ok\nhealthz check passed\n",
      "[-]caches failed: not synced yet: nodes\nreadyz check failed\n",
      "ok",
    ]);
  });

  it("answers /metrics in the Prometheus format", async () => {
    const registry = new MetricsRegistry();
    runtimeMetrics(registry, "lock");
    const get = await serve(metricsRoutes(registry));
    const answer = await get("/metrics");

    expect(answer.headers.get("content-type")).to.equal("text/plain; version=0.0.4; charset=utf-8");
    expect(await answer.text()).to.include('leader_election_master_status{name="lock"} 0');
  });

  it("answers HEAD without a body, other methods with 405, other paths with 404", async () => {
    const get = await serve(healthRoutes(new Health()));
    const head = await get("/healthz", "HEAD");
    expect([head.status, head.headers.get("content-length"), await head.text()]).to.deep.equal([200, "2", ""]);
    const post = await get("/healthz", "POST");
    expect([post.status, post.headers.get("allow")]).to.deep.equal([405, "GET, HEAD"]);
    const lost = await get("/other");
    expect([lost.status, await lost.text()]).to.deep.equal([404, "not found; there is /healthz, /readyz\n"]);
  });

  it("answers 500 without details where a route fails", async () => {
    const get = await serve({ "/x": () => Promise.reject(new Error("secret detail")) });
    const answer = await get("/x");
    expect([answer.status, await answer.text()]).to.deep.equal([500, "internal error; the log says more\n"]);
  });

  it("stops although a connection is open", async () => {
    await serve({});
    const socket = connect(server?.port ?? 0, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await server?.stop();
    await closed;

    expect(server?.port).to.equal(undefined);
  });

  it("is off where the address is empty", async () => {
    await serve({}, "");
    expect(server?.port).to.equal(undefined);
  });

  it("says which address it could not have", async () => {
    await serve({});
    const second = new SmallHttpServer({
      name: "metrics",
      bind: `127.0.0.1:${server?.port}`,
      routes: {},
      logger: silentLogger,
    });
    const error = await second.start().catch((refusal: Error) => refusal);

    expect(String(error)).to.match(
      /metrics server cannot listen on "127.0.0.1:\d+": give another address with --metrics-bind-addr/,
    );
    expect((error as Error).cause).to.have.property("code", "EADDRINUSE");
  });
});

describe("bind address", () => {
  const table: [string, ReturnType<typeof parseBind>][] = [
    [":8080", { port: 8080 }],
    ["0.0.0.0:8081", { host: "0.0.0.0", port: 8081 }],
    ["localhost:1", { host: "localhost", port: 1 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["", undefined],
    ["0", undefined],
  ];
  for (const [bind, wanted] of table) {
    it(`understands "${bind}"`, () => expect(parseBind(bind)).to.deep.equal(wanted));
  }
  for (const bind of ["8080", ":", ":65536", "::1:8080", "host", "a:b:1"]) {
    it(`refuses "${bind}"`, () => expect(() => parseBind(bind)).to.throw(`bind address "${bind}" is not understood`));
  }
});

function setUp() {
  const health = new Health();
  health.add("readyz", "ping", () => undefined);
  health.add("readyz", "caches", () => "not synced yet: nodes");
  return health;
}

describe("health", () => {
  it("is ok in one word", () => {
    const health = new Health();
    health.add("healthz", "ping", () => undefined);
    expect(health.report("healthz")).to.deep.equal({ ok: true, text: "ok" });
  });

  it("lists every check where one fails, with its reason", () => {
    expect(setUp().report("readyz")).to.deep.equal({
      ok: false,
      text: "[+]ping ok\n[-]caches failed: not synced yet: nodes\nreadyz check failed\n",
    });
  });

  it("lists every check where asked to, and leaves out what is excluded", () => {
    expect(setUp().report("readyz", { verbose: true, exclude: ["caches"] })).to.deep.equal({
      ok: true,
      text: "[+]ping ok\nreadyz check passed\n",
    });
  });

  it("fails where a check throws", () => {
    const health = new Health();
    health.add("healthz", "broken", () => {
      throw new Error("oops");
    });
    expect(health.report("healthz").text).to.include("[-]broken failed: the check itself failed: oops");
  });

  it("keeps liveness and readiness apart", () => {
    expect(setUp().report("healthz").ok).to.equal(true);
  });
});
