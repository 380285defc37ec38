import { PassThrough } from "node:stream";
import { expect } from "chai";
import { describe, it } from "mocha";
import { CommandError, type CommandModule, type CommandSpec } from "../../src/commands/command.js";
import { withoutMiddle } from "../../src/commands/render/table.js";
import { runCommand } from "../../src/commands/run-command.js";
import { askPerson, widthOf, withProgress } from "../../src/commands/terminal.js";

const SAID = "\u001b]0;owned\u0007 \u009b2J\n";

async function call(run: CommandModule["run"]) {
  const out: string[] = [];
  const err: string[] = [];
  const spec: CommandSpec = {
    ...{ name: "show", summary: "", details: [], args: [], options: [], reads: "", examples: [] },
    load: () => Promise.resolve({ run }),
  };
  const code = await runCommand(
    spec,
    { args: [], options: {} },
    {
      env: {},
      out: (text) => out.push(text),
      err: (text) => err.push(text),
    },
  );
  return { code, out: out.join(""), err: err.join("") };
}

describe("a command", () => {
  it("prints what others wrote so that no terminal obeys it", async () => {
    const shown = "\\u001b]0;owned\\u0007 \\u009b2J\n";
    const { out, err } = await call(({ io }) => {
      io.out(SAID);
      io.err(SAID);
      return Promise.resolve(0);
    });
    expect({ out, err }).to.deep.equal({ out: shown, err: shown });
    const failed = await call(() => Promise.reject(new CommandError(SAID.trim())));
    expect(failed).to.deep.equal({ code: 1, out: "", err: `flipop: ${shown}` });
  });

  it("erases its line of progress on a terminal", async () => {
    const { err } = await call(({ io }) =>
      withProgress({ ...io, terminal: true }, "reading", () => Promise.resolve(0)),
    );
    expect(err).to.equal("reading ...\r\u001b[K");
  });

  it("cuts tables to COLUMNS, else to the terminal's width, and to the usual one where the terminal does not know it", () => {
    expect([widthOf({}, 120), widthOf({}, 0), widthOf({}, undefined)]).to.deep.equal([120, 80, 80]);
    expect([widthOf({ COLUMNS: "40" }, 120), widthOf({ COLUMNS: "40" }, 0)]).to.deep.equal([40, 40]);
    const unusable = ["", "0", "-1", "wide", "1e9x", "12.5"];
    for (const COLUMNS of unusable) expect(widthOf({ COLUMNS }, 120), COLUMNS).to.equal(120);
  });

  it("shortens a long cell in its middle", () => {
    const name = `edge-${"x".repeat(200)}-eu`;
    expect(withoutMiddle(name, 20)).to.equal("edge-xxxxx…xxxxxx-eu").and.to.have.length(20);
    expect([withoutMiddle("web", 3), withoutMiddle(name, Number.POSITIVE_INFINITY)]).to.deep.equal(["web", name]);
  });

  it("takes an answer, and ends at Ctrl-C and Ctrl-D while it asks", async () => {
    const press = async (keys: string) => {
      const stop = new AbortController();
      const input = new PassThrough();
      const output = Object.assign(new PassThrough(), { isTTY: true });
      const answer = askPerson("sure? ", stop, { input, output }).catch(() => "none");
      input.write(keys);
      return { answer: await answer, stopped: stop.signal.aborted };
    };
    expect(await press("yes\r")).to.deep.equal({ answer: "yes", stopped: false });
    expect(await press("\u0003")).to.deep.equal({ answer: "none", stopped: true });
    expect(await press("\u0004")).to.deep.equal({ answer: "none", stopped: true });
  });
});
