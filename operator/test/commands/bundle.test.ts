import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, type FaultRequest, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { answer, HttpRig } from "../support/http-rig.js";
import { until } from "../support/time/until.js";
import { Flipop } from "./flipop.js";

/** In Base64, too, as a Secret has it. */
const HIDDEN = ["hidden-value", "hidden-copy", "hidden-secret", Buffer.from("hidden-secret").toString("base64")];

function configOf({ url }: HttpRig): string {
  const clusters = [{ name: "rig", cluster: { server: url } }];
  const contexts = [{ name: "rig", context: { cluster: "rig", user: "none" } }];
  const users = [{ name: "none", user: {} }];
  return JSON.stringify({ apiVersion: "v1", kind: "Config", "current-context": "rig", clusters, contexts, users });
}

describe("flipop bundle", () => {
  let kubernetes: Emulator;
  let digitalocean: DigitalOceanSimulator;
  let flipop: Flipop;

  before(async () => {
    kubernetes = await startEmulator();
    digitalocean = await startDigitalOceanSimulator();
    const { token, url } = digitalocean;
    flipop = new Flipop(kubernetes.kubeconfig(), { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: url });
    const env = [{ name: "PASS", value: "hidden-value" }];
    const container = { name: "job", image: "example.invalid/job", env };
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass" },
      metadata: { name: "rack", annotations: { copy: "hidden-copy" } },
      spec: { updateRoutedIP: { template: { spec: { containers: [container] } } } },
    });
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "FloatingIPPool", metadata: { name: "web", namespace: "default" } },
      spec: { provider: "digitalocean", match: { nodeLabel: "pool=work" }, ips: ["192.0.2.1"] },
      status: { error: `401 for ${token}` },
    });
    const data = { token: Buffer.from("hidden-secret").toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "flipop", namespace: "default" }, data });
  });

  after(async () => {
    flipop.close();
    await Promise.all([kubernetes.close(), digitalocean.close()]);
  });

  it("holds resources, Events, the Lease, doctor's results and logs, as far as they can be read, and no credential", async () => {
    const { code, out } = await flipop.run("bundle");
    expect(code).to.equal(0);
    const folder = out.trim();
    expect(folder).to.match(/flipop-bundle-\d{8}T\d{6}Z$/);
    const files = readdirSync(folder).sort();
    expect(files).to.include.members(["doctor.json", "events.json", "floatingippools.json", "versions.json"]);
    expect(files.some((name) => name.startsWith("lease."))).to.equal(true);
    const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
    expect(text).to.include('"name": "web"').and.to.include('"PASS"');
    for (const secret of [...HIDDEN, digitalocean.token]) expect(text).not.to.include(secret);
  });

  it("writes each file into its folder, however a server names its pods", async () => {
    const server = await HttpRig.create();
    server.handler = ({ url = "" }, response) => {
      const list = { kind: "PodList", metadata: {}, items: [{ metadata: { name: "../../outside" } }] };
      answer(response, 200, url.includes("/pods?") ? list : {});
    };
    const other = new Flipop(configOf(server));
    const { out } = await other.run("bundle");
    const files = readdirSync(out.trim());
    other.close();
    await server.close();
    expect(files).to.include("..%2F..%2Foutside.log");
    expect(server.seen.map(({ url }) => url)).to.satisfy((urls: readonly string[]) =>
      urls.some((url) => url.includes("/pods/..%2F..%2Foutside/log?")),
    );
  });

  it("fails as the other commands do, and leaves no folder, where no API server answers", async () => {
    const dead = new Flipop(kubernetes.kubeconfig().replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"));
    const folder = join(dead.file("beside", ""), "..", "report");
    const { code, out, err } = await dead.run("bundle", folder);
    const made = existsSync(folder);
    dead.close();
    expect({ code, out, made }).to.deep.equal({ code: 1, out: "", made: false });
    expect(err).to.match(/^flipop: [^\n]*127\.0\.0\.1:1[^\n]*: check the network, [^\n]*\n$/);
  });

  it("keeps what it could read, says what is missing, and ends with code 1 if that was no refusal", async () => {
    const failing = await bundledWithout("nodednsrecordsets", 503);
    expect(failing.code).to.equal(1);
    const refused = await bundledWithout("nodednsrecordsets", 403);
    expect(refused.code).to.equal(0);
    for (const { files, err } of [failing, refused]) {
      expect(files).to.include.members(["nodednsrecordsets.txt", "floatingippools.json"]);
      expect(err).to.match(
        /^flipop: these files only say why they lack the content: nodednsrecordsets\.txt, lease\.txt\n/,
      );
    }
  });

  async function bundledWithout(plural: string, code: number) {
    kubernetes.setFaults(({ target }: FaultRequest) =>
      target?.plural === plural ? { kind: "status", code } : undefined,
    );
    const ended = await flipop.run("bundle", `without-${plural}-${code}`);
    kubernetes.setFaults(undefined);
    return { ...ended, files: readdirSync(ended.out.trim()) };
  }

  it("ends with code 130 at Ctrl-C, and writes nothing", async () => {
    const server = await HttpRig.create();
    server.handler = () => undefined;
    const other = new Flipop(configOf(server));
    const folder = join(other.file("beside", ""), "..", "report");
    const running = await other.start("bundle", folder);
    await until("it reads", () => server.seen.length > 0);
    const { code, out } = await running.end("SIGINT");
    const made = existsSync(folder);
    other.close();
    await server.close();
    expect({ code, out, made }).to.deep.equal({ code: 130, out: "", made: false });
  });

  it("makes no folder but its own", async () => {
    const folder = join(flipop.file("beside", ""), "..", "missing");
    const { code, err } = await flipop.run("bundle", join(folder, "report"));
    expect({ code, err, made: existsSync(folder) }).to.deep.equal({
      ...{ code: 1, made: false },
      err: `flipop: ${folder} does not exist: create it, or name another folder\n`,
    });
  });

  it("overwrites nothing", async () => {
    const file = flipop.file("kept", "x");
    const { code, err } = await flipop.run("bundle", join(file, ".."));
    expect({ code, err: err.includes("is not empty: name another folder") }).to.deep.equal({ code: 1, err: true });
  });
});
