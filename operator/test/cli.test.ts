import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { FLAGS, providerVariables, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type CliContext, runCli, type SandboxOptions } from "../src/cli.js";
import type { Settings } from "../src/config.js";
import { EXIT_MEANINGS, INTERRUPTED, NO_READER, USAGE } from "../src/exit-codes.js";
import { EXIT } from "../src/runtime/manager.js";

/** Runs a command line; what it started, printed and returned. */
async function cli(args: readonly string[], env: CliContext["env"] = {}) {
  const seen: { settings?: Settings; sandbox?: SandboxOptions; out: string; err: string } = { out: "", err: "" };
  const commands = {
    run: async (settings: Settings) => {
      seen.settings = settings;
      return 3;
    },
    sandbox: async (options: SandboxOptions) => {
      seen.sandbox = options;
      return 0;
    },
  };
  const context = {
    env,
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

  it("tells its version", async () => {
    expect((await cli(["--version"])).seen.out).to.equal(`${RELEASE}\n`);
  });

  it("starts the sandbox", async () => {
    const { code, seen } = await cli(["sandbox", "--port", "8443", "--once"]);
    expect(seen.sandbox).to.deep.equal({ port: 8443, once: true, keep: false });
    const own = await cli(["sandbox", "--scenario", "own.yaml", "--speed", "2.5"]);
    expect(own.seen.sandbox).to.deep.equal({ port: 0, once: false, keep: false, scenario: "own.yaml", speed: 2.5 });
    expect(code).to.equal(0);
  });

  for (const only of ["kubernetes", "digitalocean", "cloudflare"]) {
    it(`starts the sandbox's ${only} alone`, async () => {
      const { code, seen } = await cli(["sandbox", "--only", only, "--port=8080"]);
      expect(seen.sandbox).to.deep.equal({ only, port: 8080, once: false, keep: false });
      expect(code).to.equal(0);
    });
  }

  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [["--resync", "x"], /^flipop: --resync: "x" is not a value of resync: give seconds, more than 0, such as 60\n$/],
    [["--resync", "0"], /^flipop: --resync: "0" is not a value of resync: give seconds, more than 0, such as 60\n$/],
    [["--resynk=5"], /^flipop: unknown option '--resynk': did you mean --resync\?\n$/],
    [["--debug=true", "wrong"], /^flipop: unexpected argument "wrong"\n$/],
    [["sandbox", "--once", "--keep"], /^flipop: --once and --keep: one ends it, one goes on: leave one of them out\n$/],
    [["--no-such-flag"], /^flipop: unknown option '--no-such-flag': see flipop --help\n$/],
    [["run", "--", "--debug"], /^flipop: option '--debug' stands after '--', where none is read: put it before\n$/],
    [["--", "--resync=5"], /^flipop: option '--resync' stands after '--', where none is read: put it before\n$/],
    [
      ["--bogus", "--", "x"],
      /^flipop: unknown option '--bogus': see flipop --help\nflipop: unexpected argument "x"\n$/,
    ],
    [["sandbox", "--seed"], /^flipop: unknown option '--seed'.*: see flipop sandbox --help\n$/],
    [["start"], /^flipop: there is no command "start": use run or sandbox\n$/],
    [["sandbox", "--port", "x"], /--port: "x" is not a port: give a number from 0 to 65535/],
    [["sandbox", "--speed", "0"], /--speed: "0" is not a speed: give a number above 0, at most 10000/],
    [["sandbox", "--only", "cloudflare", "--speed", "2"], /no story is played with --only cloudflare/],
    [["sandbox", "--only", "aws"], /'aws' is invalid. Allowed choices are kubernetes, digitalocean, cloudflare/],
    [
      ["sandbox", "--only", "cloudflare", "--kubeconfig", "/a"],
      /--kubeconfig: there is no Kubernetes API with --only cloudflare/,
    ],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")} with exit code 2`, async () => {
      const { code, seen } = await cli(args);
      expect(seen.err).to.match(message);
      expect(code).to.equal(2);
    });
  }

  it("tells all that is wrong at once: flags, variables, values, and what they are to each other", async () => {
    const args = ["--resynk", "5", "--health-bind-addr=:99999", "--watch-namespaces=a,A_b", "--job-namespaces=flipop"];
    const { code, seen } = await cli([...args, "--debug=maybe"], { FLIPOP_DRYRUN: "true" });
    expect(seen.err.trimEnd().split("\n")).to.deep.equal([
      "flipop: unknown option '--resynk': did you mean --resync?",
      "flipop: there is no variable FLIPOP_DRYRUN: did you mean FLIPOP_DRY_RUN?",
      'flipop: --health-bind-addr: ":99999" is not an address to listen at: use ":8080", "127.0.0.1:8080", "[::1]:8080", or ""',
      'flipop: --debug: "maybe" is not a value of debug: use true or false',
      'flipop: --watch-namespaces: "A_b" is not the name of a namespace: use lower-case letters, digits and -, at most 63',
      'flipop: --job-namespaces lists "flipop", where the operator itself runs: give Jobs a namespace of their own',
    ]);
    expect(seen.settings).to.equal(undefined);
    expect(code).to.equal(2);
  });

  it("ends quietly when nobody reads what it prints", async () => {
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
