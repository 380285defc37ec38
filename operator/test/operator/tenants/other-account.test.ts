import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { afterEach, beforeEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { TwoAccounts } from "../../support/cloud/two-accounts.js";

const OTHER_TOKEN = "dop_v1_of_another_team";

/** The operator's account, and one of a tenant with a token of its own. */
class Tenants {
  private constructor(
    readonly made: RoutedWorld,
    readonly other: DigitalOceanSimulator,
    private readonly cloud: TwoAccounts,
  ) {}

  static async create(): Promise<Tenants> {
    const cloud = await TwoAccounts.start();
    const flags = { "issuer-namespaces": "default" };
    const made = await RoutedWorld.create(["n1"], { flags, env: { DIGITALOCEAN_API_URL: cloud.url } });
    const { clock, digitalocean, kubernetes } = made.world;
    const tokens = [{ name: "other", secret: OTHER_TOKEN }];
    const other = await startDigitalOceanSimulator({ clock, seed: 2, tokens, account: { reservedIpLimit: 9 } });
    cloud.accounts.set(digitalocean.token, digitalocean.url);
    cloud.accounts.set(OTHER_TOKEN, other.url);
    const data = { DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(OTHER_TOKEN).toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "own", namespace: "default" }, data });
    made.addIssuer({ routedIPReclaimPolicy: "Delete" });
    made.addIssuer({ credentialsSecretRef: { name: "own" } }, "default", "own");
    made.serve({ node: "n1" });
    return new Tenants(made, other, cloud);
  }

  async close(): Promise<void> {
    await this.made.close();
    await Promise.all([this.other.close(), this.cloud.close()]);
  }
}

describe("operator in process: a RoutedIP with another account, which names an address of this one", function () {
  this.timeout(120_000);
  let scene: Tenants;
  let made: RoutedWorld;

  beforeEach(async () => {
    scene = await Tenants.create();
    made = scene.made;
  });

  afterEach(() => scene.close());

  /** Deletes the RoutedIP that created an address, after one with the other account has asked for the address. */
  async function deleteWithThief(): Promise<void> {
    made.addRouted("victim");
    made.world.start();
    await made.ready("victim");
    const { routedIP = "" } = made.status("victim");
    made.addRouted("thief", { routedIP, issuerRef: { name: "own" } });
    await made.until("the thief is refused", () => made.condition("thief", "Ready").startsWith("False"));
    made.world.kubernetes.delete(made.refTo("victim"));
  }

  const message = (name: string) => JSON.stringify(made.status(name).conditions);

  it("does not inherit it: the deletion of the one that created it releases it", async () => {
    await deleteWithThief();
    await made.until("the victim is gone", () => made.object("victim") === undefined);
    expect(made.world.digitalocean.state.addresses()).to.be.empty;
    expect(JSON.stringify(made.world.events("Forgotten"))).to.equal("[]");
  });

  const fail = (status: number, on: RegExp) =>
    scene.other.faults.inject({ kind: "status", status, retryAfterSeconds: 3_600 }, { on, times: Infinity });
  for (const [what, prepare] of [
    ["its token is refused", () => scene.other.tokens.revoke(OTHER_TOKEN)],
    [
      "its Secret is missing",
      () => made.world.kubernetes.delete({ apiVersion: "v1", kind: "Secret", name: "own", namespace: "default" }),
    ],
    ["its token may not read addresses", () => fail(403, /reserved_ips/)],
    ["the limit of its token is used up for an hour", () => fail(429, /./)],
  ] as const) {
    it(`does not delay the release: ${what}`, async () => {
      prepare();
      await deleteWithThief();
      await made.until("the victim is gone", () => made.object("victim") === undefined);
      expect(made.world.digitalocean.state.addresses()).to.be.empty;
    });
  }

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

describe("operator in process: a RoutedIP with another account, which asks for a name of this one", function () {
  this.timeout(120_000);
  let scene: Tenants;

  beforeEach(async () => {
    scene = await Tenants.create();
  });

  afterEach(() => scene.close());

  const DNS = { provider: "digitalocean", zone: "example.com", recordName: "new" };
  const addPool = () => {
    const { ip } = scene.made.world.digitalocean.state.addAddress();
    scene.made.world.addPool("pool", { ips: [ip], match: { podLabel: "app=web" }, dnsRecordSet: DNS });
    return ip;
  };
  const values = () =>
    scene.made.world.digitalocean.state.dns
      .records("example.com")
      .flatMap(({ type, data }) => (type === "A" ? [data] : []));

  for (const [title, prepare] of [
    ["keeps no other resource from it if its account lacks the zone", () => undefined],
    ["keeps no other resource from it if its token is refused", () => scene.other.tokens.revoke(OTHER_TOKEN)],
  ] as const) {
    it(title, async () => {
      const { made } = scene;
      prepare();
      made.addRouted("a-thief", { issuerRef: { name: "own" }, dnsRecordSet: DNS });
      made.world.start();
      await made.until("the thief is not ready", () => made.condition("a-thief", "Ready").startsWith("False"));
      const ip = addPool();
      await made.until("the pool has the name", () => values().includes(ip));
    });
  }
});
