import { expect } from "chai";
import { describe, it } from "mocha";
import {
  type Answer,
  answerToken,
  type Question,
  questionToken,
  readAnswer,
  readQuestion,
} from "../../../src/health/standby/signed-messages.js";
import { Signer, signedValue } from "../../../src/health/standby/signer.js";

const leader = new Signer();
const standby = new Signer();
const question: Question = { from: "leader", to: "standby", number: 7, target: "a" };
const answer: Answer = { ...question, ageMs: 800, result: { ok: false, error: "no answer within 0.8 s" } };
const read = (token: string, elapsedMs = 900, key = standby.publicKey) =>
  readAnswer(token, key, { question, elapsedMs });

describe("a question to the standby replica", () => {
  it("is what its signer wrote", () => {
    expect(readQuestion(questionToken(leader, question), leader.publicKey)).to.deep.equal(question);
  });

  it("counts only with the signature of the leader", () => {
    expect(readQuestion(questionToken(standby, question), leader.publicKey)).to.equal(undefined);
    const [, signature] = questionToken(leader, question).split(".");
    const forged = Buffer.from(JSON.stringify({ ...question, target: "b" })).toString("base64url");
    expect(readQuestion(`${forged}.${signature}`, leader.publicKey)).to.equal(undefined);
  });

  for (const token of ["", ".", "a.b", "a.b.c", "%%%"]) {
    it(`is not "${token}"`, () => expect(readQuestion(token, leader.publicKey)).to.equal(undefined));
  }

  it("has two parts", () => {
    expect(readQuestion(`${questionToken(leader, question)}.more`, leader.publicKey)).to.equal(undefined);
  });

  it("counts not with a key that is none", () => {
    expect(readQuestion(questionToken(leader, question), "no key")).to.equal(undefined);
  });

  it("needs all of its fields", () => {
    const { target: _none, ...rest } = question;
    expect(readQuestion(leader.token("question", rest), leader.publicKey)).to.equal(undefined);
    expect(readQuestion(leader.token("question", null), leader.publicKey)).to.equal(undefined);
    expect(readQuestion(leader.token("question", { ...question, number: "7" }), leader.publicKey)).to.equal(undefined);
  });
});

describe("an answer of the standby replica", () => {
  it("is what the standby wrote", () => {
    expect(read(answerToken(standby, answer))).to.deep.equal(answer);
  });

  it("counts only with the signature of the standby", () => {
    expect(read(answerToken(leader, answer))).to.equal(undefined);
  });

  it("is not the question, which the leader may have signed itself", () => {
    expect(signedValue("answer", questionToken(standby, question), standby.publicKey)).to.equal(undefined);
  });

  for (const other of [{ number: 6 }, { target: "b" }, { from: "former leader" }, { to: "former standby" }]) {
    it(`to another question does not count: ${JSON.stringify(other)}`, () => {
      expect(read(answerToken(standby, { ...answer, ...other }))).to.equal(undefined);
    });
  }

  it("of a probe that began before the question does not count", () => {
    expect(read(answerToken(standby, answer), 799)).to.equal(undefined);
    expect(read(answerToken(standby, { ...answer, ageMs: -1 }))).to.equal(undefined);
    expect(read(answerToken(standby, { ...answer, ageMs: Number.NaN }))).to.equal(undefined);
  });

  it("needs a result", () => {
    const token = (result: unknown) => standby.token("answer", { ...answer, result });
    for (const result of [undefined, null, "ok", {}, { ok: "yes" }, { ok: false }]) {
      expect(read(token(result)), JSON.stringify(result)).to.equal(undefined);
    }
    expect(read(token({ ok: true }))?.result).to.deep.equal({ ok: true });
  });
});
