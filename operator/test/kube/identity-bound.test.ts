import { expect } from "chai";
import { describe, it } from "mocha";
import { CREDENTIALS_READ_MS } from "../../src/bounds.js";
import { IdentitySource } from "../../src/kube/config/identity.js";
import { silentLogger } from "../../src/logging.js";
import { FakeClock } from "../support/fake-clock.js";
import { errorOf } from "../support/http-rig.js";

const CONFIG = {
  source: "context a",
  server: "https://192.0.2.1",
  insecureSkipTlsVerify: false,
  auth: { kind: "plugin", kubeconfig: "", context: "a" },
  namespace: "default",
} as const;

describe("an auth plugin that never answers", () => {
  it("fails the call within its bound, and is asked again by the next one", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const plugin = () => (++asked === 1 ? new Promise<never>(() => {}) : Promise.resolve(CREDENTIAL));
    const source = new IdentitySource({ config: CONFIG, clock, logger: silentLogger, plugin });
    const error = errorOf(source.current());
    await clock.advance(CREDENTIALS_READ_MS);
    expect(String(await error)).to.include("did not answer within 30 s");
    expect((await source.current()).headers).to.deep.include({ authorization: "Bearer t" });
  });
});

const CREDENTIAL = { authorization: "Bearer t", cert: undefined, key: undefined };
