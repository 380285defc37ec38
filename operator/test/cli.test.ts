import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { FLAGS, providerVariables, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type CliContext, runCli } from "../src/cli.js";
import type { CommandSpec, ParsedCall } from "../src/commands/command.js";
import { COMMANDS } from "../src/commands/commands.js";
import type { Settings } from "../src/config.js";
import { EXIT, EXIT_MEANINGS, INTERRUPTED, NO_READER, USAGE } from "../src/exit.js";

/** Runs a command line; what it started, printed and returned. */
async function cli(args: readonly string[], env: CliContext["env"] = {}, interactive = false) {
  const seen: {
    settings?: Settings;
    sandbox?: readonly string[];
    called?: readonly [string, ParsedCall];
    out: string;
    err: string;
  } = { out: "", err: "" };
  const commands = {
    run: async (settings: Settings) => {
      seen.settings = settings;
      return 3;
    },
    call: async ({ name }: CommandSpec, call: ParsedCall) => {
      seen.called = [name, call];
      return 0;
    },
    sandbox: async (args: readonly string[]) => {
      seen.sandbox = args;
      return 0;
    },
  };
  const context = {
    env,
    interactive,
    out: (text: string) => {
      seen.out += text;
    },
    err: (text: string) => {
      seen.err += text;
    },
  };
  return { code: await runCli(args, commands, context), seen };
}

