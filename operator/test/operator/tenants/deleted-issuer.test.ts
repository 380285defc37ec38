import { GROUP_VERSION, type RoutedIPSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { JOB_NAMESPACE, JOB_SPEC, JobPlatform } from "../jobs/platform.js";

const CLASS = { apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass" };
const FLAGS = { namespace: "default", "job-namespaces": JOB_NAMESPACE };
const JOBS = { updateRoutedIP: JOB_SPEC, updateFirewall: JOB_SPEC };
const LIMITS = { namespaces: [{ names: ["default"], maxCreatedAddresses: 1 }] };

/** What the messages advise, followed to the letter. */
describe("operator in process: the remedy of InUse", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const issuerRef = (name: string) => ({ issuerRef: { name, namespace: "default" } });
  const addIssuer = (name: string) => made.addIssuer({ routedIPReclaimPolicy: "Delete" }, "default", name);
  const addClass = (name: string, spec: object) => made.world.kubernetes.create({ ...CLASS, metadata: { name }, spec });
  const issuer = (name: string) => made.refTo(name, "RoutedIPIssuer");
  const cluster = (name: string) => ({ ...CLASS, name });

  type Ref = ReturnType<typeof cluster> | ReturnType<typeof issuer>;
  const change = (ref: Ref, spec: object) =>
    made.world.kubernetes.change(ref, (object) => ({ ...object, spec: { ...(object["spec"] as object), ...spec } }));
  const gone = (ref: Ref) =>
    made.until(`${ref.kind} ${ref.name} is gone`, () => made.world.kubernetes.get(ref) === undefined);

  async function begin(limits: object, features = "pools,dns,routedip"): Promise<void> {
    made = await RoutedWorld.create(["n1"], { flags: { ...FLAGS, features } });
    made.serve({ node: "n1" });
    made.world.start({ "tenant-limits": JSON.stringify(limits) });
  }

  async function serve(name: string, spec: Partial<RoutedIPSpec>): Promise<string> {
    made.addRouted(name, spec);
    await made.ready(name);
    return made.status(name).routedIP ?? "";
  }

  /** Deletes it, and waits for this advice. */
  async function advised(ref: Ref, ...texts: readonly string[]): Promise<void> {
    made.world.kubernetes.delete(ref);
    const ready = () => {
      const { conditions = [] } = (made.world.kubernetes.get(ref)?.["status"] ?? {}) as ReturnType<typeof made.status>;
      return conditions.find(({ reason }) => reason === "InUse")?.message ?? "";
    };
    const said = () => JSON.stringify([ready(), made.world.events("InUse")]);
    await made.until("the advice", () => texts.every((text) => said().includes(text)));
  }

  async function replace(name: string, spec: Partial<RoutedIPSpec>): Promise<void> {
    const { routedIP = "" } = made.status(name);
    made.world.kubernetes.delete(made.refTo(name));
    await gone(made.refTo(name));
    expect(await serve(name, { ...spec, routedIP })).to.equal(routedIP);
  }

  for (const [what, limits] of [
    ["no maximum", {}],
    ["a maximum", LIMITS],
  ] as const) {
    it(`of an issuer keeps the address of a RoutedIP with a class, under ${what}`, async () => {
      await begin(limits);
      addIssuer("do");
      addClass("shared", issuerRef("do"));
      const ip = await serve("a", { className: "shared" });
      await advised(issuer("do"), "set issuerRef of ClusterRoutedIPClass shared to it");
      addIssuer("other");
      change(cluster("shared"), issuerRef("other"));
      await gone(issuer("do"));
      await made.ready("a");
      expect(made.status("a")).to.include({ routedIP: ip, created: true });
    });

    it(`of an issuer keeps the address of a RoutedIP with issuerRef, under ${what}`, async () => {
      await begin(limits);
      addIssuer("do");
      await serve("a", { issuerRef: { name: "do" } });
      await advised(
        issuer("do"),
        "first create another issuer of the same account",
        "routedIPReclaimPolicy of this one",
      );
      addIssuer("other");
      change(issuer("do"), { routedIPReclaimPolicy: "Retain" });
      await replace("a", { issuerRef: { name: "other" } });
      await gone(issuer("do"));
    });

    it(`of a class keeps the address, under ${what}`, async () => {
      await begin(limits);
      addIssuer("do");
      addClass("shared", issuerRef("do"));
      await serve("a", { className: "shared" });
      await advised(cluster("shared"), "first create another class with the same issuerRef");
      addClass("next", issuerRef("do"));
      change(issuer("do"), { routedIPReclaimPolicy: "Retain" });
      await replace("a", { className: "next" });
      await gone(cluster("shared"));
    });
  }

  it("of a class with Jobs keeps the address", async () => {
    await begin({}, "pools,dns,routedip,jobs");
    const platform = new JobPlatform(made.world);
    addClass("rack", JOBS);
    await serve("a", { className: "rack" });
    await advised(cluster("rack"), "another class with allowedAddresses that contain the addresses");
    addClass("next", { ...JOBS, allowedAddresses: ["192.0.2.0/24"] });
    await replace("a", { className: "next" });
    await gone(cluster("rack"));
    expect(platform.created).to.have.length(1);
  });
});
