import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { askWithSocket, STANDBY_ANSWER_BYTES } from "../../../src/health/standby/ask-standby.js";
import { OwnReplica, type Replica } from "../../../src/health/standby/own-replica.js";
import { answerToken, readQuestion } from "../../../src/health/standby/signed-messages.js";
import { Signer } from "../../../src/health/standby/signer.js";
import { StandbyWitness } from "../../../src/health/standby/standby-witness.js";
import type { ProbeTarget } from "../../../src/health/target.js";
import { silentLogger } from "../../../src/logging.js";
import { STANDBY_ASK_MS, STANDBY_MARGIN_MS, STANDBY_TIMINGS } from "../../../src/timings.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const target: ProbeTarget = {
  ...{ type: "TCP", host: "10.0.0.3", port: 80, timeoutMs: 1_000 },
  ...{ path: "/", expectedStatuses: [], insecureSkipVerify: false },
};

describe("the standby replica as a witness", () => {
  let clock: FakeClock;
  let key: Signer;
  let self: OwnReplica;
  let standby: Replica | undefined;
  let leads: boolean;
  let reads: number;
  let asked: string[];
  /** Of the standby. @default it answers that it does not reach the target */
  let reply: (token: string, signal: AbortSignal) => Promise<string>;
  let answered: number;
  /** Why the standby does not reach the target, for each answer. */
  let failures: (string | undefined)[];
  let witness: StandbyWitness;

  beforeEach(() => {
    [clock, key, leads, reads, asked, answered, failures] = [new FakeClock(), new Signer(), true, 0, [], 0, []];
    self = new OwnReplica({ clock, identity: "leader", node: "node-1", host: "10.1.0.1" });
    standby = { identity: "standby", address: "10.1.0.2:8082", node: "node-2", publicKey: key.publicKey };
    reply = (token) => Promise.resolve(answerTo(token, false));
    witness = new StandbyWitness({
      ...{ clock, logger: silentLogger, self, leads: () => leads },
      onAnswer: (_target, failure) => {
        answered += 1;
        failures.push(failure);
      },
      readStandby: () => {
        reads += 1;
        return Promise.resolve(standby);
      },
      ask: (address, token, signal) => {
        asked.push(address);
        return reply(token, signal);
      },
    });
  });

  const resultOf = (ok: boolean) => (ok ? { ok } : { ok, error: "connection refused" });
  function answerTo(token: string, ok: boolean, signer = key): string {
    const question = readQuestion(token, self.signer.publicKey);
    if (question === undefined) throw new Error("no question of the leader");
    return answerToken(signer, { ...question, ageMs: 0, result: resultOf(ok) });
  }
  async function known(): Promise<void> {
    witness.refresh();
    await clock.advance(0);
  }

  it("is asked as soon as a target is suspected, and again as long as it is", async () => {
    await known();
    expect(witness.facts(target)).to.deep.equal({ isAsked: false });
    witness.suspect([target]);
    expect(witness.facts(target).isAsked).to.equal(true);
    const began = clock.monotonic();
    await clock.advance(0);
    expect([witness.facts(target).answer, witness.facts(target).isAsked, answered]).to.deep.equal([
      { ok: false, began, node: "node-2" },
      false,
      1,
    ]);
    reply = (token) => Promise.resolve(answerTo(token, true));
    await clock.advance(STANDBY_ASK_MS);
    expect([witness.facts(target).answer?.ok, asked.length]).to.deep.equal([true, 2]);
    expect(failures).to.deep.equal(["connection refused", undefined]);
    witness.suspect([]);
    await clock.advance(10 * STANDBY_ASK_MS);
    expect([asked.length, clock.pendingTimers, witness.facts(target).answer]).to.deep.equal([2, 0, undefined]);
  });

  it("is absent without another replica, and for a replica that does not lead", async () => {
    standby = undefined;
    await known();
    witness.suspect([target]);
    await clock.advance(0);
    expect([witness.facts(target).isAsked, answered, asked]).to.deep.equal([false, 1, []]);
    standby = { identity: "leader", address: "10.1.0.1:8082", node: "node-1", publicKey: self.signer.publicKey };
    await clock.advance(STANDBY_TIMINGS.retryMs);
    await known();
    await clock.advance(STANDBY_ASK_MS);
    expect(asked).to.deep.equal([]);
    leads = false;
    witness.suspect([target]);
    await clock.advance(STANDBY_TIMINGS.retryMs);
    await known();
    expect([clock.pendingTimers, reads]).to.deep.equal([0, 2]);
  });

  it("counts no answer that another one signed, or that it gave to another question", async () => {
    await known();
    let first = "";
    const replies = [
      (token: string) => answerTo(token, false, new Signer()),
      (token: string) => {
        first = answerTo(token, false);
        return "not a token";
      },
      () => first,
    ];
    reply = (token) => Promise.resolve((replies.shift() ?? ((again) => answerTo(again, true)))(token));
    witness.suspect([target]);
    for (let asks = 0; asks < 3; asks++) {
      await clock.advance(asks === 0 ? 0 : STANDBY_ASK_MS);
      expect(witness.facts(target), `${asks}`).to.include({ isAsked: false }).and.not.to.have.property("answer");
    }
    await clock.advance(STANDBY_ASK_MS);
    expect(witness.facts(target).answer?.ok).to.equal(true);
  });

  it("is not waited for longer than its probe may take, and is looked for again", async () => {
    await known();
    reply = (_token, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
    witness.suspect([target]);
    await clock.advance(target.timeoutMs + STANDBY_MARGIN_MS - 1);
    expect(witness.facts(target).isAsked).to.equal(true);
    await clock.advance(1);
    expect(witness.facts(target).isAsked).to.equal(false);
    await known();
    expect(reads).to.equal(2);
    witness.close();
    await clock.advance(0);
    expect(clock.pendingTimers).to.equal(0);
  });
});

describe("a question by HTTP", () => {
  let server: Server | undefined;

  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    server = undefined;
  });

  async function listen(listener: RequestListener): Promise<string> {
    const made = createServer(listener);
    server = made;
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(made.address() as AddressInfo).port}`;
  }

  const ask = (address: string, signal = new AbortController().signal) =>
    askWithSocket(address, "the question", signal).catch((error: Error) => error.message);

  it("gets the body of the answer", async () => {
    const address = await listen(({ url }, response) => response.end(`to ${url}`));
    expect(await ask(address)).to.equal("to /probe?question=the+question");
  });

  it("gets no answer with another status, or of too many bytes", async () => {
    expect(await ask(await listen((_request, response) => response.writeHead(403).end()))).to.equal("status 403");
    server?.close();
    const large = await listen((_request, response) => response.end("x".repeat(STANDBY_ANSWER_BYTES + 1)));
    expect(await ask(large)).to.include(`more than ${STANDBY_ANSWER_BYTES} bytes`);
  });

  it("ends with the signal, also in the middle of an answer", async () => {
    const controller = new AbortController();
    const address = await listen((_request, response) => {
      response.write("x");
      setImmediate(() => controller.abort());
    });
    expect(await ask(address, controller.signal))
      .to.be.a("string")
      .and.not.to.equal("x");
  });
});
