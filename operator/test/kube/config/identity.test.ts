import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { IdentitySource, kubeconfigPlugin } from "../../../src/kube/config/identity.js";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { silentLogger } from "../../../src/logging.js";
import { CREDENTIALS_READ_MS } from "../../../src/timings.js";
import { errorOf } from "../../support/http-rig.js";
import { TempDir } from "../../support/temp-dir.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const CONFIG = {
  source: "context a",
  server: "https://192.0.2.1",
  insecureSkipTlsVerify: false,
  auth: { kind: "plugin", kubeconfig: "", context: "a" },
  namespace: "default",
} as const;

describe("an auth plugin that never answers", () => {
  it("fails the call within its bound, and is asked again by the next one", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const plugin = () => (++asked === 1 ? new Promise<never>(() => {}) : Promise.resolve(CREDENTIAL));
    const source = new IdentitySource({ config: CONFIG, clock, logger: silentLogger, plugin });
    const error = errorOf(source.current());
    await clock.advance(CREDENTIALS_READ_MS);
    expect(String(await error)).to.include("did not answer within 30 s");
    expect((await source.current()).headers).to.deep.include({ authorization: "Bearer t" });
  });
});

const CREDENTIAL = { authorization: "Bearer t", cert: undefined, key: undefined };

describe("exec plugins", () => {
  let dir: TempDir;
  beforeEach(() => {
    dir = new TempDir();
  });
  afterEach(() => dir.remove());

  const plugin = (script: string) => {
    const file = dir.write("plugin.cjs", script);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: [file],
      interactiveMode: "Never",
    };
    const config = {
      "current-context": "c",
      clusters: [{ name: "k", cluster: { server: "https://h" } }],
      users: [{ name: "u", user: { exec } }],
      contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    };
    const { auth } = loadClusterConfig({ kubeconfig: dir.write("config", JSON.stringify(config)), env: {} });
    return auth.kind === "plugin" ? kubeconfigPlugin(auth.kubeconfig, auth.context) : expect.fail(auth.kind);
  };

  it("run and are cached until they expire, or until the server refused what they gave", async () => {
    const run = plugin(`
      const { appendFileSync, readFileSync } = require("node:fs");
      appendFileSync(__filename + ".runs", "x");
      const token = "token-" + readFileSync(__filename + ".runs", "utf8").length;
      const status = { token, expirationTimestamp: "2099-01-01T00:00:00Z" };
      console.log(JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status }));`);
    const first = await run(false);
    expect(first.authorization).to.match(/^Bearer token-\d$/);
    expect(await run(false)).to.deep.equal(first);
    expect((await run(true)).authorization).to.not.equal(first.authorization);
  });

  it("that fail say how to see it alone", async () => {
    const error: unknown = await plugin("process.exit(3)")(false).catch((reason: unknown) => reason);
    expect(String(error)).to.match(
      /context "c": its exec plugin or auth provider failed; run "kubectl --context c get nodes"/,
    );
  });
});
