import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { after, describe, it } from "mocha";
import { COMMANDS } from "../../src/commands/commands.js";
import { bundledOperator } from "../support/bundle.js";
import { TempDir } from "../support/temp-dir.js";
import { Flipop } from "./flipop.js";

describe("flipop version and completion", () => {
  const flipop = new Flipop();
  after(() => flipop.close());

  it("prints the version and the commit that the executable was built from", async () => {
    const commit = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
    const { code, out, err } = await flipop.run("version");
    expect(out).to.match(new RegExp(`^flipop ${RELEASE}, commit ${commit}(-dirty)?, Node v\\d.*\\n$`));
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    expect(JSON.parse((await flipop.run("version", "-o", "json")).out)).to.include({ version: RELEASE });
  });

  it("completes commands and their options in bash", async () => {
    const script = (await flipop.run("completion", "bash")).out;
    const complete = (...words: readonly string[]) =>
      execFileSync(
        "bash",
        [
          "-c",
          `${script}\nCOMP_WORDS=(flipop ${words.join(" ")}); COMP_CWORD=${words.length}; _flipop; echo "\${COMPREPLY[@]}"`,
        ],
        { encoding: "utf8" },
      ).trim();
    expect(complete("stat")).to.equal("status");
    expect(complete("status", "--wat")).to.equal("--watch");
    expect(complete("run", "--dry")).to.equal("--dry-run");
  });

  it("names every command in the scripts of zsh and fish", async () => {
    for (const shell of ["zsh", "fish"]) {
      const { out } = await flipop.run("completion", shell);
      for (const { name } of COMMANDS) expect(out, shell).to.include(name);
    }
    const { code, err } = await flipop.run("completion", "tcsh");
    expect({ code, err }).to.deep.equal({
      code: 2,
      err: 'flipop: there is no completion for "tcsh": use bash, zsh or fish\n',
    });
  });

  it("is a plugin of kubectl under the name kubectl-flipop, and then starts no operator without a command", async () => {
    const folder = new TempDir();
    const link = join(folder.path, "kubectl-flipop");
    symlinkSync(await bundledOperator(), link);
    const out = execFileSync(process.execPath, [link], { encoding: "utf8", env: {} });
    expect(out).to.include("status").and.to.include("completion");
    folder.remove();
  });
});
