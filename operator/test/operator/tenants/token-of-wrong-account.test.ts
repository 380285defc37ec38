import type { RoutedIPIssuerStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { TwoAccounts } from "../../support/cloud/two-accounts.js";

const WRONG = "dop_v1_of_another_team";
const SECRET = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "own" };
const OWN_SECRET = { credentialsSecretRef: { name: "own" } };

describe("operator in process: an issuer whose token is of a wrong account after a restart", function () {
  this.timeout(120_000);
  let made: RoutedWorld;
  let other: DigitalOceanSimulator;
  let cloud: TwoAccounts;

  beforeEach(async () => {
    cloud = await TwoAccounts.start();
    const flags = { "issuer-namespaces": "default" };
    made = await RoutedWorld.create(["n1", "n2"], { flags, env: { DIGITALOCEAN_API_URL: cloud.url } });
    const { clock, digitalocean } = made.world;
    const tokens = [{ name: "other", secret: WRONG }];
    other = await startDigitalOceanSimulator({ clock, seed: 2, tokens, account: { reservedIpLimit: 9 } });
    other.state.addAddress();
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

  const startWith = (token: string) =>
    made.world.start({}, { env: { DIGITALOCEAN_ACCESS_TOKEN: token, DIGITALOCEAN_API_URL: cloud.url } });

  /** A RoutedIP that is served, by an operator that has ended. */
  async function served(spec: object): Promise<void> {
    const { digitalocean } = made.world;
    made.addIssuer({ routedIPReclaimPolicy: "Delete", ...spec });
    made.addRouted("a");
    const first = startWith(digitalocean.token);
    await made.ready("a");
    await made.until("the account is on record", () => accountOnRecord() !== undefined);
    await first.stop();
  }

  function accountOnRecord(): string | undefined {
    const { account } = (made.object("do", "RoutedIPIssuer")?.["status"] ?? {}) as RoutedIPIssuerStatus;
    return account;
  }

  /** The operator restarts without the Secret, and gets the wrong one. */
  async function restartWithWrongSecret(): Promise<void> {
    putToken(made.world.digitalocean.token);
    await served(OWN_SECRET);
    made.world.kubernetes.delete(SECRET);
    startWith(made.world.digitalocean.token);
    await made.until("the Secret is missing", () => made.condition("a", "Accepted").includes("SecretNotFound"));
    putToken(WRONG);
    await refused();
  }

  const refused = () => made.until("it is refused", () => made.condition("a", "Accepted") === "False/Unauthorized");

  const records = () => {
    const { firewall, firewallRules, routedIP, created } = made.status("a");
    return { firewall, firewallRules, routedIP, created };
  };

  /** Nothing of the RoutedIP and the issuer is left in the account. */
  async function deleteAll(): Promise<void> {
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("it is gone", () => made.object("a") === undefined);
    expect(made.firewall() ?? { nodes: [], ports: [] }).to.deep.equal({ nodes: [], ports: [] });
    made.world.kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    await made.until("the issuer is gone", () => made.object("do", "RoutedIPIssuer") === undefined);
    expect(made.firewall()).to.equal(undefined);
    expect(made.world.digitalocean.state.addresses()).to.deep.equal([]);
  }

  it("keeps all that is on record, sends nothing to the wrong account, and accepts the right token without a restart", async () => {
    await restartWithWrongSecret();
    const before = records();
    expect([before.firewall?.nodes.length, before.firewallRules?.length]).to.deep.equal([1, 1]);
    made.addRouted("late");
    await made.until("the other one, too", () => made.condition("late", "Accepted") === "False/Unauthorized");
    await made.world.rest();
    expect(new Set(other.journal.calls().map(({ path }) => path))).to.deep.equal(new Set(["/v2/account"]));
    expect(JSON.stringify(made.status("a").conditions)).to.include("than that of RoutedIPIssuer default/do");
    expect(records()).to.deep.equal(before);
    made.world.kubernetes.delete(made.refTo("late"));
    putToken(made.world.digitalocean.token);
    await made.ready("a");
    await made.world.rest();
    expect(records()).to.deep.equal(before);
    await deleteAll();
    expect(other.state.addresses()).to.have.length(1);
  });

  it("cleans up nothing in the wrong account for a deleted RoutedIP, and all with the right one", async () => {
    await restartWithWrongSecret();
    made.world.kubernetes.delete(made.refTo("a"));
    await made.world.clock.sleep(60_000);
    expect(made.object("a")).to.not.equal(undefined);
    expect(other.journal.calls({ mutating: true }), "changes in the wrong account").to.deep.equal([]);
    putToken(made.world.digitalocean.token);
    await made.until("it is gone", () => made.object("a") === undefined);
    expect(made.firewall() ?? { nodes: [], ports: [] }).to.deep.equal({ nodes: [], ports: [] });
    expect(made.world.digitalocean.state.addresses()).to.deep.equal([]);
  });

  it("keeps all that is on record if it is the operator's own token, and goes on after a restart with the right one", async () => {
    await served({});
    const before = records();
    const wrong = startWith(WRONG);
    await refused();
    made.addRouted("late");
    await made.until("the other one, too", () => made.condition("late", "Accepted") === "False/Unauthorized");
    await made.world.rest();
    expect(other.journal.calls({ mutating: true }), "changes in the wrong account").to.deep.equal([]);
    expect(records()).to.deep.equal(before);
    made.world.kubernetes.delete(made.refTo("late"));
    await wrong.stop();
    startWith(made.world.digitalocean.token);
    await made.ready("a");
    expect(records()).to.deep.equal(before);
    await deleteAll();
  });

  it("moves to another account after a restart if nothing is on record", async () => {
    putToken(WRONG);
    made.addIssuer({ ...OWN_SECRET, allowedAddresses: ["203.0.113.0/24"] });
    made.addRouted("a");
    const first = startWith(made.world.digitalocean.token);
    await made.until("the account is on record", () => accountOnRecord() !== undefined);
    const wrong = accountOnRecord();
    await first.stop();
    putToken(made.world.digitalocean.token);
    const second = startWith(made.world.digitalocean.token);
    await made.until("it is not on record any more", () => accountOnRecord() === undefined);
    await second.stop();
    startWith(made.world.digitalocean.token);
    await made.until("the other one is on record", () => ![undefined, wrong].includes(accountOnRecord()));
  });
});
