import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { runSandbox } from "../src/cli.js";
import type { SandboxOptions } from "../src/cli-options.js";

/** Reads a command line; what it would play, printed and returned. */
async function cli(...args: readonly string[]) {
  const seen: { options?: SandboxOptions; out: string; err: string } = { out: "", err: "" };
  const play = async (options: SandboxOptions) => {
    seen.options = options;
    return 3;
  };
  const output = {
    out: (text: string) => {
      seen.out += text;
    },
    err: (text: string) => {
      seen.err += text;
    },
  };
  return { code: await runSandbox(args, play, output), seen };
}

describe("the sandbox's command line", () => {
  it("plays a story, and returns its exit code", async () => {
    const { code, seen } = await cli("--port", "8443", "--once");
    expect(seen.options).to.deep.equal({ port: 8443, once: true, keep: false });
    expect(code).to.equal(3);
    const own = await cli("--scenario", "own.yaml", "--speed", "2.5");
    expect(own.seen.options).to.deep.equal({ port: 0, once: false, keep: false, scenario: "own.yaml", speed: 2.5 });
  });

  for (const only of ["kubernetes", "digitalocean", "cloudflare"]) {
    it(`starts ${only} alone`, async () => {
      const { seen } = await cli("--only", only, "--port=8080");
      expect(seen.options).to.deep.equal({ only, port: 8080, once: false, keep: false });
    });
  }

  it("prints its help and its version", async () => {
    const help = await cli("--help");
    expect(help.code).to.equal(0);
    expect(help.seen.out).to.match(/^Usage: flipop-sandbox \[options\]/);
    for (const option of ["--only", "--port", "--kubeconfig", "--scenario", "--speed", "--once", "--keep"]) {
      expect(help.seen.out).to.include(`${option} `);
    }
    expect((await cli("--version")).seen.out).to.equal(`${RELEASE}\n`);
  });

  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [["--once", "--keep"], /^flipop: --once and --keep: one ends it, one goes on: leave one of them out\n$/],
    [["--seed"], /^flipop: unknown option '--seed'.*: see flipop-sandbox --help\n$/],
    [
      ["story.yaml"],
      /^flipop: flipop-sandbox has no command "story.yaml": to play a scenario, give --scenario story.yaml\n/,
    ],
    [
      ["play"],
      /^flipop: flipop-sandbox has no command "play"; it has only options\n\nUsage: flipop-sandbox \[options\]\n/,
    ],
    [["--once", "story.yaml"], /^flipop: too many arguments.*: see flipop-sandbox --help\n$/],
    [["--port", "x"], /--port: "x" is not a port: give a number from 0 to 65535/],
    [["--speed", "0"], /--speed: "0" is not a speed: give a number above 0, at most 10000/],
    [["--only", "cloudflare", "--speed", "2"], /the sandbox plays no scenario with --only cloudflare/],
    [["--only", "aws"], /'aws' is invalid. Allowed choices are kubernetes, digitalocean, cloudflare/],
    [["--only", "cloudflare", "--kubeconfig", "/a"], /--kubeconfig: there is no Kubernetes API with --only cloudflare/],
  ];
  for (const [args, message] of mistakes) {
    it(`refuses ${args.join(" ")} with exit code 2`, async () => {
      const { code, seen } = await cli(...args);
      expect(seen.err).to.match(message);
      expect(seen.options).to.equal(undefined);
      expect(code).to.equal(2);
    });
  }
});
