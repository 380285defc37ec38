import type { RoutedIPStatus } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const ROUTED = { kind: "RoutedIP", namespace: "default" } as const;

describe("operator in process: a created address that passes on between a pool and a RoutedIP", function () {
  this.timeout(120_000);
  let made: RoutedWorld;
  afterEach(() => made.close());

  const account = () => made.world.digitalocean.state.addresses().map(({ ip }) => ip);
  const status = (name: string) => (made.object(name, "RoutedIP")?.["status"] ?? {}) as RoutedIPStatus;
  const start = (limits: object) =>
    made.world.start({ "tenant-limits": JSON.stringify({ namespaces: [{ names: ["default"], ...limits }] }) });

  async function create(routedIPReclaimPolicy: "Delete" | "Retain"): Promise<void> {
    made = await RoutedWorld.create(["n1", "n2"]);
    made.addIssuer({ routedIPReclaimPolicy });
    made.serve({ node: "n1" }, { node: "n2" });
  }

  async function ofPool(): Promise<string> {
    made.world.addPool("web", { desiredIPs: 1, reclaimPolicy: "Delete" });
    await made.world.fulfilled("web");
    return made.world.status("web").createdIPs?.[0]?.ip ?? "";
  }

  async function removePool(name: string): Promise<void> {
    made.world.kubernetes.delete(made.world.refTo(name));
    await made.until(`the end of pool ${name}`, () => made.object(name, "FloatingIPPool") === undefined);
  }

  async function removeRouted(name: string): Promise<void> {
    made.world.kubernetes.delete({ ...made.world.refTo(name), ...ROUTED });
    await made.until(`the end of RoutedIP ${name}`, () => made.object(name, "RoutedIP") === undefined);
  }

  it("counts for the RoutedIP, whose policy releases it", async () => {
    await create("Delete");
    start({ maxCreatedAddresses: 1 });
    const ip = await ofPool();
    made.addRouted("site", { routedIP: ip });
    await made.until("the conflict", () => made.condition("site", "Conflict").startsWith("True"));
    await removePool("web");
    await made.until("the RoutedIP serves it", () => status("site").state === "active");
    expect(status("site")).to.include({ routedIP: ip, created: true });
    made.world.addPool("more", { desiredIPs: 1, reclaimPolicy: "Delete" });
    await made.until("the refusal", () => made.world.condition("more", "Fulfilled")?.reason === "CreationNotAllowed");
    expect(account()).to.deep.equal([ip]);
    await removeRouted("site");
    await made.world.fulfilled("more");
    expect(account()).to.have.length(1).and.not.include(ip);
  });

  it("is released where a maximum counts it and the issuer would retain it", async () => {
    await create("Retain");
    start({ maxCreatedAddresses: 1 });
    const ip = await ofPool();
    made.addRouted("site", { routedIP: ip });
    await made.until("the refusal", () => made.condition("site", "Accepted").endsWith("AddressNotAllowed"));
    await removePool("web");
    expect(account()).to.deep.equal([]);
  });

  it("counts for the pool that lists the address of a RoutedIP", async () => {
    await create("Delete");
    start({ maxCreatedAddresses: 1 });
    made.addRouted("site");
    await made.until("the RoutedIP serves", () => status("site").state === "active");
    const { routedIP: ip = "" } = status("site");
    made.world.addPool("web", { ips: [ip], reclaimPolicy: "Delete" });
    await made.until("the conflict", () => made.world.condition("web", "Conflict")?.status === "True");
    await removeRouted("site");
    await made.world.fulfilled("web");
    expect(made.world.status("web").createdIPs?.map((entry) => entry.ip)).to.deep.equal([ip]);
    await removePool("web");
    expect(account()).to.deep.equal([]);
  });
});