describe("the command line", () => {
  it("runs the operator where no command is named, so that the Go operator's flags keep working", async () => {
    const { code, seen } = await cli(["--kubeconfig", "/a", "--metrics-bind-addr=", "--debug"]);
    expect(seen.settings).to.include({ kubeconfig: "/a", metricsBindAddr: "", debug: true });
    expect(code).to.equal(3);
  });

  it("runs the operator by its name, too", async () => {
    expect((await cli(["run", "--resync=5"])).seen.settings?.resync).to.equal(5);
  });

  it("takes a boolean alone or with a value", async () => {
    expect((await cli(["--leader-elect=false", "--dry-run"])).seen.settings).to.include({
      leaderElect: false,
      dryRun: true,
    });
  });

  it("lists every flag and variable with its default under --help", async () => {
    const { code, seen } = await cli(["--help"]);
    expect(code).to.equal(0);
    for (const { name, env, default: usual } of FLAGS) {
      expect(seen.out).to.include(`--${name} `);
      expect(seen.out.replaceAll(/\s+/g, " ")).to.include(usual === "" ? `[${env}]` : `[${env}; default ${usual}]`);
    }
    for (const { env } of providerVariables()) expect(seen.out).to.include(env);
  });

  it("prints its version", async () => {
    expect((await cli(["--version"])).seen.out).to.equal(`${RELEASE}\n`);
  });

  it("hands a command its arguments and options", async () => {
    const { code, seen } = await cli(["status", "-n", "games", "--watch"]);
    expect(seen.called).to.deep.equal(["status", { args: [], options: { namespace: "games", watch: true } }]);
    expect([code, seen.settings]).to.deep.equal([0, undefined]);
  });

  it("describes every command under --help, alone and in the list", async () => {
    const all = (await cli(["--help"])).seen.out;
    for (const { name, summary, options } of COMMANDS) {
      expect(all.replaceAll(/\s+/g, " ")).to.include(summary);
      const own = (await cli([name, "--help"])).seen.out;
      for (const { flags } of options) expect(own, name).to.include(flags);
    }
  });

  it("prints the help, and starts no operator, for a person without a command", async () => {
    const { code, seen } = await cli([], {}, true);
    expect([code, seen.settings]).to.deep.equal([0, undefined]);
    expect(seen.out).to.include("status");
  });

  it("hands the sandbox all arguments that follow its name", async () => {
    for (const args of [["--port", "8443", "--once"], ["--only", "aws"], ["--help"], []]) {
      const { code, seen } = await cli(["sandbox", ...args]);
      expect(seen).to.deep.include({ sandbox: args, out: "", err: "" });
      expect(code).to.equal(0);
    }
  });

  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [
      ["--resync", "x"],
      /^flipop: --resync: "x" is not a valid value of resync: give a number of seconds above 0, such as 60\n$/,
    ],
    [
      ["--resync", "0"],
      /^flipop: --resync: "0" is not a valid value of resync: give a number of seconds above 0, such as 60\n$/,
    ],
    [["--resynk=5"], /^flipop: unknown option '--resynk': did you mean --resync\?\n$/],
    [["-n", "ingress", "status"], /^flipop: options stand before "status": write flipop status, then its options\n$/],
    [["--namespace", "ingress", "status"], /^flipop: options stand before "status": write flipop status, /],
    [
      ["--typo", "plan"],
      /^flipop: unknown option '--typo': see flipop plan --help\nflipop: options stand before "plan": .*\n$/,
    ],
    [
      ["-n=x", "--outptu=json", "status"],
      /^flipop: unknown option '--outptu': did you mean --output\?\nflipop: options /,
    ],
    [["--debug=true", "wrong"], /^flipop: unexpected argument "wrong"\n$/],
    [["--no-such-flag"], /^flipop: unknown option '--no-such-flag': see flipop --help\n$/],
    [["run", "--", "--debug"], /^flipop: option '--debug' stands after '--', where none is read: put it before\n$/],
    [["--", "--resync=5"], /^flipop: option '--resync' stands after '--', where none is read: put it before\n$/],
    [
      ["--bogus", "--", "x"],
      /^flipop: unknown option '--bogus': see flipop --help\nflipop: unexpected argument "x"\n$/,
    ],
    [["start"], /^flipop: there is no command "start": (use run, |did you mean )/],
    [["help", "nope"], /^flipop: there is no command "nope": (use run, |did you mean )/],
    [["statsu"], /^flipop: there is no command "statsu": did you mean status\?\n$/],
    [["status", "--outptu=json"], /^flipop: unknown option '--outptu=json'.*: see flipop status --help\n$/],
    [
      ["status", "-o", "xml"],
      /^flipop: option .*-o, --output.* argument 'xml' is invalid\. Allowed choices are wide, json, yaml: see flipop status --help\n$/,
    ],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")} with exit code 2`, async () => {
      const { code, seen } = await cli(args);
      expect(seen.err).to.match(message);
      expect(code).to.equal(2);
    });
  }

  it("reports all mistakes at once: flags, variables, values, and how they combine", async () => {
    const args = ["--resynk", "5", "--health-bind-addr=:99999", "--watch-namespaces=a,A_b", "--job-namespaces=flipop"];
    const { code, seen } = await cli([...args, "--debug=maybe"], { FLIPOP_DRYRUN: "true" });
    expect(seen.err.trimEnd().split("\n")).to.deep.equal([
      "flipop: unknown option '--resynk': did you mean --resync?",
      "flipop: there is no variable FLIPOP_DRYRUN: did you mean FLIPOP_DRY_RUN?",
      'flipop: --health-bind-addr: ":99999" is not an address to listen at: use ":8080", "127.0.0.1:8080", "[::1]:8080", or ""',
      'flipop: --debug: "maybe" is not a valid value of debug: use true or false',
      'flipop: --watch-namespaces: "A_b" is not the name of a namespace: use lower-case letters, digits and -, at most 63',
      'flipop: --job-namespaces lists "flipop", where the operator itself runs: give Jobs a namespace of their own',
    ]);
    expect(seen.settings).to.equal(undefined);
    expect(code).to.equal(2);
  });

  it("ends quietly if the reader of its output has gone", async () => {
    const file = resolve(import.meta.dirname, "../src/main.ts");
    const child = spawn(process.execPath, ["--import", "tsx", file, "--help"], { stdio: "pipe" });
    child.stdout.destroy();
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect([err, code]).to.deep.equal(["", NO_READER]);
  });

  it("has a meaning for each exit code", () => {
    const codes = EXIT_MEANINGS.map((meaning) => meaning.code);
    expect(codes).to.include.members([...Object.values(EXIT), USAGE, INTERRUPTED, NO_READER]);
    expect(codes).to.deep.equal([...new Set(codes)].sort((a, b) => a - b));
  });
});
