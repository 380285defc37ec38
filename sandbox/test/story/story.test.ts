import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { silentLogger } from "flipop-operator/logging";
import { until } from "flipop-operator/testing/until";
import { afterEach, describe, it } from "mocha";
import { readScenario } from "../../src/story/scenario/read-scenario.js";
import type { Scenario } from "../../src/story/scenario/scenario.js";
import { Story } from "../../src/story/story.js";

/** Acts of one step each, after a pool of two addresses on three nodes has come up. */
function scenario(spec: string, ...steps: readonly string[]) {
  const text = `
title: t
nodes: [{ name: edge, count: 3 }]
cloud: { addresses: [192.0.2.10, 192.0.2.11] }
acts:
  - title: start
    steps:
      - apply:
          - apiVersion: flipop.digitalocean.com/v1alpha1
            kind: FloatingIPPool
            metadata: { name: web, namespace: default }
            spec: { provider: digitalocean, region: nyc3, dnsRecordSet: { recordName: web, zone: example.com }, ${spec} }
      - settle
  - title: what follows
    steps:
${steps.map((step) => `      - ${step}`).join("\n")}
`;
  return readScenario({ name: "test.yaml", text, readFile: () => "" });
}

const NAME = "metadata: { name: gateway, namespace: voice }";
const ROUTED = readScenario({
  name: "routed.yaml",
  readFile: () => "",
  text: `
title: t
nodes: [{ name: edge, count: 4 }]
operator: { issuerNamespaces: [voice] }
acts:
  - title: start
    steps:
      - apply:
          - { apiVersion: v1, kind: Namespace, metadata: { name: voice } }
          - { apiVersion: v1, kind: Secret, ${NAME}, stringData: { token: dop_v1_simulated } }
          - apiVersion: apps/v1
            kind: Deployment
            ${NAME}
            spec:
              replicas: 2
              selector: { matchLabels: { app: gateway } }
              template:
                metadata: { labels: { app: gateway } }
                spec: { containers: [{ name: g, image: g, ports: [{ containerPort: 5060, hostPort: 5060, protocol: UDP }] }] }
          - { apiVersion: v1, kind: Service, ${NAME}, spec: { selector: { app: gateway }, ports: [{ port: 5060, protocol: UDP }] } }
          - apiVersion: flipop.digitalocean.com/v1alpha1
            kind: RoutedIPIssuer
            ${NAME}
            spec:
              { provider: digitalocean, region: nyc3, routedIPFirewallName: voice, credentialsSecretRef: { name: gateway, key: token } }
          - apiVersion: flipop.digitalocean.com/v1alpha1
            kind: RoutedIP
            ${NAME}
            spec: { issuerRef: { name: gateway }, serviceRef: { serviceName: gateway }, gracePeriodSeconds: 15 }
      - settle
  - title: what follows
    steps:
      - rollout: Deployment voice/gateway
      - wait: 45s
      - settle
      - drain: holder of voice/gateway
      - wait: 30s
      - settle
      - editFirewall: { name: voice, add: [tcp 8080], remove: [udp 5060] }
      - wait: 70s
      - settle
`,
});

const LISTED = "ips: [192.0.2.10, 192.0.2.11]";
const PLAY_MS = 120_000;

