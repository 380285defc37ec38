import { expect } from "chai";
import { describe, it } from "mocha";
import { withDictionariesInLists } from "../../tools/packs/python-structs.js";

const LIST =
  '        limits: typing.Sequence[typing.Union["Limits", typing.Dict[builtins.str, typing.Any]]],\n    ) -> None:\n';
const BODY = "        if __debug__:\n            pass\n";

describe("lists of structs in the Python library", () => {
  it("may have dictionaries", () => {
    expect(withDictionariesInLists(`${LIST}${BODY}`)).to.equal(
      `${LIST}        if isinstance(limits, (list, tuple)):\n            limits = [Limits(**each) if isinstance(each, dict) else each for each in limits]\n${BODY}`,
    );
  });

  for (const [title, code] of [
    ["no list", BODY],
    ["a method that begins otherwise", LIST],
    ["one before a method that begins as usual", `${LIST}        pass\n\n    def next(\n${BODY}`],
  ] as const) {
    it(`are refused in code with ${title}`, () => {
      expect(() => withDictionariesInLists(code)).to.throw(": correct ");
    });
  }
});
