import { expect } from "chai";
import { describe, it } from "mocha";
import { runInstalledSandbox } from "../src/run.js";

const unprinted = (text: string) => expect.fail(`printed ${text}`);

describe("flipop sandbox", () => {
  it("runs the sandbox with its arguments where that is installed", async () => {
    const seen: (readonly string[])[] = [];
    const runSandbox = async (args: readonly string[]) => {
      seen.push(args);
      return 3;
    };
    expect(await runInstalledSandbox(["--once"], unprinted, () => Promise.resolve({ runSandbox }))).to.equal(3);
    expect(seen).to.deep.equal([["--once"]]);
  });

  it("says in one sentence where to get it, with code 1, where it is not installed", async () => {
    const printed: string[] = [];
    const load = () => Promise.reject(Object.assign(new Error("no such package"), { code: "ERR_MODULE_NOT_FOUND" }));
    expect(await runInstalledSandbox([], (text) => printed.push(text), load)).to.equal(1);
    expect(printed).to.have.length(1);
    expect(printed[0]).to.match(
      /^flipop: the sandbox is a package of its own.* not installed here: clone https:\S+,.*\n$/,
    );
  });

  it("hides no other failure", async () => {
    const load = () => Promise.reject(new Error("broken"));
    const failure = await runInstalledSandbox([], unprinted, load).catch((error: Error) => error.message);
    expect(failure).to.equal("broken");
  });
});
