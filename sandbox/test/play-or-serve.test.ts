import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { json } from "node:stream/consumers";
import { expect } from "chai";
import { bundleOf } from "flipop-operator/testing/bundle";
import { until } from "flipop-operator/testing/until";
import { afterEach, before, describe, it } from "mocha";
import { parse } from "yaml";

const WORKSPACE = resolve(import.meta.dirname, "..");
const START_MS = 60_000;

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly "certificate-authority-data": string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

interface Node {
  readonly spec: { readonly providerID: string };
}

async function nodesOf(kubeconfig: string): Promise<readonly Node[]> {
  const { clusters, users } = parse(await readFile(kubeconfig, "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}`, accept: "application/json" };
  const request = get(`${server}/api/v1/nodes`, { ca: Buffer.from(authority, "base64"), headers });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  return ((await json(answer)) as { readonly items: readonly Node[] }).items;
}

describe("flipop-sandbox", function () {
  this.timeout(2 * START_MS);
  let bundle = "";
  // The bundle starts in a tenth of the time that the sources need.
  before(async () => {
    bundle = await bundleOf(WORKSPACE);
  });

  const children: ChildProcess[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    for (const path of folders.splice(0)) await rm(path, { recursive: true });
  });

  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "flipop-sandbox-test-"));
    folders.push(path);
    return path;
  }

  /** Started as a process without a terminal. */
  function start(...args: readonly string[]) {
    const command = [join(bundle, "flipop-sandbox.mjs"), ...args];
    const child = spawn(process.execPath, command, { cwd: WORKSPACE, stdio: "pipe" });
    children.push(child);
    const seen = { out: "", err: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      seen.out += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      seen.err += chunk.toString();
    });
    const ended = once(child, "close");
    return { child, seen, exitCode: async () => (await ended)[0] as unknown };
  }

  const SCENARIO = `
title: short
nodes: [{ name: edge, count: 1 }]
acts: [{ title: nothing much, steps: [settle] }]
`;

  const SPEC = "spec: { provider: digitalocean, region: nyc3, desiredIPs: 1 }";
  const POOL = `{ apiVersion: flipop.digitalocean.com/v1alpha1, kind: FloatingIPPool, metadata: { name: web, namespace: default }, ${SPEC} }`;

  it("plays a story, and ends with it if no signal can stop it", async () => {
    const file = join(await folder(), "short.yaml");
    await writeFile(file, SCENARIO);
    const { seen, exitCode } = start("--scenario", file);
    expect(await exitCode()).to.equal(0);
    expect(seen.err).to.equal("");
    expect(seen.out).to.match(/^flipop sandbox: short\n/);
    expect(seen.out).to.match(/Act 1: nothing much -+\n/);
    expect(seen.out.match(/ PASS /g)).to.have.length(9);
    expect(seen.out).to.not.include("KUBECONFIG").and.not.include(String.fromCodePoint(0x1b));
  });

  it("--keep goes on after the story, with commands that work in any folder, until a signal", async () => {
    const home = await folder();
    const file = join(home, "pool.yaml");
    await writeFile(file, SCENARIO.replace("steps: [settle]", `steps: [{ apply: [${POOL}] }, settle]`));
    const config = relative(WORKSPACE, join(home, "config"));
    const { child, seen, exitCode } = start("--scenario", file, "--kubeconfig", config, "--keep");
    await until("the story is over", () => seen.out.includes("Ctrl-C"), START_MS);
    for (const text of [
      `export KUBECONFIG=${join(home, "config")}\n`,
      "kubectl describe fip web -n default ",
      "kubectl get fip web -n default -o jsonpath='{.status.ips}' ",
      "kubectl get events --all-namespaces --watch ",
      "earlier times are those of the scenario",
    ]) {
      expect(seen.out).to.include(text);
    }
    child.kill("SIGTERM");
    expect(await exitCode()).to.equal(0);
    expect(seen.err).to.equal("");
  });

  it("says with code 1 what is wrong with a story", async () => {
    const file = join(await folder(), "wrong.yaml");
    await writeFile(file, SCENARIO.replace("settle", "settel"));
    const wrong = start("--scenario", file);
    expect(await wrong.exitCode()).to.equal(1);
    expect(wrong.seen.err).to.match(
      /^flipop: wrong\.yaml:4: acts\[0\]\.steps\[0\]: a step has one name, here: "settel"/,
    );

    const missing = start("--scenario", join(await folder(), "missing.yaml"));
    expect(await missing.exitCode()).to.equal(1);
    expect(missing.seen.err).to.match(/^flipop: --scenario: \S+missing\.yaml does not exist: correct the path\n$/);
  });

  it("ends a story at SIGINT, and leaves nothing behind", async () => {
    const home = await folder();
    const file = join(home, "long.yaml");
    await writeFile(file, SCENARIO.replace("settle", "wait: 1000h"));
    const { child, seen, exitCode } = start("--scenario", file, "--kubeconfig", join(home, "config"), "--speed", "1");
    await until("the story begins", () => seen.out.includes("Act 1"), START_MS);
    expect(existsSync(join(home, "config"))).to.equal(true);
    child.kill("SIGINT");
    expect(await exitCode()).to.equal(130);
    expect(seen.err).to.equal("");
  });

  const alone: readonly (readonly [string, string, string, string])[] = [
    ["digitalocean", "DIGITALOCEAN_API_URL", "DIGITALOCEAN_ACCESS_TOKEN", "/v2/droplets"],
    ["cloudflare", "CLOUDFLARE_API_URL", "CLOUDFLARE_TOKEN", "/zones"],
  ];
  for (const [only, url, token, path] of alone) {
    it(`--only ${only} answers the request that it prints, and ends at SIGTERM with code 0`, async () => {
      const { child, seen, exitCode } = start("--only", only);
      await until(`${only} listens`, () => seen.out.includes("Ctrl-C"), START_MS);
      const exported = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(seen.out)?.[1] ?? "";

      const headers = { authorization: `Bearer ${exported(token)}` };
      const answer = await fetch(`${exported(url)}${path}`, { headers });
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.include(only === "digitalocean" ? "node-3" : "example.com");
      expect(seen.out).to.not.include("KUBECONFIG");

      child.kill("SIGTERM");
      expect(await exitCode()).to.equal(0);
      expect(seen.err).to.equal("");
    });
  }

  it("--only kubernetes keeps its kubeconfig as long as it runs", async () => {
    const { child, seen, exitCode } = start("--only", "kubernetes");
    await until("Kubernetes listens", () => seen.out.includes("Ctrl-C"), START_MS);
    const file = /KUBECONFIG=(\S+)/.exec(seen.out)?.[1] ?? "";
    expect(existsSync(file)).to.equal(true);
    expect(seen.out).to.not.include("DIGITALOCEAN");

    child.kill("SIGTERM");
    expect(await exitCode()).to.equal(0);
    expect(existsSync(file)).to.equal(false);
  });

  it("--only kubernetes has the nodes of the droplets of --only digitalocean", async () => {
    const kubernetes = start("--only", "kubernetes");
    const digitalocean = start("--only", "digitalocean");
    const both = () => [kubernetes, digitalocean].every(({ seen }) => seen.out.includes("Ctrl-C"));
    await until("both listen", both, START_MS);
    const [, url = ""] = /DIGITALOCEAN_API_URL=(\S+)/.exec(digitalocean.seen.out) ?? [];
    const [, token = ""] = /DIGITALOCEAN_ACCESS_TOKEN=(\S+)/.exec(digitalocean.seen.out) ?? [];
    const answer = await fetch(`${url}/v2/droplets`, { headers: { authorization: `Bearer ${token}` } });
    const { droplets } = (await answer.json()) as { readonly droplets: readonly { readonly id: number }[] };
    const [, file = ""] = /KUBECONFIG=(\S+)/.exec(kubernetes.seen.out) ?? [];
    const machines = (await nodesOf(file)).map(({ spec }) => spec.providerID);
    expect(machines)
      .to.have.length(3)
      .and.have.members(droplets.map(({ id }) => `digitalocean://${id}`));
  });

  it("ends with code 1 where it may not write the kubeconfig", async () => {
    const { seen, exitCode } = start("--only", "kubernetes", "--kubeconfig", join(await folder(), "none/kubeconfig"));
    expect(await exitCode()).to.equal(1);
    expect(seen.err).to.match(
      /^flipop: --kubeconfig: cannot write \S+: give a file in a folder that exists and is yours/,
    );
  });

  it("takes the port that it is given, and says so when that is taken", async () => {
    const first = start("--only", "digitalocean");
    await until("the first listens", () => first.seen.out.includes("Ctrl-C"), START_MS);
    const port = /:(\d+)\n/.exec(first.seen.out)?.[1] ?? "";

    const second = start("--only", "cloudflare", "--port", port);
    expect(await second.exitCode()).to.equal(1);
    expect(second.seen.err).to.include(`cannot listen on 127.0.0.1:${port}: choose another port`);
    expect(second.seen.err).to.not.include("    at ");

    first.child.kill("SIGTERM");
    await first.exitCode();
    const third = start("--only", "cloudflare", "--port", port, "--once");
    expect(await third.exitCode()).to.equal(0);
    expect(third.seen.out).to.include(`CLOUDFLARE_API_URL=http://127.0.0.1:${port}/client/v4`);
  });
});
