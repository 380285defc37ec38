import { delimiter, join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { ConfigError } from "../../../src/kube/config/cluster-config.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { TempDir } from "../../support/temp-dir.js";

const PEM = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n";
const BASE64 = Buffer.from(PEM).toString("base64");

interface Parts {
  readonly current?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
}

function kubeconfig({
  current = "c",
  cluster = "server: https://h:6443",
  user = "token: t",
  context = "",
}: Parts): string {
  return `apiVersion: v1
kind: Config
current-context: ${current}
clusters: [{name: k, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: c, context: {cluster: k, user: u${context}}}]
`;
}

describe("cluster configuration", () => {
  let dir: TempDir;
  beforeEach(() => {
    dir = new TempDir();
  });
  afterEach(() => dir.remove());

  const load = (parts: Parts) => loadClusterConfig({ kubeconfig: dir.write("config", kubeconfig(parts)), env: {} });
  const failure = (parts: Parts) => expect(() => load(parts)).to.throw(ConfigError);

  it("reads server, token and namespace, and says where they came from", () => {
    expect(load({ context: ", namespace: ns" })).to.deep.equal({
      source: `context "c" of ${join(dir.path, "config")}`,
      server: "https://h:6443",
      insecureSkipTlsVerify: false,
      auth: { kind: "token", token: { data: "t" } },
      namespace: "ns",
    });
  });

  it("reads every field of a cluster", () => {
    const cluster = `server: "https://h/prefix/", certificate-authority-data: ${BASE64}, tls-server-name: n, proxy-url: "http://p:1"`;
    expect(load({ cluster })).to.include({ server: "https://h/prefix", tlsServerName: "n", proxyUrl: "http://p:1" });
    expect(load({ cluster }).ca).to.deep.equal({ data: PEM });
    expect(load({ cluster: "server: https://h, insecure-skip-tls-verify: true" }).insecureSkipTlsVerify).to.equal(true);
  });

  it("takes relative paths from the kubeconfig's folder", () => {
    const config = load({
      cluster: "server: https://h, certificate-authority: ca.crt",
      user: "client-certificate: pki/c.crt, client-key: /abs/c.key, tokenFile: tok",
    });
    expect(config.ca).to.deep.equal({ file: join(dir.path, "ca.crt") });
    expect(config.clientCertificate).to.deep.equal({
      cert: { file: join(dir.path, "pki/c.crt") },
      key: { file: "/abs/c.key" },
    });
    expect(config.auth).to.deep.equal({ kind: "token", token: { file: join(dir.path, "tok") } });
  });

  it("reads basic auth, no credentials, and impersonation", () => {
    expect(load({ user: "username: a, password: b" }).auth).to.deep.equal({
      kind: "basic",
      username: "a",
      password: "b",
    });
    expect(load({ user: "" }).auth).to.deep.equal({ kind: "none" });
    expect(load({ user: "token: t, as: x, as-groups: [g], as-uid: '1'" }).impersonate).to.deep.equal({
      user: "x",
      uid: "1",
      groups: ["g"],
    });
  });

  it("leaves exec plugins and auth providers to client-node, with the command's path made absolute", () => {
    const { auth } = load({ user: "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./bin/login}" });
    expect(auth).to.include({ kind: "plugin", context: "c" });
    expect(JSON.stringify(auth)).to.include(join(dir.path, "bin/login"));
    expect(load({ user: "auth-provider: {name: oidc, config: {}}" }).auth.kind).to.equal("plugin");
    expect(load({ user: "token: t, exec: {command: x}" }).auth.kind, "a token needs no plugin").to.equal("token");
  });

  it("merges the files of KUBECONFIG: the first to name a thing wins, missing files are skipped", () => {
    const first = dir.write("1", "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n");
    const second = dir.write(
      "2/config",
      kubeconfig({ current: "other", cluster: "server: https://two, certificate-authority: ca" }),
    );
    const third = dir.write("3", kubeconfig({ cluster: "server: https://three" }));
    const KUBECONFIG = ["", join(dir.path, "missing"), first, second, third].join(delimiter);
    const config = loadClusterConfig({ env: { KUBECONFIG } });
    expect(config).to.include({ server: "https://two", source: `context "c" of ${first}` });
    expect(config.ca).to.deep.equal({ file: join(dir.path, "2/ca") });
  });

  it("prefers the flag, then KUBECONFIG, then the pod, then the home folder", () => {
    const flag = dir.write("flag", kubeconfig({ cluster: "server: https://flag" }));
    const listed = dir.write("listed", kubeconfig({ cluster: "server: https://listed" }));
    dir.write(".kube/config", kubeconfig({ cluster: "server: https://home" }));
    const serviceAccountDir = join(dir.path, "sa");
    dir.write("sa/token", "t");
    const pod = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    const server = (kubeconfig: string, env: Record<string, string>) =>
      loadClusterConfig({ kubeconfig, env, home: dir.path, serviceAccountDir }).server;
    expect(server(flag, { ...pod, KUBECONFIG: listed })).to.equal("https://flag");
    expect(server("", { ...pod, KUBECONFIG: listed })).to.equal("https://listed");
    expect(server("", pod)).to.equal("https://10.0.0.1:443");
    expect(server("", {})).to.equal("https://home");
  });

  it("reads the pod's service account, on IPv6 too", () => {
    dir.write("token", "t");
    dir.write("namespace", "ns\n");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" };
    expect(loadClusterConfig({ env, serviceAccountDir: dir.path })).to.deep.equal({
      source: "in-cluster service account",
      server: "https://[fd00::1]:443",
      ca: { file: join(dir.path, "ca.crt") },
      insecureSkipTlsVerify: false,
      auth: { kind: "token", token: { file: join(dir.path, "token") } },
      namespace: "ns",
    });
  });

  describe("says what it saw, where, and what to do", () => {
    it("about a missing current-context", () => {
      failure({ current: '""' })
        .with.property("message")
        .that.matches(/no current-context; .* name one of: c$/);
    });
    it("about a kubeconfig without contexts", () => {
      dir.write("bare", "apiVersion: v1\nkind: Config\n");
      const path = join(dir.path, "bare");
      expect(() => loadClusterConfig({ kubeconfig: path }))
        .to.throw(ConfigError)
        .with.property(
          "message",
          `${path}: has no context; add one ("kubectl config set-context NAME"), or name another kubeconfig`,
        );
    });
    it("about a folder in place of a kubeconfig", () => {
      expect(() => loadClusterConfig({ kubeconfig: dir.path }))
        .to.throw(ConfigError)
        .with.property("message")
        .that.matches(/^--kubeconfig: \S+ can't be read: EISDIR: .*; name a file that you may read$/);
    });
    it("about a name that is nowhere", () => {
      failure({ current: "nope" })
        .with.property("message")
        .that.matches(/no context "nope"; there are: c/);
      failure({ context: ", cluster: gone" })
        .with.property("message")
        .that.matches(/unique|gone/);
    });
    it("about a server that is no URL", () => {
      failure({ cluster: "server: h:6443" })
        .with.property("message")
        .that.matches(/cluster "k": server is "h:6443"/);
    });
    it("about a certificate authority that contradicts insecure-skip-tls-verify", () => {
      const cluster = `server: https://h, insecure-skip-tls-verify: true, certificate-authority-data: ${BASE64}`;
      failure({ cluster })
        .with.property("message")
        .that.matches(/both insecure-skip-tls-verify/);
    });
    it("about data that is no PEM", () => {
      const cluster = "server: https://h, certificate-authority-data: nonsense";
      failure({ cluster })
        .with.property("message")
        .that.matches(/certificate-authority-data is not base64 of a PEM/);
    });
    it("about half a client certificate", () => {
      failure({ user: "client-certificate: x" })
        .with.property("message")
        .that.matches(/client-certificate but no client-key/);
    });
    it("about what is no YAML, empty, or missing", () => {
      const of = (text: string) => () => loadClusterConfig({ kubeconfig: dir.write("bad", text), env: {} });
      expect(of("a: [")).to.throw(ConfigError, /can't be read as YAML/);
      expect(of("")).to.throw(ConfigError, /is empty/);
      expect(of("clusters: 5")).to.throw(ConfigError, /clusters is number/);
      expect(() => loadClusterConfig({ kubeconfig: "/nowhere", env: {} })).to.throw(
        ConfigError,
        /\/nowhere does not exist/,
      );
      expect(() => loadClusterConfig({ env: { KUBECONFIG: "/nowhere" } })).to.throw(
        ConfigError,
        /none of \/nowhere exists/,
      );
    });
    it("about nothing configured at all, and about a pod without a token", () => {
      expect(() => loadClusterConfig({ env: {}, home: dir.path })).to.throw(ConfigError, /no cluster configured/);
      const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
      expect(() => loadClusterConfig({ env, serviceAccountDir: dir.path })).to.throw(
        ConfigError,
        /automountServiceAccountToken/,
      );
    });
  });
});
