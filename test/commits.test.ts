import { expect } from "chai";
import { describe, it } from "mocha";
import { messageProblems } from "../tools/commits/rules.js";

describe("the check of commit messages", () => {
  for (const message of [
    "fix(inventory): keep the lock while an action runs",
    "feat!: drop Node 20\n\nNode 20 gets no updates.",
    "Merge branch 'main' into topic",
    "docs: name the rights of a token\n\n# a comment of the editor",
  ]) {
    it(`accepts ${JSON.stringify(message)}`, () => expect(messageProblems(message)).to.deep.equal([]));
  }

  for (const [message, problem] of [
    ["Keep the lock", "has no type"],
    ["fixes: keep the lock", '"fixes" is not a type of commit'],
    ["fix: keep the lock.", "full stop"],
    [`fix: ${"long ".repeat(20)}x`, "106 characters"],
    ["fix: keep the lock\nfor as long", "second line is not empty"],
  ] as const) {
    it(`refuses ${JSON.stringify(message)}`, () => expect(messageProblems(message).join()).to.include(problem));
  }
});
