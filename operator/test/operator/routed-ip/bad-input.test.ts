import { type Condition, GROUP_VERSION, REASONS, type Reason, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

interface Case {
  readonly name: string;
  readonly what: string;
  /** `type=status/reason` of a condition. */
  readonly says: `${string}=${"True" | "False"}/${Reason}`;
  /** What its message names, so that somebody finds it. */
  readonly names: string;
  /** What is wrong is made here. */
  readonly spec: (made: RoutedWorld) => Partial<RoutedIPSpec>;
}

/** As the core group shows it. */
interface EventObject {
  readonly involvedObject?: { readonly name?: string };
  readonly message?: string;
}

const POOLED = "pool";
const ELSEWHERE = "elsewhere";
const CLASHING = [
  { name: "one", port: 443, targetPort: 443, protocol: "TCP" },
  { name: "two", port: 8443, targetPort: "https", protocol: "TCP" },
];
const JOB = { template: { spec: { containers: [{ name: "a", image: "example.invalid/a" }] } } };

/** A Service of its own, with something wrong. */
const following =
  (name: string, spec: object, namespace = "default") =>
  (made: RoutedWorld) => {
    made.addService(name, spec, { namespace });
    return { serviceRef: { serviceName: name, ...(namespace === "default" ? {} : { namespace }) } };
  };

/** An issuer with a Secret: with this token, or none at all. */
const withToken = (name: string, token?: string) => (made: RoutedWorld) => {
  const data = { token: Buffer.from(token ?? "").toString("base64") };
  const metadata = { name, namespace: "default" };
  if (token !== undefined) made.world.kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata, data });
  made.addIssuer({ credentialsSecretRef: { name, key: "token" } }, "default", name);
  return { issuerRef: { name } };
};

const CASES: readonly Case[] = [
  {
    ...{ name: "missing", what: "a missing Service", says: "Accepted=False/ServiceNotFound", names: "default/nowhere" },
    spec: () => ({ serviceRef: { serviceName: "nowhere" } }),
  },
  {
    ...{ name: "headless", what: "a headless Service", says: "Accepted=False/ServiceUnsuitable", names: "headless" },
    spec: following("headless", { clusterIP: "None" }),
  },
  {
    ...{
      name: "named",
      what: "an ExternalName Service",
      says: "Accepted=False/ServiceUnsuitable",
      names: "ExternalName",
    },
    spec: following("named", { type: "ExternalName", externalName: "example.com" }),
  },
  {
    ...{
      name: "bare",
      what: "a Service without selector",
      says: "Accepted=False/ServiceUnsuitable",
      names: "no selector",
    },
    spec: following("bare", { selector: {} }),
  },
  {
    ...{ name: "far", what: "a Service of another namespace that does not allow it", names: "allow-routed-ip-from" },
    says: "Accepted=False/NamespaceNotAllowed",
    spec: following("far", {}, ELSEWHERE),
  },
  {
    ...{ name: "clash", what: "ports that clash", says: "Accepted=False/PortClash", names: "TCP 443" },
    spec: (made) => ({
      routedIP: made.world.digitalocean.state.addAddress().ip,
      ...following("clash", { ports: CLASHING })(made),
    }),
  },
  {
    ...{ name: "classless", what: "a class that is not there", says: "Accepted=False/ClassNotFound", names: "nothing" },
    spec: () => ({ className: "nothing" }),
  },
  {
    ...{
      name: "issuerless",
      what: "an issuer that is not there",
      says: "Accepted=False/IssuerNotFound",
      names: "missing",
    },
    spec: () => ({ issuerRef: { name: "missing" } }),
  },
  {
    ...{
      name: "secretless",
      what: "a missing Secret",
      says: "Accepted=False/SecretNotFound",
      names: "default/secretless",
    },
    spec: withToken("secretless"),
  },
  {
    ...{ name: "wrong", what: "a wrong Secret", says: "Accepted=False/Unauthorized", names: "token" },
    spec: withToken("wrong", "dop_v1_wrong"),
  },
  {
    ...{ name: "taken", what: "an address of a pool", says: "Conflict=True/ClaimedByOther", names: POOLED },
    spec: (made) => ({ routedIP: made.world.pool(POOLED).spec.ips?.[0] ?? "" }),
  },
  {
    ...{ name: "outside", what: "an address on a machine outside of the cluster", names: "not a node of this cluster" },
    says: "Conflict=True/HeldElsewhere",
    spec: ({ world: { digitalocean } }) => {
      const { id } = digitalocean.state.addDroplet();
      return { routedIP: digitalocean.state.addAddress({ dropletId: id }).ip };
    },
  },
];

describe("operator in process: bad input of a RoutedIP", function () {
  this.timeout(240_000);
  let made: RoutedWorld;
  let calls: number;

  before(async () => {
    made = await RoutedWorld.create(["n1", "n2"], { flags: { "issuer-namespaces": "default" } });
    const { world } = made;
    made.serve({ node: "n1" }, { node: "n2" });
    world.kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: ELSEWHERE } });
    world.addPool(POOLED, { ips: [world.digitalocean.state.addAddress().ip] });
    made.addIssuer();
    world.start();
    await world.fulfilled(POOLED);
    calls = world.digitalocean.journal.calls({ mutating: true }).length;
    for (const { name, spec } of CASES) made.addRouted(name, spec(made));
  });

  after(() => made.close());

  const conditions = (name: string): readonly Condition[] => made.status(name).conditions ?? [];

  for (const { name, what, says, names } of CASES) {
    it(`${what}: a condition, an Event and a remedy`, async () => {
      const [type = "", state = ""] = says.split("=");
      const [, reason = ""] = state.split("/");
      await made.until(says, () => made.condition(name, type) === state);
      expect(conditions(name).find((condition) => condition.type === type)?.message).to.contain(names);
      await made.until(`an Event ${reason} about ${name}`, () =>
        made.world.events(reason).some((event) => {
          const { involvedObject, message } = event as EventObject;
          return involvedObject?.name === name && message?.includes(names) === true;
        }),
      );
      expect(REASONS[reason as Reason].remedy, "in the reference of reasons").not.to.equal("");
    });
  }

  it("a class with both implementations, or neither, is refused by the API server, with the fix", () => {
    const create = (spec: object) => () =>
      made.world.kubernetes.create({
        ...{ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", metadata: { name: "odd" } },
        spec,
      });
    const issuerRef = { name: "do", namespace: "default" };
    expect(create({ issuerRef, updateRoutedIP: JOB, updateFirewall: JOB })).to.throw(/both set: keep only issuerRef/);
    expect(create({})).to.throw(/issuerRef.*updateRoutedIP/);
    expect(create({ updateFirewall: JOB })).to.throw(/without updateRoutedIP/);
    expect(create({ issuerRef, fromSecretsRef: [{ name: "cloud" }] })).to.throw(/credentialsSecretRef/);
  });

  it("moves and opens nothing, and says the same thing once", async () => {
    const { clock, digitalocean, kubernetes } = made.world;
    const versions = () =>
      ["taken", "outside"].map((name) => kubernetes.get(made.refTo(name))?.metadata.resourceVersion);
    const before = versions();
    await clock.sleep(150_000);
    expect(versions(), "writes of their statuses").to.deep.equal(before);
    expect(digitalocean.journal.calls({ mutating: true }).slice(calls), digitalocean.journal.text()).to.be.empty;
  });
});
