import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { beforeEach, describe, it } from "mocha";
import type { Probe } from "../../../src/health/probe.js";
import { Answers } from "../../../src/health/standby/answer-leader.js";
import { holderOf, OwnReplica } from "../../../src/health/standby/own-replica.js";
import { type Question, questionToken, readAnswer } from "../../../src/health/standby/signed-messages.js";
import { Signer } from "../../../src/health/standby/signer.js";
import { keyOf, type ProbeTarget } from "../../../src/health/target.js";
import { STANDBY_ATTEMPTS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const target: ProbeTarget = {
  ...{ type: "TCP", host: "10.0.0.3", port: 80, timeoutMs: 1_000 },
  ...{ path: "/", expectedStatuses: [], insecureSkipVerify: false },
};
const key = keyOf(target);

/** The Lease of the election as an operator with this key holds it. */
function leaseOf(identity: string, publicKey: string, holderIdentity = identity) {
  const replica = JSON.stringify({ identity, address: "10.1.0.1:8082", node: "node-1", publicKey });
  return { metadata: { annotations: { [Annotation.replica]: replica } }, spec: { holderIdentity } };
}

describe("the answers of a standby replica", () => {
  let clock: FakeClock;
  let leader: Signer;
  let self: OwnReplica;
  let answers: Answers;
  let probes: number;
  /** Whether the n-th attempt succeeds. */
  let succeeds: (attempt: number) => boolean;
  let controlFailed: boolean;
  let followed: Set<string>;

  const probe: Probe = (_target, signal) => {
    probes += 1;
    if (succeeds(probes)) return Promise.resolve({ ok: true });
    return new Promise((resolve) => {
      const end = () => resolve({ ok: false, error: (signal.reason as Error).message });
      signal.addEventListener("abort", end, { once: true });
    });
  };

  beforeEach(() => {
    [clock, leader, probes, controlFailed, followed] = [new FakeClock(), new Signer(), 0, false, new Set([key])];
    succeeds = () => true;
    self = new OwnReplica({ clock, identity: "standby", node: "node-2", host: "10.1.0.2" });
    self.electionSeen(leaseOf("leader", leader.publicKey));
    answers = new Answers({
      ...{ clock, self, probe, controlFailed: () => controlFailed },
      targetOf: (wanted) => (followed.has(wanted) ? target : undefined),
    });
  });

  const question = (more: Partial<Question> = {}): Question => ({
    ...{ from: "leader", to: "standby", number: 1, target: key },
    ...more,
  });

  async function ask(asked: Question, signer = leader) {
    const query = new URLSearchParams({ question: questionToken(signer, asked) });
    const answering = answers.route(query);
    await clock.advance(2_000);
    return answering;
  }

  it("are signed, and say what it saw", async () => {
    const { status, body } = await ask(question());
    expect(status).to.equal(200);
    const read = readAnswer(body, self.signer.publicKey, { question: question(), elapsedMs: 2_000 });
    expect(read).to.deep.include({ ageMs: 0, result: { ok: true } });
  });

  it("say that a target is unreached only after several attempts, and before the leader's next probe times out", async () => {
    succeeds = () => false;
    const { body } = await ask(question());
    const read = readAnswer(body, self.signer.publicKey, { question: question(), elapsedMs: 2_000 });
    expect(read?.result).to.deep.equal({ ok: false, error: "no answer within 0.8 s" });
    expect(read?.ageMs).to.equal(800);
    expect(probes).to.equal(STANDBY_ATTEMPTS);
    expect(clock.pendingTimers).to.equal(0);
  });

  it("say that a target is reached when one of several packets arrives", async () => {
    succeeds = (attempt) => attempt === STANDBY_ATTEMPTS;
    const { body } = await ask(question());
    const read = readAnswer(body, self.signer.publicKey, { question: question(), elapsedMs: 2_000 });
    expect(read?.result).to.deep.equal({ ok: true });
    expect(clock.pendingTimers).to.equal(0);
  });

  const refused = async (answer: ReturnType<typeof ask>, status: number) => {
    const before = probes;
    expect((await answer).status).to.equal(status);
    expect(probes, "it probes nothing").to.equal(before);
  };

  it("go to the leader only", async () => {
    await refused(ask(question(), new Signer()), 403);
    await refused(ask(question({ from: "stranger" })), 403);
    await refused(ask(question({ to: "former standby" })), 403);
    expect((await answers.route(new URLSearchParams())).status).to.equal(403);
  });

  it("are not given while no leader is known, or the annotation is that of a former leader", async () => {
    self.electionSeen(undefined);
    await refused(ask(question()), 403);
    self.electionSeen(leaseOf("leader", leader.publicKey, "another"));
    await refused(ask(question()), 403);
  });

  it("are not given twice to one question, nor to an older one", async () => {
    expect((await ask(question({ number: 5 }))).status).to.equal(200);
    await refused(ask(question({ number: 5 })), 409);
    await refused(ask(question({ number: 4 })), 409);
    expect((await ask(question({ number: 6 }))).status).to.equal(200);
  });

  it("are not given to an old question about a target that is followed again", async () => {
    expect((await ask(question({ number: 5 }))).status).to.equal(200);
    followed.clear();
    followed.add("another");
    expect((await ask(question({ number: 6, target: "another" }))).status).to.equal(200);
    followed.add(key);
    await refused(ask(question({ number: 5 })), 409);
  });

  it("count the questions of each leader anew", async () => {
    expect((await ask(question({ number: 5 }))).status).to.equal(200);
    const next = new Signer();
    self.electionSeen(leaseOf("next", next.publicKey));
    await refused(ask(question({ number: 6 })), 403);
    expect((await ask(question({ from: "next", number: 1 }), next)).status).to.equal(200);
  });

  it("are not about targets that it does not probe for its own resources", async () => {
    await refused(ask(question({ target: keyOf({ ...target, host: "169.254.169.254" }) })), 404);
  });

  it("are not given while its own network is at fault, or when it was too slow to tell", async () => {
    controlFailed = true;
    await refused(ask(question()), 503);
    controlFailed = false;
    succeeds = () => false;
    const query = new URLSearchParams({ question: questionToken(leader, question({ number: 2 })) });
    const answering = answers.route(query);
    await clock.stall(5_000);
    await clock.advance(0);
    expect((await answering).status).to.equal(503);
  });
});

describe("what a replica publishes in its Lease", () => {
  it("is read back as long as it holds the Lease", () => {
    const own = new OwnReplica({ clock: new FakeClock(), identity: "me", node: "node-1", host: "fd00::1" });
    expect(own.annotations(), "before it listens").to.deep.equal({});
    own.port = () => 8082;
    const lease = { metadata: { annotations: own.annotations() }, spec: { holderIdentity: "me" } };
    const { publicKey } = own.signer;
    const published = { identity: "me", address: "[fd00::1]:8082", node: "node-1", publicKey };
    expect(holderOf(lease)).to.deep.equal(published);
    expect(holderOf({ ...lease, spec: { holderIdentity: "you" } })).to.equal(undefined);
    expect(holderOf(undefined)).to.equal(undefined);
  });

  it("shows which leader fell silent: its Lease ran out while it held it", async () => {
    const clock = new FakeClock();
    const me = new OwnReplica({ clock, identity: "me", node: "node-2", host: "10.1.0.2" });
    const other = leaseOf("leader", "key");
    me.electionSeen(other);
    me.electionSeen({ ...other, spec: { holderIdentity: "" } });
    me.electionSeen({ ...other, spec: { holderIdentity: "me" } });
    expect(me.fallen, "it gave its Lease up").to.equal(undefined);
    me.electionSeen(other);
    await clock.advance(5_000);
    me.electionSeen(leaseOf("me", me.signer.publicKey));
    expect(me.fallen).to.deep.equal({ node: "node-1", at: clock.monotonic() });
    me.electionSeen(leaseOf("me", me.signer.publicKey));
    expect(me.fallen?.node).to.equal("node-1");
  });

  for (const text of ["", "{}", "null", "[]", '{"identity":"me"}']) {
    it(`is nothing if the annotation is '${text}'`, () => {
      const lease = { metadata: { annotations: { [Annotation.replica]: text } }, spec: { holderIdentity: "me" } };
      expect(holderOf(lease)).to.equal(undefined);
    });
  }
});
