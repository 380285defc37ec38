import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { TwoAccounts } from "../../support/cloud/two-accounts.js";

const WRONG = "dop_v1_of_another_team";
const SECRET = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "own" };
const ISSUER = { credentialsSecretRef: { name: "own" }, routedIPReclaimPolicy: "Delete" };

describe("operator in process: an issuer whose Secret has the token of a wrong account after a restart", function () {
  this.timeout(120_000);
  let made: RoutedWorld;
  let other: DigitalOceanSimulator;
  let cloud: TwoAccounts;

  beforeEach(async () => {
    cloud = await TwoAccounts.start();
    const flags = { "issuer-namespaces": "default", namespace: "flipop" };
    made = await RoutedWorld.create(["n1", "n2"], { flags, env: { DIGITALOCEAN_API_URL: cloud.url } });
    const { clock, digitalocean } = made.world;
    const tokens = [{ name: "other", secret: WRONG }];
    other = await startDigitalOceanSimulator({ clock, seed: 2, tokens, account: { reservedIpLimit: 9 } });
    cloud.accounts.set(digitalocean.token, digitalocean.url);
    cloud.accounts.set(WRONG, other.url);
    made.serve({ node: "n1" });
  });

  afterEach(async () => {
    await made.close();
    await Promise.all([other.close(), cloud.close()]);
  });

  function putToken(token: string): void {
    const { kubernetes } = made.world;
    const data = { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(token).toString("base64") };
    if (kubernetes.get(SECRET) !== undefined) kubernetes.change(SECRET, (object) => ({ ...object, data }));
    else kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "own", namespace: "default" }, data });
  }

  /** A RoutedIP that is served; then the operator restarts without the Secret, and gets the wrong one. */
  async function restartWithWrong(): Promise<void> {
    putToken(made.world.digitalocean.token);
    made.addIssuer(ISSUER);
    made.addRouted("a");
    const first = made.world.start();
    await made.ready("a");
    await first.stop();
    made.world.kubernetes.delete(SECRET);
    made.world.start();
    await made.until("the Secret is missing", () => made.condition("a", "Accepted").includes("SecretNotFound"));
    putToken(WRONG);
  }

  it("keeps all that is on record, changes nothing there, and accepts the right token without a restart", async () => {
    await restartWithWrong();
    const { firewall, firewallRules, routedIP } = made.status("a");
    expect([firewall?.nodes.length, firewallRules?.length]).to.deep.equal([1, 1]);
    await made.until("it says so", () => made.condition("a", "Assigned") === "False/AddressNotFound");
    made.addRouted("late");
    await made.world.rest();
    expect(other.journal.calls({ mutating: true }), "changes in the wrong account").to.deep.equal([]);
    expect(made.condition("late", "Assigned")).to.equal("False/AddressNotFound");
    expect(made.status("a")).to.deep.include({ firewall, firewallRules, routedIP });
    made.world.kubernetes.delete(made.refTo("late"));
    putToken(made.world.digitalocean.token);
    await made.ready("a");
    await made.world.rest();
    expect(made.status("a")).to.deep.include({ firewall, firewallRules, routedIP });
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("it is gone", () => made.object("a") === undefined);
    expect(made.firewall() ?? { nodes: [], ports: [] }).to.deep.equal({ nodes: [], ports: [] });
    made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    await made.until("the issuer is gone", () => made.object("do", "RoutedIPIssuer") === undefined);
    expect(made.firewall()).to.equal(undefined);
    expect(made.world.digitalocean.state.addresses()).to.deep.equal([]);
  });

  it("refuses a token of the wrong account again as soon as the right one has shown an address", async () => {
    await restartWithWrong();
    putToken(made.world.digitalocean.token);
    await made.ready("a");
    putToken(WRONG);
    await made.until("it is refused", () => made.condition("a", "Accepted") === "False/Unauthorized");
    const message = JSON.stringify(made.status("a").conditions);
    expect(message).to.include("belongs to another account");
    putToken(made.world.digitalocean.token);
    await made.until("accepted", () => made.condition("a", "Accepted").startsWith("True"));
  });

  it("cleans up nothing in the wrong account for a deleted RoutedIP, and all with the right one", async () => {
    await restartWithWrong();
    await made.until("it says so", () => made.condition("a", "Assigned") === "False/AddressNotFound");
    made.world.kubernetes.delete(made.refTo("a"));
    await made.world.clock.sleep(60_000);
    expect(made.object("a")).to.not.equal(undefined);
    expect(other.journal.calls({ mutating: true }), "changes in the wrong account").to.deep.equal([]);
    putToken(made.world.digitalocean.token);
    await made.until("it is gone", () => made.object("a") === undefined);
    expect(made.firewall() ?? { nodes: [], ports: [] }).to.deep.equal({ nodes: [], ports: [] });
    expect(made.world.digitalocean.state.addresses()).to.deep.equal([]);
  });
});
