import { Finalizer } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { SECOND_MS } from "../../../src/timings.js";
import type { World } from "../../operator/world.js";
import { RoutedWorld, TAINT } from "./routed-world.js";

const REFUSED = { kind: "status", status: 409 } as const;
const RELEASE_ROUTE = "DELETE /v2/reserved_ips/{reserved_ip}";
/** Between two arrivals, the network may take this much off a pause. */
const JITTER_MS = 100;

describe("operator in process: RoutedIP", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("brings a given address to a node that serves, behind the firewall that it creates", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    expect(made.nodeOf("a")).to.equal("n1");
    const accepted = made.status("a").conditions?.find(({ type }) => type === "Accepted");
    expect(accepted?.message).to.contain("condition Assigned shows the address");
    expect(made.firewall()).to.deep.equal({ nodes: ["n1"], ports: ["443"] });
    expect(made.taints("n1")).to.deep.equal([TAINT]);
    await made.until("issuer ready", () => made.condition("do", "Accepted", "RoutedIPIssuer") === "True/Observed");
    expect(made.object("do", "RoutedIPIssuer")?.metadata.finalizers).to.include(Finalizer.inUse);
    await made.world.rest();
    expect(made.world.complaints).to.deep.equal([]);
  });

  it("moves at a cordon, in the order of the least loss of service", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const ip = await made.readyOnFirst();
    made.serve({ node: "n1" }, { node: "n2" });
    made.cordon("n1");
    await made.until("on n2", () => made.nodeOf("a") === "n2" && made.firewall()?.nodes.join() === "n2");
    await made.until("taint", () => made.taints("n1").length === 0 && made.taints("n2").length === 1);
    const calls = made.world.digitalocean.journal
      .calls({ mutating: true })
      .map(({ method, path }) => `${method} ${path}`);
    const move = calls.slice(-3).map((call) => call.replace(/[0-9a-f-]{36}/, "ID").replace(ip, "IP"));
    expect(move).to.deep.equal([
      "POST /v2/firewalls/ID/droplets",
      "POST /v2/reserved_ips/IP/actions",
      "DELETE /v2/firewalls/ID/droplets",
    ]);
  });

  it("leaves a node whose slice belongs to another Service now", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.serveAs("web", "n2");
    await made.world.rest();
    expect(made.nodeOf("a")).to.equal("n1");
    const ref = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace: "default", name: "web-1" };
    const labels = { "kubernetes.io/service-name": "other" };
    made.world.kubernetes.change(ref, (slice) => ({
      ...slice,
      metadata: { ...(slice["metadata"] as object), labels },
    }));
    await made.until("on n2", () => made.nodeOf("a") === "n2");
  });

  it("creates an address with the token of the issuer's Secret, and leaves nothing behind under Delete", async () => {
    made = await RoutedWorld.create(["n1"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes, digitalocean } = made.world;
    const data = { token: Buffer.from(digitalocean.token).toString("base64") };
    kubernetes.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "do", namespace: "default" }, data });
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" }, routedIPReclaimPolicy: "Delete" });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    expect(made.status("a").created).to.equal(true);
    // In this order, as a namespace goes: Secret first, and the issuer with the RoutedIP.
    kubernetes.delete({ apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" });
    kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    kubernetes.delete({ apiVersion: "v1", kind: "Service", name: "web", namespace: "default" });
    kubernetes.delete(made.refTo("a"));
    await made.until(
      "all gone",
      () => made.object("a") === undefined && made.object("do", "RoutedIPIssuer") === undefined,
    );
    expect(made.firewall()).to.equal(undefined);
    expect(made.taints("n1")).to.be.empty;
    expect(digitalocean.state.addresses()).to.be.empty;
  });

  it("says for which RoutedIPs the deletion of an issuer waits, until the last is gone", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { kubernetes } = made.world;
    const ready = () => made.condition("do", "Ready", "RoutedIPIssuer");
    await made.until("issuer ready", () => ready() === "True/Observed");
    kubernetes.delete(made.refTo("do", "RoutedIPIssuer"));
    await made.until("it waits", () => ready() === "False/InUse");
    await made.until("an Event reports it", () => made.world.events("InUse").length === 1);
    expect(JSON.stringify(made.world.events("InUse"))).to.contain("1 RoutedIP uses it (default/a)");
    await made.world.rest();
    expect(made.condition("a", "Ready"), "it is served meanwhile").to.equal("True/Observed");
    made.addRouted("again", { routedIP: made.world.digitalocean.state.addAddress().ip });
    const said = () => JSON.stringify(made.object("do", "RoutedIPIssuer")?.status);
    await made.until("the newer one is named", () =>
      said().includes("1 of them is newer than the deletion (default/again)"),
    );
    const dnsRecordSet = { zone: "example.com", recordName: "late", deletionPolicy: "Delete" } as const;
    made.addRouted("late", { dnsRecordSet });
    await made.until(
      "one that needs an address is refused",
      () => made.condition("late", "Ready") === "False/IssuerNotFound",
    );
    expect(JSON.stringify(made.status("late"))).to.contain("RoutedIPIssuer default/do is being deleted");
    await made.world.rest();
    expect(made.world.digitalocean.state.addresses(), "no address is created").to.have.length(2);
    for (const name of ["again", "a"]) kubernetes.delete(made.refTo(name));
    await made.until("gone", () => made.object("do", "RoutedIPIssuer") === undefined);
    kubernetes.delete(made.refTo("late"));
    await made.until("the refused one, too", () => made.object("late") === undefined);
  });

  const CHANGE = /^POST \/v2\/reserved_ips\/\{[^}]+\}\/actions$/;
  const RELEASE = /^DELETE \/v2\/reserved_ips\/\{[^}]+\}$/;
  const refusals: readonly (readonly [string, RegExp, (world: World, droplet: number) => unknown])[] = [
    [
      "an unassignment",
      CHANGE,
      ({ digitalocean }, droplet) => digitalocean.state.startEvent(droplet, "resize", 30_000),
    ],
    ["a release", RELEASE, ({ digitalocean }) => digitalocean.faults.inject(REFUSED, { on: RELEASE_ROUTE, times: 5 })],
  ];
  for (const [what, route, refuse] of refusals) {
    it(`waits after each refusal of ${what} while it is deleted`, async () => {
      made = await RoutedWorld.create(["n1"]);
      const { kubernetes, digitalocean } = made.world;
      made.addIssuer({ routedIPReclaimPolicy: "Delete" });
      made.addRouted("a");
      made.serve({ node: "n1" });
      made.world.start();
      await made.ready("a");
      const { routedIP = "" } = made.status("a");
      refuse(made.world, Number(made.world.holder(routedIP)?.replace("digitalocean://", "")));
      kubernetes.delete(made.refTo("a"));
      await made.until("gone", () => made.object("a") === undefined);
      expect(digitalocean.state.addresses()).to.be.empty;
      const calls = digitalocean.journal.calls({ mutating: true }).filter((call) => route.test(call.route ?? ""));
      expect(calls.length).to.be.above(3);
      const pauses = calls.slice(1).map(({ at }, index) => at - (calls[index]?.at ?? at));
      expect(Math.min(...pauses)).to.be.at.least(SECOND_MS - JITTER_MS);
    });
  }

  it("opens a port again that somebody closes by hand", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const { firewalls } = made.world.digitalocean.state;
    firewalls.change(firewalls.byName("ingress")?.id ?? "", { inbound: [] });
    await made.until("open again", () => made.firewall()?.ports.join() === "443");
  });

  it("says what is wrong with the Service, and assigns nothing", async () => {
    made = await RoutedWorld.create(["n1"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, serviceRef: { serviceName: "later" } });
    made.world.start();
    await made.until("not found", () => made.condition("a", "Accepted") === "False/ServiceNotFound");
    made.addService("later", { clusterIP: "None" });
    await made.until("unsuitable", () => made.condition("a", "Accepted") === "False/ServiceUnsuitable");
    expect(made.world.holder(ip)).to.equal(undefined);
    await made.until("an Event reports it", () => made.world.events("ServiceUnsuitable").length > 0);
  });
});
