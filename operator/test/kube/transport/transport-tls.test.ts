import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { ClusterConfig } from "../../../src/kube/config/cluster-config.js";
import { NetworkError } from "../../../src/kube/transport/failures.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { issue, makeAuthority } from "../../support/certificates.js";
import { TempDir } from "../../support/temp-dir.js";
import { scaledClock } from "../../support/time/scaled-clock.js";

const authority = makeAuthority();
const stranger = makeAuthority("stranger");
const serverCertificate = issue(authority, { name: "server", dnsNames: ["api.test"], addresses: ["127.0.0.1"] });

describe("transport over TLS", () => {
  let server: Server;
  let clients: string[];
  const transports: Transport[] = [];
  const clock = scaledClock(100);

  beforeEach(async () => {
    clients = [];
    server = createServer(
      { ...serverCertificate, ca: authority.cert, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const peer = (request.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
        clients.push(peer?.CN ?? "no certificate");
        response.end("{}");
      },
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    await Promise.all(transports.splice(0).map((transport) => transport.close()));
    await new Promise((resolve) => server.close(resolve));
  });

  const port = () => (server.address() as AddressInfo).port;
  const make = (config: Partial<ClusterConfig>, env: Record<string, string> = {}) => {
    const base = {
      source: "test",
      server: `https://127.0.0.1:${port()}`,
      insecureSkipTlsVerify: false,
      namespace: "default",
    };
    const transport = new Transport({ config: { ...base, auth: { kind: "none" }, ...config }, clock, env });
    transports.push(transport);
    return transport;
  };
  const get = (transport: Transport) => transport.request({ method: "GET", path: "/", maxAttempts: 1 });
  const errorOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => expect.fail("did not reject"),
      (error: unknown) => error,
    );

  it("trusts the given authority only, and says how to give it", async () => {
    await get(make({ ca: { data: authority.cert } }));
    const error = await errorOf(get(make({ ca: { data: stranger.cert } })));
    expect(error).to.be.instanceOf(NetworkError).and.include({ kind: "tls" });
    expect(String(error)).to.match(/certificate-authority/);
    await get(make({ insecureSkipTlsVerify: true }));
  });

  it("checks the server's name, another one where tls-server-name says so", async () => {
    const ca = { data: authority.cert };
    await get(make({ ca, tlsServerName: "api.test" }));
    const error = await errorOf(get(make({ ca, tlsServerName: "other.test" })));
    expect(String(error)).to.match(/tls-server-name/);
  });

  it("shows its client certificate", async () => {
    const { cert, key } = issue(authority, { name: "operator" });
    await get(make({ ca: { data: authority.cert }, clientCertificate: { cert: { data: cert }, key: { data: key } } }));
    expect(clients).to.deep.equal(["operator"]);
  });

  it("takes up a rotated authority and certificate without a restart", async () => {
    const dir = new TempDir();
    const write = (name: string) => {
      const { cert, key } = issue(authority, { name });
      return { cert: { file: dir.write("cert", cert) }, key: { file: dir.write("key", key) } };
    };
    const ca = { file: dir.write("ca", stranger.cert) };
    const transport = make({ ca, clientCertificate: write("first") });
    expect(await errorOf(get(transport))).to.be.instanceOf(NetworkError);
    dir.write("ca", authority.cert);
    await clock.sleep(61_000);
    await get(transport);
    write("second");
    await clock.sleep(61_000);
    await get(transport);
    expect(clients).to.deep.equal(["first", "second"]);
    dir.remove();
  });

  it("names the file that can't be read", async () => {
    expect(String(await errorOf(get(make({ ca: { file: "/nowhere/ca" } }))))).to.match(
      /certificate authority file \/nowhere\/ca/,
    );
  });

  it("goes through a proxy by proxy-url or HTTPS_PROXY, with TLS to the API server itself", async () => {
    const targets: string[] = [];
    const open = new Set<Socket>();
    const proxy = createHttpServer().on("connect", (request, socket: Socket) => {
      targets.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`);
      const upstream = connect(port(), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) {
        open.add(end);
        end.on("error", () => {});
      }
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const proxyUrl = `http://u:p@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const ca = { data: authority.cert };
    const away = { ca, server: "https://api.test:6443" };
    await get(make({ ...away, proxyUrl }));
    await get(make(away, { HTTPS_PROXY: proxyUrl }));
    const seen = `api.test:6443 Basic ${Buffer.from("u:p").toString("base64")}`;
    expect(targets).to.deep.equal([seen, seen]);
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });
});
