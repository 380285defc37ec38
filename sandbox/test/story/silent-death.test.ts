import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { afterEach, describe, it } from "mocha";
import type { Fact } from "../../src/story/rules/facts.js";
import { readScenario } from "../../src/story/scenario/read-scenario.js";
import type { Step } from "../../src/story/scenario/scenario.js";
import { Story } from "../../src/story/story.js";
import { poolStory } from "./pool-story.js";

const SCENARIOS = resolve(import.meta.dirname, "../../../examples/scenarios");
/** Of the pool of all acts. */
const SPEC = "ips: [192.0.2.10], healthCheck: { type: TCP, port: 80 }";

const DAEMON_SET = `
          - apiVersion: apps/v1
            kind: DaemonSet
            metadata: { name: web, namespace: default }
            spec:
              selector: { matchLabels: { app: web } }
              template:
                metadata: { labels: { app: web } }
                spec: { containers: [{ name: web, image: web, ports: [{ containerPort: 80 }] }] }
`;

function withSteps(spec: string, ...steps: readonly string[]): string {
  return poolStory({ spec, objects: DAEMON_SET, steps: steps.map((step) => `      - ${step}`).join("\n") });
}

describe("a node that dies and says nothing, in a story", function () {
  this.timeout(120_000);
  const open: Story[] = [];
  afterEach(async () => {
    for (const story of open.splice(0)) {
      await story.close();
      expect(story.stage.clock.pendingTimers).to.equal(0);
    }
  });

  /** The seconds from the start of each step of that kind to the next assign call. */
  async function play(text: string) {
    const lines: string[] = [];
    const deaths: number[] = [];
    const before = ({ do: kind }: Step) => {
      if (kind === "power-off") deaths.push(story.stage.clock.monotonic());
    };
    const story = await Story.prepare({
      scenario: readScenario({ name: "test.yaml", text, readFile: () => "" }),
      ...{ speed: 60, port: 0, logger: silentLogger, style: { width: 100, colours: false }, before },
      print: (line) => lines.push(line),
    });
    open.push(story);
    const passed = await story.play(new AbortController().signal);
    const seconds = deaths.map((at) => (orderedAfter(story.facts, at) - at) / 1000);
    return { passed, seconds, text: lines.join("\n") };
  }

  it("loses its address after 40 s without a health check, when Kubernetes has noticed", async () => {
    const { passed, seconds, text } = await play(
      withSteps(
        "ips: [192.0.2.10]",
        "powerOff: holder of default/web",
        "wait: 45s",
        "settle",
        "recover: all",
        "settle",
      ),
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(
      /\* edge-\d loses its power\n[^*]*moves from edge-\d \(NodeNotReady; gracePeriodSeconds is 0\)/,
    );
    expect(seconds[0]).to.be.within(40, 42);
  });

  it("loses it when probes and Lease agree, with a health check", async () => {
    const { passed, seconds, text } = await play(
      withSteps(SPEC, "powerOff: holder of default/web", "wait: 20s", "settle", "recover: all", "wait: 60s", "settle"),
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(
      /\* edge-\d loses its power\n[^*]*moves from edge-\d \(ProbeFailed; gracePeriodSeconds is 0\)/,
    );
    expect(text).to.match(/moves +1\n/);
    expect(seconds[0]).to.be.within(5, 16);
  });

  it("loses it when probes and Lease agree, with probes of its pod", async () => {
    const spec = `match: { podLabel: app=web }, ${SPEC.replace("port: 80", "port: 80, address: PodIP")}`;
    const { passed, seconds, text } = await play(
      withSteps(spec, "wait: 20s", "powerOff: holder of default/web", "wait: 20s", "settle", "recover: all", "settle"),
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(/moves +1\n/);
    expect(seconds[0]).to.be.within(5, 16);
  });

  it("keeps it if it has power again before the kubelet is silent", async () => {
    const { passed, text } = await play(
      withSteps(SPEC, "powerOff: holder of default/web", "wait: 4s", "recover: all", "wait: 60s", "settle"),
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(/moves +0\n/);
  });

  it("can be deleted before Kubernetes has noticed", async () => {
    const { passed, text } = await play(
      withSteps("ips: [192.0.2.10]", "powerOff: edge-3", "wait: 5s", "remove: edge-3", "wait: 60s", "settle"),
    );
    expect(passed, text).to.equal(true);
  });

  it("loses it within three seconds of the tutorial's last act, and as the tutorial says before", async () => {
    const { passed, seconds, text } = await play(readFileSync(resolve(SCENARIOS, "failover.yaml"), "utf8"));
    expect(passed, text).to.equal(true);
    expect(seconds[0]).to.be.within(40, 42);
    expect(seconds[1]).to.be.within(5, 16);
    expect(seconds[2]).to.be.within(1, 3.2);
  });
});

function orderedAfter(facts: readonly Fact[], at: number): number {
  return facts.find((fact) => fact.kind === "ordered" && fact.at > at)?.at ?? Number.NaN;
}
