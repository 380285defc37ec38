import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { after, before, beforeEach, describe, it } from "mocha";
import { ASSIGN, CREATE } from "./made-jobs.js";

const SAMPLES = resolve(import.meta.dirname, "../../../examples/routed-ip-jobs");
const RULES = '[{"protocol":"tcp","port":443,"nodes":[{"name":"n1","providerID":"digitalocean://1"}]}]';

describe("a sample Job whose cloud is out of order", () => {
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(503).end('{"message": "out of order"}');
  });
  const calls: string[] = [];
  let folder: string;
  let url: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "flipop-sample-"));
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    calls.length = 0;
  });

  after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** What it prints, if it fails; the report goes to a file. */
  async function fails(name: string, variables: object): Promise<string> {
    const report = join(folder, name);
    writeFileSync(report, "");
    const text = readFileSync(join(SAMPLES, `${name}.sh`), "utf8").replaceAll("/dev/termination-log", report);
    const env = { PATH: process.env["PATH"], DIGITALOCEAN_API_URL: url, DIGITALOCEAN_ACCESS_TOKEN: "t", ...variables };
    const said = await new Promise<string>((done, refuse) => {
      execFile("sh", ["-c", text], { env, timeout: 20_000 }, (error, stdout, stderr) => {
        if (error?.code === undefined || error.killed === true) refuse(new Error(`it ended with ${error?.code}`));
        else done(`${stdout}${stderr}`);
      });
    });
    expect(readFileSync(report, "utf8"), "reports nothing").to.equal("");
    return said;
  }

  it("fails with the answer, and reports no address", async () => {
    expect(await fails("update-routed-ip", { ...CREATE })).to.contain("out of order");
    expect(calls).to.deep.equal(["POST /v2/reserved_ips"]);
  });

  it("creates no second firewall because it could not list the first", async () => {
    expect(await fails("update-firewall", { ...ASSIGN, FIREWALL_RULES: RULES })).to.contain("out of order");
    expect(calls).to.deep.equal(["GET /v2/firewalls?per_page=200"]);
  });
});
