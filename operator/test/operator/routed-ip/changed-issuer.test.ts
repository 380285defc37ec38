import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const SECRET = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "team" };
const dataOf = (token: string) => ({ DIGITALOCEAN_ACCESS_TOKEN: Buffer.from(token).toString("base64") });
const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "public" };
const NEXT = "next";

describe("operator in process: a class that names another issuer of the same account", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const classSpec = (issuer: string) => ({ issuerRef: { name: issuer, namespace: "default" } });
  const portsOf = (name: string) =>
    made.world.digitalocean.state.firewalls.byName(name)?.config.inbound.map(({ ports }) => `${ports}`) ?? [];

  it("keeps the address on its node, opens the ports in the other firewall, and then leaves the first one", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { digitalocean, kubernetes } = made.world;
    made.addIssuer();
    made.addIssuer({ routedIPFirewallName: NEXT }, "default", "other");
    kubernetes.create({ ...CLASS, metadata: { name: CLASS.name }, spec: classSpec("do") });
    made.serve({ node: "n1" }, { node: "n2" });
    made.addRouted("a", { className: CLASS.name });
    made.world.start();
    await made.ready("a");
    const [{ routedIP: ip }, node] = [made.status("a"), made.nodeOf("a")];
    kubernetes.change(CLASS, (object) => ({ ...object, spec: classSpec("other") }));
    await made.until("it is in the other firewall alone", () => {
      return portsOf(NEXT).includes("443") && !(made.firewall()?.ports ?? []).includes("443");
    });
    await made.ready("a");
    expect([made.status("a").routedIP, made.nodeOf("a")]).to.deep.equal([ip, node]);
    expect(digitalocean.state.addresses()).to.have.length(1);
  });
});

describe("operator in process: an issuer whose account another token reads, too", function () {
  this.timeout(30_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("does not accept a wrong new token, though lists of the account arrive", async () => {
    made = await RoutedWorld.create(["n1"], {
      speed: 60,
      flags: { "issuer-namespaces": "default", namespace: "flipop" },
    });
    const { kubernetes, digitalocean, clock } = made.world;
    kubernetes.create({ ...SECRET, metadata: SECRET, data: dataOf(digitalocean.token) });
    made.addIssuer({ credentialsSecretRef: { name: "team" } });
    made.world.addPool("other", { ips: made.world.addAddresses(1) });
    made.world.start();
    const accepted = () => made.condition("do", "Accepted", "RoutedIPIssuer");
    await made.until("it is accepted", () => accepted().startsWith("True"));
    await clock.sleep(10_000);
    const before = clock.now();
    kubernetes.change(SECRET, (object) => ({ ...object, data: dataOf("wrong-token-wrong-token") }));
    await made.until("it is refused", () => accepted() === "False/Unauthorized");
    expect(clock.now() - before).to.be.below(10_000);
  });
});
