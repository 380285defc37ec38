import { expect } from "chai";
import { describe, it } from "mocha";
import { startTinyRig, type TinyRig } from "./tiny-api.js";

describe("simulator server", () => {
  let rig: TinyRig;

  afterEach(() => rig.server.close());

  it("answers below its prefix only", async () => {
    rig = await startTinyRig({ prefix: "/gate/way/" });
    expect(await (await rig.read()).json()).to.deep.equal({ value: 0 });
    const outside = await fetch(rig.server.url.replace("/gate/way", "/value"));
    expect([outside.status, await outside.json()]).to.deep.equal([404, { reason: "no-such-route" }]);
  });

  it("prefers a fixed segment to a brace and decodes what stands for one", async () => {
    rig = await startTinyRig();
    const body = async (path: string): Promise<unknown> => (await fetch(rig.server.url + path)).json();
    expect(await body("/things/fixed")).to.equal("fixed");
    expect(await body("/things/a%2Fb")).to.deep.equal({ name: "a/b" });
  });

  it("refuses a body that is not JSON and one beyond 1 MiB", async () => {
    rig = await startTinyRig();
    const post = async (body: string): Promise<unknown> =>
      (await fetch(`${rig.server.url}/add`, { method: "POST", body })).json();
    expect(await post("{")).to.deep.equal({ reason: "malformed-json" });
    expect(await post(JSON.stringify("x".repeat(1_100_000)))).to.deep.equal({ reason: "too-large" });
    expect(rig.counter.value).to.equal(0);
  });

  it("adds the API's headers to every answer", async () => {
    rig = await startTinyRig();
    const missing = await fetch(`${rig.server.url}/nothing`);
    expect([missing.status, missing.headers.get("x-limit")]).to.deep.equal([404, "7"]);
  });

  it("records what was asked, processed and answered, at the clock's time", async () => {
    rig = await startTinyRig();
    await rig.add();
    await rig.clock.advance(1_000);
    await rig.read();
    const [first, second] = rig.server.journal.entries;
    expect(first).to.include({ sequence: 1, method: "POST", route: "POST /add", status: 201, processed: 1 });
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.equal(1_000);
    expect(rig.server.journal.count({ mutating: true })).to.equal(1);
    expect(rig.server.journal.count({ after: 1 })).to.equal(1);
  });

  it("throws for a route that does not exist instead of counting none", async () => {
    rig = await startTinyRig();
    expect(() => rig.server.journal.count({ on: "POST /ad" })).to.throw('no route "POST /ad"');
    expect(() => rig.server.faults.inject({ kind: "timeout" }, { on: "GET /vale" })).to.throw("no route");
  });

  it("answers 500 and keeps the error when a handler is broken", async () => {
    rig = await startTinyRig();
    rig.server.faults.inject({ kind: "revoke-token" });
    expect((await rig.read()).status).to.equal(500);
    expect(rig.server.bugs.map(({ message }) => message)).to.deep.equal(["revoked"]);
  });

  it("says which port it could not have", async () => {
    rig = await startTinyRig();
    const { startSimulatorServer } = await import("../../src/http/server.js");
    const { SeededRandom } = await import("../../src/http/random.js");
    const api = { name: "other", routes: [], world: {}, freeze: () => ({}), admit: () => undefined };
    const rest = {
      caller: () => "",
      revokeToken: () => undefined,
      error: () => ({ status: 500 }),
      headers: () => ({}),
    };
    const options = { clock: rig.clock, random: new SeededRandom(1), port: rig.server.port };
    const failure = await startSimulatorServer({ ...api, ...rest }, options).catch((error: Error) => error.message);
    expect(failure).to.contain(`127.0.0.1:${rig.server.port}: choose another port`);
  });
});
