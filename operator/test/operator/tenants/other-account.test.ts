import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { TwoAccounts } from "../../support/cloud/two-accounts.js";

const OTHER_TOKEN = "dop_v1_of_another_team";

describe("operator in process: a RoutedIP with another account, which names an address of this one", function () {
  this.timeout(120_000);
  let made: RoutedWorld;
  let other: DigitalOceanSimulator;
  let cloud: TwoAccounts;

  beforeEach(async () => {
    cloud = await TwoAccounts.start();
    const flags = { "issuer-namespaces": "default" };
    made = await RoutedWorld.create(["n1"], { flags, env: { DIGITALOCEAN_API_URL: cloud.url } });
    const { clock, digitalocean, kubernetes } = made.world;
    const tokens = [{ name: "other", secret: OTHER_TOKEN }];
    other = await startDigitalOceanSimulator({ clock, seed: 2, tokens, account: { reservedIpLimit: 9 } });
    cloud.accounts.set(digitalocean.token, digitalocean.url);
    cloud.accounts.set(OTHER_TOKEN, other.url);
    const data = { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(OTHER_TOKEN).toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "own", namespace: "default" }, data });
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.addIssuer({ credentialsSecretRef: { name: "own" } }, "default", "own");
    made.serve({ node: "n1" });
  });

  afterEach(async () => {
    await made.close();
    await Promise.all([other.close(), cloud.close()]);
  });

  const message = (name: string) => JSON.stringify(made.status(name).conditions);

  it("does not inherit it: the deletion of the one that created it releases it", async () => {
    made.addRouted("victim");
    made.world.start();
    await made.ready("victim");
    const { routedIP = "" } = made.status("victim");
    made.addRouted("thief", { routedIP, issuerRef: { name: "own" } });
    await made.until("the thief is refused", () => made.condition("thief", "Ready").startsWith("False"));
    made.world.kubernetes.delete(made.refTo("victim"));
    await made.until("the victim is gone", () => made.object("victim") === undefined);
    expect(made.world.digitalocean.state.addresses()).to.be.empty;
    expect(JSON.stringify(made.world.events("Forgotten"))).to.equal("[]");
  });

  it("delays the release while its token is refused, and says so; once it is gone, the address is released", async () => {
    other.tokens.revoke(OTHER_TOKEN);
    made.addRouted("victim");
    made.world.start();
    await made.ready("victim");
    const { routedIP = "" } = made.status("victim");
    made.addRouted("thief", { routedIP, issuerRef: { name: "own" } });
    await made.until("the thief is refused", () => made.condition("thief", "Ready").startsWith("False"));
    made.world.kubernetes.delete(made.refTo("victim"));
    await made.until("the victim waits", () =>
      message("victim").includes("the accounts of those that list the address"),
    );
    expect(made.world.digitalocean.state.addresses()).to.have.length(1);
    made.world.kubernetes.delete(made.refTo("thief"));
    await made.until("the victim is gone", () => made.object("victim") === undefined);
    expect(made.world.digitalocean.state.addresses()).to.be.empty;
  });

  it("does not keep a pool from it, although it is older", async () => {
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addRouted("a-thief", { routedIP: ip, issuerRef: { name: "own" } });
    made.world.start();
    await made.until("the thief is refused", () => made.condition("a-thief", "Ready").startsWith("False"));
    made.world.addPool("pool", { ips: [ip], match: { podLabel: "app=web" } });
    await made.until("the pool has it", () => made.world.holder(ip) !== undefined);
    await made.until("the thief reports it", () =>
      message("a-thief").includes("belongs to FloatingIPPool default/pool"),
    );
  });
});
