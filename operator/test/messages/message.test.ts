import { expect } from "chai";
import { describe, it } from "mocha";
import { event, includes, isSame, note, type Problem, problem, topic, valuesIn } from "../../src/messages/message.js";

interface Fruit {
  readonly name: string;
  readonly count?: number;
}

const fruit = topic("fruit", {
  rotten: problem({
    reason: "Invalid",
    by: "author",
    text: ({ name, count = 1 }: Fruit) => `${count} ${name} is rotten`,
    remedy: ({ name }) => `throw the ${name} away`,
    example: { name: "apple" },
  }),
  fresh: note({ reason: "Observed", text: () => "all fruit is fresh" }),
  spoilt: problem({
    reason: ({ cause }: { readonly cause: Problem }) => cause.reason,
    by: "operator",
    text: ({ cause }: { readonly cause: Problem }) => `the basket is spoilt: ${cause.message}`,
    example: { cause: { reason: "Paused", message: "it is paused" } },
  }),
  all: problem({
    reason: "Invalid",
    by: "author",
    text: ({ causes }: { readonly causes: readonly Problem[] }) => causes.map(({ message }) => message).join("; "),
    example: { causes: [] },
  }),
  eaten: event({
    reason: "Released",
    action: "Eat",
    text: ({ name }: Fruit) => `${name} was eaten`,
    example: { name: "fig" },
  }),
});

describe("a message", () => {
  it("has the id of its topic and entry, the values, and the remedy at its end", () => {
    expect(fruit.rotten({ name: "pear", count: 2 })).to.deep.equal({
      id: "fruit.rotten",
      reason: "Invalid",
      message: "2 pear is rotten; fix: throw the pear away",
      values: { name: "pear", count: 2 },
    });
    expect(fruit.fresh().message).to.equal("all fruit is fresh");
    expect(fruit.eaten({ name: "fig" })).to.deep.equal({
      type: "Normal",
      reason: "Released",
      action: "Eat",
      note: "fig was eaten",
    });
  });

  it("can have the reason of its cause", () => {
    expect(fruit.spoilt({ cause: fruit.rotten({ name: "pear" }) }).reason).to.equal("Invalid");
    expect(fruit.spoilt.row.reason()).to.equal("Paused");
  });

  it("is the same as another one of the same entry and values, whatever the texts are", () => {
    expect(isSame(fruit.rotten({ name: "pear" }), fruit.rotten({ name: "pear" }))).to.equal(true);
    expect(isSame(fruit.rotten({ name: "pear" }), fruit.rotten({ name: "fig" }))).to.equal(false);
    const { message } = fruit.rotten({ name: "pear" });
    expect(isSame(fruit.rotten({ name: "pear" }), { reason: "Invalid", message })).to.equal(false);
  });

  it("includes itself and its causes, however deep, and not what only has its text", () => {
    const cause = fruit.rotten({ name: "pear" });
    const whole = fruit.spoilt({ cause: fruit.all({ causes: [fruit.fresh(), fruit.spoilt({ cause })] }) });
    expect([includes(whole, whole), includes(whole, cause), includes(whole, fruit.fresh())]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(includes(whole, fruit.rotten({ name: "fig" }))).to.equal(false);
    expect(includes(fruit.spoilt({ cause: { reason: "Invalid", message: cause.message } }), cause)).to.equal(false);
    expect(valuesIn(whole, fruit.rotten)).to.deep.equal([{ name: "pear" }]);
  });

  it("has an example for the reference page", () => {
    expect(fruit.rotten.row.example()).to.equal("1 apple is rotten; fix: throw the apple away");
    expect([fruit.rotten.row.by, fruit.fresh.row.by]).to.deep.equal(["author", undefined]);
    expect([fruit.rotten.row.hasRemedy, fruit.all.row.hasRemedy]).to.deep.equal([true, false]);
  });
});