describe("a story with the real operator", function () {
  this.timeout(PLAY_MS);
  const open: Story[] = [];
  afterEach(async () => {
    for (const story of open.splice(0)) {
      await story.close();
      expect(story.stage.world.digitalocean.bugs).to.deep.equal([]);
      expect(story.stage.clock.pendingTimers).to.equal(0);
    }
  });

  async function prepared(played: Scenario) {
    const lines: string[] = [];
    const story = await Story.prepare({
      scenario: played,
      ...{ speed: 600, port: 0, logger: silentLogger, style: { width: 100, colours: false } },
      print: (text) => lines.push(text),
    });
    open.push(story);
    return { lines, story };
  }

  async function play(spec: string, ...steps: readonly string[]) {
    const { lines, story } = await prepared(scenario(spec, ...steps));
    const passed = await story.play(new AbortController().signal);
    return { passed, text: lines.join("\n"), state: story.stage.world.digitalocean.state };
  }

  it("moves the address of a node that fails, and passes", async () => {
    const { passed, text } = await play(
      LISTED,
      "fail: holder of default/web",
      "settle",
      "recover: all",
      "settle",
      "rest: 6m",
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(/00:\d\d {2}\* apply: FloatingIPPool default\/web\n/);
    expect(text).to.match(/\* edge-\d stops answering\n[^*]*web: 192\.0\.2\.1\d moves from edge-\d \(NodeNotReady/);
    expect(text).to.match(/moves +1\n/);
    expect(text.match(/ {7}PASS /g)).to.have.length(9);
    expect(text).to.not.include("FAIL");
    expect(text).to.not.include(String.fromCodePoint(0x1b));
  });

  it("crashes between create and record, and does not create again", async () => {
    const { passed, text, state } = await play(
      "desiredIPs: 1",
      "crash: { when: address-created }",
      "patch: { object: FloatingIPPool default/web, merge: { spec: { desiredIPs: 2 } } }",
      "settle",
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(/the cloud has made \S+; the operator is killed before it hears of that/);
    // The first one never got the answer; the second one infers the address from the node that it was created for.
    expect(text).to.match(
      /another operator starts;[^*]*web: \S+ counts as created by this resource[^*]*it\s+was\s+created\s+for[^*]*never\s+releases/,
    );
    // Two of the start, which are not the pool's, and its own two.
    expect(state.addresses()).to.have.length(4);
  });

  it("survives lost answers, an outage and people in the control panel", async () => {
    const { passed, text } = await play(
      LISTED,
      "loseAnswer: { call: assign }",
      "cordon: holder of default/web",
      "settle",
      "outage: { cloud: digitalocean, answer: 429, for: 30s }",
      "uncordon: all",
      "drain: holder of 2 of default/web",
      "settle",
      "moveAddress: { address: 192.0.2.10 }",
      "wait: 6m",
      "settle",
    );
    expect(passed, text).to.equal(true);
    expect(text).to.match(/DigitalOcean is back; \d+ calls failed during the outage/);
    expect(text).to.include("somebody takes 192.0.2.10 off its node in the control panel");
  });

  it("fails where the operator ends by itself, says why, and restarts it as a kubelet would", async () => {
    const { lines, story } = await prepared(scenario(LISTED, "wait: 30s"));
    const { kubernetes } = story.stage.world;
    // Another process takes the lease from the one at work.
    const ref = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "flipop", name: LEASE_NAME };
    const rob = setInterval(() => {
      if (story.aHolder === undefined) return;
      kubernetes.change(ref, (lease) => ({
        ...lease,
        spec: { ...(lease["spec"] as object), holderIdentity: "other" },
      }));
    }, 1);
    const passed = await story.play(new AbortController().signal).finally(() => clearInterval(rob));
    const why = "the operator ended by itself, with code 3: it lost its lease; a lower --speed helps on a busy machine";
    expect(passed).to.equal(false);
    expect(lines.join("\n").replaceAll(/\s+/g, " ")).to.include(why);

    expect(lines.join("\n").replaceAll(/\s+/g, " ")).to.include("it is restarted at once");
    const holder = () => (kubernetes.get(ref)?.["spec"] as { holderIdentity?: string } | undefined)?.holderIdentity;
    await until("the other operator leads", () => /^flipop-[2-9]$/.test(holder() ?? ""), PLAY_MS);
  });

  it("upgrades a group of nodes, and moves each address once", async () => {
    const { passed, text } = await play(LISTED, "upgrade: { group: edge, to: v1.36.1, atOnce: 3 }", "settle");
    expect(passed, text).to.equal(true);
    expect(text).to.match(/moves +2\n/);
    expect(text).to.match(/192\.0\.2\.10 +edge-[456] +v1\.36\.1/);
  });

  it("follows a Service through a rolling update, a drain and an edit of its firewall", async () => {
    const { lines, story } = await prepared(ROUTED);
    const passed = await story.play(new AbortController().signal);
    const text = lines.join("\n");
    expect(passed, text).to.equal(true);
    expect(text, text).to.match(/gateway: firewall "voice" was created for udp 5060, edge-\d/);
    // Pods that end do not recover: no grace period is spent on them.
    expect(text, text).to.match(
      /gets new pods[^*]*gateway: \S+ moves from edge-\d \(PodNotReady; gracePeriodSeconds does not apply\s+when all pods/,
    );
    expect(text, text).to.match(/is drained[^*]*gateway: \S+ moves from edge-\d \(Cordoned/);
    expect(text, text).to.match(/removes udp 5060[^*]*gateway: firewall "voice": udp 5060 added/);
    expect(text, text).to.match(/voice +tcp 8080, udp 5060 +edge-\d/);
    // The update replaces two pods, and the address leaves each of them once at most; the drain is one move more.
    expect(text, text).to.match(/ [23] +0 s +RoutedIP voice\/gateway/);
  });

  it("fails where the world does not come to rest", async () => {
    const { passed, text } = await play(
      LISTED,
      "remove: edge-1",
      "remove: edge-2",
      "remove: edge-3",
      "settle: { within: 30s }",
    );
    expect(passed).to.equal(false);
    expect(text).to.match(
      /FAIL everything ended in the expected state\n +\d\d:\d\d not settled after 30 s: FloatingIPPool/,
    );
  });

  it("fails where a crash never comes", async () => {
    const { passed, text } = await play(LISTED, "crash: { when: address-created }", "wait: 5s");
    expect(passed).to.equal(false);
    expect(text).to.include("test.yaml:16: the crash never came");
  });

  it("ends with the place of a step that can't be played", async () => {
    const error = await play(LISTED, "fail: holder of default/other").catch((reason: unknown) => reason);
    expect(String(error)).to.equal(
      "StepError: test.yaml:16: fail: there is no FloatingIPPool and no RoutedIP default/other: apply it first",
    );
  });

  it("ends at the given step", async () => {
    const story = await Story.prepare({
      scenario: scenario(LISTED, "wait: 1000h"),
      ...{ speed: 10, port: 0, logger: silentLogger, style: { width: 100, colours: false }, print: () => undefined },
    });
    open.push(story);
    const stop = new AbortController();
    const played = story.play(stop.signal).catch((reason: unknown) => reason);
    stop.abort(new Error("enough"));
    expect(await played).to.equal(stop.signal.reason);
  });
});
