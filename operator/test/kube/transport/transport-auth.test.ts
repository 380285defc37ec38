import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { answer, errorOf, GET, HttpRig, PATCH } from "../../support/http-rig.js";
import { TempDir } from "../../support/temp-dir.js";

describe("credentials of the transport", () => {
  let rig: HttpRig;
  beforeEach(async () => {
    rig = await HttpRig.create();
  });
  afterEach(() => rig.close());

  it("sends basic auth and impersonation", async () => {
    const impersonate = { user: "x", groups: ["g1", "g2"] };
    await rig.transport({ auth: { kind: "basic", username: "a", password: "b" }, impersonate }).request(GET);
    expect(rig.seen[0]?.headers).to.include({
      authorization: `Basic ${Buffer.from("a:b").toString("base64")}`,
      "impersonate-user": "x",
      "impersonate-group": "g1, g2",
    });
  });

  it("reads a rotated token again on 401, once, and after 60 s", async () => {
    const dir = new TempDir();
    const file = dir.write("token", "old\n");
    let valid = "old";
    rig.handler = (request, response) =>
      answer(response, request.headers.authorization === `Bearer ${valid}` ? 200 : 401);
    const transport = rig.transport({ auth: { kind: "token", token: { file } } });
    await transport.request(GET);
    valid = "new";
    dir.write("token", "new\n");
    await transport.request(PATCH);
    expect(rig.samples.map((sample) => sample.code)).to.deep.equal(["200", "401", "200"]);
    valid = "other";
    expect(await errorOf(transport.request(GET))).to.include({ code: 401 });
    expect(rig.samples).to.have.length(5);
    valid = "third";
    dir.write("token", "third");
    await rig.clock.sleep(61_000);
    await transport.request(GET);
    expect(rig.samples.slice(5).map((sample) => sample.code)).to.deep.equal(["200"]);
    dir.remove();
    await rig.clock.sleep(61_000);
    await transport.request(GET);
  });

  it("renews the token for a watch too", async () => {
    const dir = new TempDir();
    const file = dir.write("token", "old");
    const transport = rig.transport({ auth: { kind: "token", token: { file } } });
    await transport.request(GET);
    rig.handler = (request, response) => answer(response, request.headers.authorization === "Bearer new" ? 200 : 401);
    dir.write("token", "new");
    (await transport.open(GET)).close();
    dir.remove();
  });
});
