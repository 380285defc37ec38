import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { executable, resolveBinaries } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { readScenario } from "../../src/story/read-scenario.js";
import { Story } from "../../src/story/story.js";

const SCENARIO = `
title: for kubectl
nodes: [{ name: edge, count: 3 }]
cloud: { addresses: [192.0.2.10] }
acts:
  - title: start
    steps:
      - apply:
          - apiVersion: flipop.digitalocean.com/v1alpha1
            kind: FloatingIPPool
            metadata: { name: web, namespace: default }
            spec: { provider: digitalocean, region: nyc3, ips: [192.0.2.10] }
      - settle
`;
const MOVE_MS = 90_000;

describe("kubectl in the sandbox, with the operator at work", function () {
  this.timeout(2 * MOVE_MS);
  let story: Story | undefined;
  let kubectlFile = "";
  let home = "";

  before(async function () {
    const resolution = await resolveBinaries({ parts: ["kubectl"] });
    if (resolution.kind !== "found") {
      if (process.env.CI === "true") throw new Error("no kubectl for this suite");
      process.stderr.write("SKIPPED, no kubectl for the sandbox's suite\n");
      return this.skip();
    }
    kubectlFile = executable(resolution.binaries, "kubectl");
    home = await mkdtemp(join(tmpdir(), "flipop-story-"));
    story = await Story.prepare({
      scenario: readScenario({ name: "kubectl.yaml", text: SCENARIO, readFile: () => "" }),
      ...{ speed: 600, port: 0, logger: silentLogger, style: { width: 100, colours: false }, print: () => undefined },
    });
    await writeFile(join(home, "config"), story.stage.world.kubernetes.kubeconfig());
    expect(await story.play(new AbortController().signal)).to.equal(true);
    story.toRealTime();
  });
  after(async () => {
    await story?.close();
    if (home !== "") await rm(home, { recursive: true });
  });

  /** Throws what it says when it fails. */
  async function kubectl(args: string): Promise<string> {
    const env = { PATH: process.env.PATH ?? "", HOME: home, KUBECONFIG: join(home, "config"), KUBERC: "off" };
    const child = spawn(kubectlFile, args.split(" "), { env, timeout: 60_000 });
    child.stdin.end();
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`kubectl ${args}: ${code}\n${stdout}${stderr}`);
    return stdout;
  }
  const holder = () => kubectl("get fip web -o jsonpath={.status.ips.192\\.0\\.2\\.10.nodeName}");

  it("gets the pool", async () => {
    const [head, row] = (await kubectl("get fip")).trim().split("\n");
    expect(head).to.match(/^NAME +/);
    expect(row).to.match(/^web +/);
  });

  it("describes it, with what happened and no time that is still to come", async () => {
    const output = await kubectl("describe fip web");
    expect(output).to.match(/Events:[\s\S]*192\.0\.2\.10 (goes to|is on) edge-\d/);
    expect(output).to.not.include("<invalid>");
  });

  it("cordons the holder, and the address moves", async () => {
    const before = await holder();
    expect(before).to.match(/^edge-\d$/);
    await kubectl(`cordon ${before}`);
    const { state } = story?.stage.world.digitalocean ?? {};
    const id = state?.address("192.0.2.10").dropletId;
    await until("the address moves", () => state?.address("192.0.2.10").dropletId !== id, MOVE_MS);
    await until("the status tells it", async () => (await holder()) !== before, MOVE_MS);
    expect(await kubectl("describe fip web")).to.include(`moves from ${before} (Cordoned`);
  });
});
