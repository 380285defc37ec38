import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, afterEach, before, describe, it } from "mocha";
import { Flipop } from "./flipop.js";

const RELEASE = ["--release", "203.0.113.7", "--yes"];

describe("a command that an account refuses", () => {
  let kubernetes: Emulator;
  let digitalocean: DigitalOceanSimulator;

  before(async () => {
    kubernetes = await startEmulator();
    digitalocean = await startDigitalOceanSimulator();
  });

  afterEach(() => digitalocean.faults.clear());

  after(async () => {
    await Promise.all([kubernetes.close(), digitalocean.close()]);
  });

  /** The error output; it must not speak for the operator, which has no part in the command. */
  async function orphans(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []): Promise<string> {
    const account = { DIGITALOCEAN_ACCESS_TOKEN: digitalocean.token, DIGITALOCEAN_API_URL: digitalocean.url };
    const flipop = new Flipop(kubernetes.kubeconfig(), { ...account, ...env });
    const { code, err } = await flipop.run("orphans", ...args);
    flipop.close();
    expect(code, err).to.equal(1);
    expect(err).not.to.include("operator");
    return err;
  }

  const refuse = (status: number) =>
    digitalocean.faults.inject({ kind: "status", status }, { on: "GET /v2/reserved_ips", times: 20 });

  it("says what it saw of an API that does not answer, and nothing of the operator's pauses", async () => {
    expect(await orphans({ DIGITALOCEAN_API_URL: "http://127.0.0.1:1" })).to.match(
      /^flipop: digitalocean: (list|read) \S.*the connection was refused.*; fix: check the network .*, then try again\n$/,
    );
  });

  it("says that the API limits the calls, and that a person has to try again", async () => {
    refuse(429);
    expect(await orphans()).to.match(
      /^flipop: digitalocean: .*; fix: try again later; if this lasts, give other programs tokens of their own\n$/,
    );
  });

  it("names its own variable with a token that the API does not accept, or that may not do it", async () => {
    const place = "DIGITALOCEAN_ACCESS_TOKEN or DIGITALOCEAN_ACCESS_TOKEN_FILE";
    const check = `; fix: check the token of ${place}; flipop doctor says what is wrong with it\n`;
    for (const token of ["another", "two words"]) {
      expect(await orphans({ DIGITALOCEAN_ACCESS_TOKEN: token })).to.satisfy((text: string) => text.endsWith(check));
    }
    refuse(403);
    expect(await orphans({}, RELEASE)).to.match(
      /; fix: give the token of \S+ or \S+ the rights that https:\S+ lists\n$/,
    );
  });
});
