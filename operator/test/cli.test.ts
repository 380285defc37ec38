import { FLAGS, PROVIDER_VARIABLES, RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { type CliContext, runCli, type SandboxOptions } from "../src/cli.js";
import type { Settings } from "../src/config.js";

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
    for (const { env } of PROVIDER_VARIABLES) expect(seen.out).to.include(env);
  });

  it("tells its version", async () => {
    expect((await cli(["--version"])).seen.out).to.equal(`${RELEASE}\n`);
  });

  it("starts the sandbox", async () => {
    const { code, seen } = await cli(["sandbox", "--port", "8443", "--once"]);
    expect(seen.sandbox).to.deep.equal({ port: 8443, once: true });
    const own = await cli(["sandbox", "--scenario", "own.yaml", "--speed", "2.5"]);
    expect(own.seen.sandbox).to.deep.equal({ port: 0, once: false, scenario: "own.yaml", speed: 2.5 });
    expect(code).to.equal(0);
  });

  for (const only of ["kubernetes", "digitalocean", "cloudflare"]) {
    it(`starts the sandbox's ${only} alone`, async () => {
      const { code, seen } = await cli(["sandbox", "--only", only, "--port=8080"]);
      expect(seen.sandbox).to.deep.equal({ only, port: 8080, once: false });
      expect(code).to.equal(0);
    });
  }

  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [["--resync", "x"], /^flipop: --resync: "x" is not a value of resync: give seconds, such as 60\n$/],
    [["--no-such-flag"], /^flipop: unknown option '--no-such-flag': see flipop --help\n$/],
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
});
