import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FLAGS, providerVariables, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { eventually, freePort } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { parse, stringify } from "yaml";
import { bundleInto } from "../support/image.js";
import { type Process, Processes } from "../support/process.js";

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

interface Kubeconfig {
  readonly users: readonly [{ readonly name: string; readonly user: { readonly token: string } }];
}

describe("the bundle, in a folder without node_modules", function () {
  this.timeout(180_000);
  const processes = new Processes();
  /** Contains the bundle, and folder `empty`, in which it starts. */
  let home: string;
  let empty: string;
  let app: string;
  let sandboxApp: string;
  let kubeconfig: string;

  before(async () => {
    home = mkdtempSync(join(tmpdir(), "flipop-bundle-"));
    empty = join(home, "empty");
    mkdirSync(empty);
    app = bundleInto(home);
    sandboxApp = bundleInto(home, "sandbox");
    kubeconfig = join(home, "kubeconfig");
    const sandbox = start(join(sandboxApp, "flipop-sandbox.mjs"), ["--only=kubernetes", `--kubeconfig=${kubeconfig}`]);
    await eventually(() => sandbox.out.includes("Ctrl-C"), { what: "the sandbox", timeoutMs: 60_000 });
  });

  after(async () => {
    await processes.endAll();
    rmSync(home, { recursive: true });
  });

  function flipop(args: readonly string[], folder = app): Process {
    return start(join(folder, "flipop.mjs"), args);
  }

  function start(program: string, args: readonly string[]): Process {
    return processes.start(process.execPath, [program, ...args], { cwd: empty, env: { HOME: empty } });
  }

  function metafile(folder = app): Metafile {
    return JSON.parse(readFileSync(join(folder, "metafile.json"), "utf8")) as Metafile;
  }

  /** The folder without the file for exec plugins. */
  function leanFolder(): string {
    const lean = join(home, "lean");
    cpSync(app, lean, { recursive: true });
    const large = Object.entries(metafile().outputs).filter(([, { inputs }]) =>
      Object.keys(inputs).some((input) => input.includes("node_modules/@kubernetes/client-node/")),
    );
    const files = large.map(([file]) => file.replace(/^dist\//, ""));
    expect(files.filter((file) => file.endsWith(".mjs"))).to.have.lengthOf(1);
    for (const file of files) rmSync(join(lean, file));
    return lean;
  }

  /** Starts the operator against the sandbox; resolves when it is ready. */
  async function readyOperator(folder: string, config: string): Promise<Process> {
    const [health, metrics] = [await freePort(), await freePort()];
    const binds = [`--health-bind-addr=127.0.0.1:${health}`, `--metrics-bind-addr=127.0.0.1:${metrics}`];
    const operator = flipop(["run", "--kubeconfig", config, ...binds, "--features=pools,dns,routedip"], folder);
    const ready = async () => {
      const answer = await fetch(`http://127.0.0.1:${health}/readyz`);
      return answer.status === 200 || Promise.reject(new Error(await answer.text()));
    };
    await eventually(ready, { what: "readiness", timeoutMs: 60_000 }).catch((cause: unknown) => {
      throw new Error(`the operator is not ready: ${operator.out}${operator.err}`, { cause });
    });
    return operator;
  }

  it("is executable by itself", async () => {
    expect(statSync(join(app, "flipop.mjs")).mode & 0o777).to.equal(0o755);
    const { code, out } = await processes.start(join(app, "flipop.mjs"), ["--version"], { cwd: empty }).ended();
    expect({ code, out }).to.deep.equal({ code: 0, out: `${RELEASE}\n` });
  });

  it("prints every flag with its variable and default, and the providers' variables", async () => {
    const { code, out } = await flipop(["--help"]).ended();
    expect(code).to.equal(0);
    for (const { name, env } of FLAGS) expect(out).to.include(`--${name} `).and.to.include(`[${env}`);
    for (const { env } of providerVariables()) expect(out).to.include(env);
  });

  it("reports the unreachable cluster, and exits with code 1", async () => {
    const { code, out } = await flipop(["run"]).ended();
    expect(code).to.equal(1);
    expect(out).to.include("no cluster configured");
  });

  it("contains nothing of the sandbox", () => {
    const inputs = Object.keys(metafile().inputs);
    const foreign = /^\.\.\/sandbox\/|node_modules\/(flipop-sandbox|@bufbuild)\//;
    expect(inputs).to.include("src/operator.ts");
    expect(inputs.filter((input) => foreign.test(input))).to.deep.equal([]);
    expect(Object.keys(metafile(sandboxApp).inputs)).to.include("src/kubernetes/index.ts");
  });

  it("runs without the file for exec plugins, and exits with code 0 on SIGTERM", async () => {
    const operator = await readyOperator(leanFolder(), kubeconfig);
    expect(await operator.kill("SIGTERM"), operator.out).to.equal(0);
  });

  it("runs with a kubeconfig with an exec plugin, for which it loads a file", async () => {
    const config = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
    const apiVersion = "client.authentication.k8s.io/v1";
    const credential = { apiVersion, kind: "ExecCredential", status: { token: config.users[0].user.token } };
    const script = `console.log(${JSON.stringify(JSON.stringify(credential))})`;
    const exec = { apiVersion, command: process.execPath, args: ["-e", script] };
    const user = { name: config.users[0].name, user: { exec: { ...exec, interactiveMode: "Never" } } };
    const file = join(home, "exec-kubeconfig");
    writeFileSync(file, stringify({ ...config, users: [user] }));
    const operator = await readyOperator(app, file);
    expect(await operator.kill("SIGTERM"), operator.out).to.equal(0);
  });

  it("has the same bytes in every build and folder", () => {
    const again = bundleInto(join(home, "again"));
    const contents = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".mjs"))
        .map((name) => [name, readFileSync(join(folder, name), "utf8")]);
    expect(Object.fromEntries(contents(again))).to.deep.equal(Object.fromEntries(contents(app)));
  });

  it("prints in one sentence where to get the sandbox, and exits with code 1", async () => {
    const { code, err } = await flipop(["sandbox", "--once"]).ended();
    expect(err).to.match(/^flipop: the sandbox is a package of its own, .*\n$/);
    expect(code).to.equal(1);
  });

  it("plays the sandbox if it is installed", async () => {
    const installed = join(home, "installed");
    const own = join(installed, "node_modules/flipop-sandbox");
    cpSync(app, installed, { recursive: true });
    cpSync(sandboxApp, join(own, "dist"), { recursive: true });
    cpSync(join(import.meta.dirname, "../../sandbox/package.json"), join(own, "package.json"));
    const { code, out, err } = await flipop(["sandbox", "--once"], installed).ended();
    expect(code, `${out}${err}`).to.equal(0);
    expect(out).to.match(/^flipop sandbox: /);
  });

  it("has written nothing to its working folder", () => {
    expect(readdirSync(empty)).to.deep.equal([]);
  });
});
