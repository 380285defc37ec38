import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { World } from "../world.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "shared" };
const ISSUER = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", namespace: "shared", name: "do" };

type Ref = typeof CLASS;

describe("operators in process: two installations that share what no RoutedIP uses", function () {
  this.timeout(240_000);
  let world: World;

  beforeEach(async () => {
    world = await World.create({ flags: { features: "routedip" } });
    for (const name of ["shared", "flipop-a", "flipop-b", "teama", "teamb", "jobs"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
  });

  afterEach(() => world.close());

  it("seldom overwrite each other's retryAt of an issuer whose credentials fail", async () => {
    addIssuer("wrong");
    start("a");
    await world.until("the first one reports the failure", () => says(ISSUER).includes("retryAt"));
    await world.clock.sleep(90_000);
    start("b");
    await changesSeldom();
    setToken(world.digitalocean.token);
    await world.until("the failure is over", () => says(ISSUER).includes('"type":"Accepted","status":"True"'));
  });

  it("seldom overwrite what the other one says about a class with Jobs, where only one may create Jobs", async () => {
    addJobClass();
    start("a");
    await world.until("it is refused", () => says(CLASS).includes('"type":"Accepted","status":"False"'));
    start("b", { features: "routedip,jobs", "job-namespaces": "jobs" });
    await changesSeldom();
  });

  it("correct at once what a person writes into the status, where they agree", async () => {
    addIssuer(world.digitalocean.token);
    start("a");
    start("b");
    for (const edit of ["first", "second"]) {
      await world.until(`accepted before the ${edit} edit`, () => says(ISSUER).includes('"reason":"Observed"'));
      world.change(ISSUER, "status", { conditions: [] });
      const since = world.clock.now();
      await world.until("it is corrected", () => says(ISSUER).includes('"reason":"Observed"'));
      expect(world.clock.now() - since, `ms after the ${edit} edit`).to.be.lessThan(30_000);
    }
  });

  function start(team: "a" | "b", more: Readonly<Record<string, string>> = {}): void {
    const namespaces = { "watch-namespaces": `team${team}`, "issuer-namespaces": "shared" };
    world.start({ namespace: `flipop-${team}`, ...namespaces, ...more });
  }

  function addIssuer(token: string): void {
    const data = { token: Buffer.from(token).toString("base64") };
    world.kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "shared" }, data });
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", metadata: { name: "do", namespace: "shared" } },
      spec: { provider: "digitalocean", region: "nyc3", credentialsSecretRef: { name: "do", key: "token" } },
    });
  }

  function setToken(token: string): void {
    const ref = { apiVersion: "v1", kind: "Secret", namespace: "shared", name: "do" };
    world.kubernetes.change(ref, (secret) => ({ ...secret, data: { token: Buffer.from(token).toString("base64") } }));
  }

  function addJobClass(): void {
    const job = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } };
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "shared" } },
      spec: { updateRoutedIP: job, allowedAddresses: ["0.0.0.0/0"] },
    });
  }

  function says(ref: Ref): string {
    return JSON.stringify(world.kubernetes.get(ref)?.["status"] ?? {});
  }

  /** After the first minute, in which each may write a few times. */
  async function changesSeldom(): Promise<void> {
    await world.clock.sleep(60_000);
    const seen = [];
    for (let minute = 1; minute <= 25; minute++) {
      const { revision } = world.kubernetes;
      await world.clock.sleep(60_000);
      seen.push(world.kubernetes.revision - revision);
    }
    expect(Math.max(...seen), `changes in each minute: ${seen}`).to.be.lessThan(10);
  }
});
