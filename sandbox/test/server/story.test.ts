import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { after, before, describe, it } from "mocha";
import { readScenario } from "../../src/story/scenario/read-scenario.js";
import { Story } from "../../src/story/story.js";
import { poolStory } from "../story/pool-story.js";
import { Kubectl } from "./kubectl.js";

const MOVE_MS = 90_000;

describe("kubectl in the sandbox, with the operator at work", function () {
  this.timeout(2 * MOVE_MS);
  let story: Story | undefined;
  let connection: Kubectl;

  before(async function () {
    connection = await Kubectl.find(this);
    story = await Story.prepare({
      scenario: readScenario({ name: "kubectl.yaml", text: poolStory(), readFile: () => "" }),
      ...{ speed: 600, port: 0, logger: silentLogger, style: { width: 100, colours: false }, print: () => undefined },
    });
    await connection.connect(story.stage.world.kubernetes.kubeconfig());
    expect(await story.play(new AbortController().signal)).to.equal(true);
    story.toRealTime();
  });
  after(async () => {
    await story?.close();
    await connection?.close();
  });

  const kubectl = async (args: string) => (await connection.run(args)).stdout;
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
    await until("the status shows it", async () => (await holder()) !== before, MOVE_MS);
    expect(await kubectl("describe fip web")).to.include(`moves from ${before} (Cordoned`);
  });
});
