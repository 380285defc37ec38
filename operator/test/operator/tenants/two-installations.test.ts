import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name: "shared" };
const ISSUER = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", namespace: "shared", name: "do" };

const SHARED = [CLASS, ISSUER];

describe("operators in process: two installations that watch different namespaces, and share a class", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("keep the class and its issuer until no RoutedIP of either namespace uses them", async () => {
    await share();
    await made.ready("a");
    await deleteShared();
    await staysAsItIs("the two do not overwrite each other");
    expect(made.condition("a", "Ready")).to.equal("True/Observed");
    made.world.kubernetes.delete(made.refTo("a"));
    await areGone();
  });

  it("both have RoutedIPs that use them, and one of the two writes the status until it is done with them", async () => {
    await share();
    addTo("teamb", "b");
    await made.until("both keep both", () => SHARED.every((ref) => finalizersOf(ref).length === 2));
    await deleteShared();
    await staysAsItIs("the two do not overwrite each other");
    expect(made.firewall()?.ports).to.deep.equal(["443"]);
    made.world.kubernetes.delete(made.refTo("a"));
    await waitFor("teamb/b");
    await staysAsItIs("the other one has taken over");
    made.world.kubernetes.delete({ ...made.refTo("b"), namespace: "teamb" });
    await areGone();
  });

  it("do not overwrite what the one says whose RoutedIPs use a class with an issuer that the other one does not see", async () => {
    await share("teamb");
    await made.ready("a");
    await staysAsItIs("a is served");
    expect(says(CLASS)).to.contain('"reason":"Observed"');
  });

  it("do not overwrite what the one says that sees the issuer, before any RoutedIP uses the class", async () => {
    await share("teamb");
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("nobody keeps the class", () => finalizersOf(CLASS).length === 0);
    await made.until("it is accepted", () => says(CLASS).includes('"type":"Accepted","status":"True"'));
    await staysAsItIs("unused");
    expect(says(CLASS)).to.contain('"type":"Accepted","status":"True"');
  });

  /** Two installations, `a` of namespace default and `b` of teamb; RoutedIP `a` uses the class. @param issuersOfB where `b` reads issuers. */
  async function share(issuersOfB = "shared"): Promise<void> {
    made = await RoutedWorld.create(["n1"]);
    const { world } = made;
    for (const name of ["shared", "flipop-a", "flipop-b", "teamb"]) {
      world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const data = { token: Buffer.from(world.digitalocean.token).toString("base64") };
    world.kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "shared" }, data });
    const credentialsSecretRef = { name: "do", key: "token" };
    made.addIssuer({ credentialsSecretRef, routedIPReclaimPolicy: "Delete" }, "shared");
    world.kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "shared" } },
      spec: { issuerRef: { name: "do", namespace: "shared" }, allowedAddresses: ["0.0.0.0/0"] },
    });
    addTo("default", "a");
    made.serve({ node: "n1" });
    for (const [namespace, watched, issuers] of [
      ["flipop-a", "default", "shared"],
      ["flipop-b", "teamb", issuersOfB],
    ] as const) {
      world.start({ namespace, "watch-namespaces": watched, "issuer-namespaces": issuers });
    }
  }

  /** A RoutedIP of the class, with an address. */
  function addTo(namespace: string, name: string): void {
    const { kubernetes, digitalocean } = made.world;
    const { ip } = digitalocean.state.addAddress();
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind: "RoutedIP", metadata: { name, namespace } },
      spec: { className: "shared", routedIP: ip, serviceRef: { serviceName: "web" } },
    });
  }

  function says(ref: typeof CLASS): string {
    return JSON.stringify(made.world.kubernetes.get(ref)?.["status"] ?? {});
  }

  function finalizersOf(ref: typeof CLASS): readonly string[] {
    return made.world.kubernetes.get(ref)?.metadata.finalizers ?? [];
  }

  async function deleteShared(): Promise<void> {
    for (const ref of SHARED) made.world.kubernetes.delete(ref);
    await made.until("both wait", () => SHARED.every((ref) => says(ref).includes("1 RoutedIP uses it")));
  }

  function waitFor(user: string): Promise<void> {
    return made.until(`both wait for ${user}`, () =>
      SHARED.every((ref) => says(ref).includes(`1 RoutedIP uses it (${user})`)),
    );
  }

  /** Nothing in the cluster changes for a minute, but for what is under way. */
  async function staysAsItIs(why: string): Promise<void> {
    const { kubernetes, clock } = made.world;
    const { revision } = kubernetes;
    await clock.sleep(60_000);
    expect(kubernetes.revision - revision, why).to.be.lessThan(10);
  }

  async function areGone(): Promise<void> {
    await made.until("both are gone", () => SHARED.every((ref) => made.world.kubernetes.get(ref) === undefined));
    expect(made.firewall(), "the last one deletes the firewall that was created for the issuer").to.equal(undefined);
  }
});
