import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { START_WARNING_MS } from "../../../src/timings.js";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";
import { until } from "../../support/time/until.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;

type Lines = () => Promise<readonly string[]>;

async function untilLines(lines: Lines, test: (seen: readonly string[]) => boolean): Promise<void> {
  let seen: readonly string[] = [];
  const isSo = async () => {
    seen = await lines();
    return test(seen);
  };
  await until("the metrics are as they should be", isSo, 60_000).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${seen.filter((line) => !line.startsWith("flipop_providers_")).join("\n")}`);
  });
}

describe("operator in process: what a RoutedIP reports", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  it("is not Ready while an action moves the address, though its node answers", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    made.world.digitalocean.state.settings.durations.assign = 20_000;
    made.serve({ node: "n1" }, { node: "n2" });
    made.cordon("n1");
    await made.until("it moves", () => made.status("a").actionID !== undefined);
    await made.until("it says so", () => made.condition("a", "Assigned") === "Unknown/UnderWay");
    expect(made.condition("a", "Ready")).to.equal("False/UnderWay");
    expect(made.condition("a", "Reconciling")).to.match(/^True/);
    await made.settledOn("n2");
    await made.ready("a");
  });

  it("says that no address is up only where nothing answers and nothing moves", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const ip = await made.readyOnFirst({ dnsRecordSet: { zone: "example.com", recordName: "www" } });
    const published = () => made.condition("a", "DNSReady").startsWith("True");
    await made.until("published", published);
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.settledOn("n2");
    await made.ready("a");
    made.serve({ node: "n2", ready: false });
    await made.until("no other node is a candidate", () => made.condition("a", "Assigned") === "True/NoCandidate");
    await made.world.rest();
    expect(made.world.events("KeptLastKnown"), "neither on its way nor while it answers").to.be.empty;
    expect(published()).to.equal(true);
    made.serve();
    await made.until("down", () => made.condition("a", "DNSReady") === "False/KeptLastKnown");
    await made.until("an Event reports it", () => made.world.events("KeptLastKnown").length === 1);
    const { dns } = made.world.digitalocean.state;
    expect(dns.records("example.com", "www").map(({ data }) => data)).to.deep.equal([ip]);
  });

  it("gives the pods of a new RoutedIP a minute to start, before Warnings say what is missing", async () => {
    made = await RoutedWorld.create(["n1"]);
    made.addIssuer();
    made.addRouted("a", { dnsRecordSet: { zone: "example.com", recordName: "www" } });
    made.world.start();
    await made.until("no node serves", () => made.condition("a", "Assigned") === "False/NoCandidate");
    await made.world.clock.sleep(START_WARNING_MS / 3);
    const warned = () =>
      made.world.kubernetes.list("events.k8s.io/v1", "Event").filter((each) => each["type"] === "Warning");
    expect(warned().map((each) => `${each["reason"]}: ${each["note"]}`)).to.deep.equal([]);
    await made.world.clock.sleep(2 * START_WARNING_MS);
    await made.until("a Warning", () => made.world.events("NoCandidate").length > 0);
  });

  for (const { what, calls, failed, type } of [
    { what: "records", calls: /^POST \/v2\/domains/, failed: "RecordsFailed", type: "DNSReady" },
    { what: "a firewall", calls: /^POST \/v2\/firewalls/, failed: "FirewallFailed", type: "FirewallReady" },
  ]) {
    it(`gives one Warning where a condition says why ${what} cannot be changed`, async () => {
      made = await RoutedWorld.create(["n1"]);
      const { faults } = made.world.digitalocean;
      faults.inject({ kind: "status", status: 403 }, { on: calls, times: Infinity });
      made.addIssuer();
      made.addRouted("a", { dnsRecordSet: { zone: "example.com", recordName: "www" } });
      made.serve({ node: "n1" });
      made.world.start();
      await made.until("the condition says it", () => made.condition("a", type) === "False/Unauthorized");
      await made.world.rest();
      const events = made.world.kubernetes.list("events.k8s.io/v1", "Event");
      const warnings = events.filter((event) => event["type"] === "Warning").map(({ reason }) => reason);
      expect(warnings.filter((reason) => reason === "Unauthorized" || reason === failed)).to.deep.equal([
        "Unauthorized",
      ]);
    });
  }

  it("names the node that gets no address because the account has reached its quota", async () => {
    made = await RoutedWorld.create(["n1"], { quota: 0 });
    made.serve({ node: "n1" });
    made.addIssuer();
    made.addRouted("a");
    made.world.start();
    await made.until("it reports the quota", () => made.condition("a", "Assigned") === "False/QuotaExceeded");
    const assigned = made.status("a").conditions?.find(({ type }) => type === "Assigned");
    expect(assigned?.message).to.match(/an address for node n1: .*owner of the account/);
  });

  it("prepares no node for an address that the account's quota refuses again", async () => {
    made = await RoutedWorld.create(["n1"], { quota: 0 });
    made.serve({ node: "n1" });
    made.addIssuer();
    made.addRouted("a");
    made.world.start();
    await made.until("it reports the quota", () => made.condition("a", "Assigned") === "False/QuotaExceeded");
    await made.world.rest();
    const { journal, state } = made.world.digitalocean;
    const creations = () => journal.calls({ on: /^POST \/v2\/reserved_ips$/ });
    const { mark: after } = journal;
    const refused = creations().length;
    const before = made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "n1" })?.metadata.resourceVersion;
    const listed = () => made.world.kubernetes.list("events.k8s.io/v1", "Event");
    const warnings = () => listed().flatMap(({ type, reason }) => (type === "Warning" ? [reason] : []));
    expect(warnings()).to.deep.equal(["QuotaExceeded"]);
    await made.world.clock.sleep(3_600_000);
    expect(warnings(), "of each refusal").to.deep.equal(["QuotaExceeded"]);
    expect(creations().length, "tried again").to.be.above(refused);
    const calls = journal.calls({ on: /v2\/firewalls/, mutating: true, after });
    expect(calls.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([]);
    expect(
      made.world.kubernetes.get({ apiVersion: "v1", kind: "Node", name: "n1" })?.metadata.resourceVersion,
    ).to.equal(before);
    state.account.reservedIpLimit = 1;
    await made.ready("a", 900_000);
    expect(made.nodeOf("a")).to.equal("n1");
  });

  it("says that the provider is out, and goes on when it is back", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    await made.readyOnFirst();
    const down = () => true;
    const outage = made.world.digitalocean.faults.inject(
      { kind: "status", status: 503 },
      { on: down, times: Infinity },
    );
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.until("Assigned reports it", () => made.condition("a", "Assigned") === "True/ProviderUnavailable");
    expect(made.condition("a", "Accepted")).to.equal("False/ProviderUnavailable");
    expect(made.status("a").assignedNode).to.equal("n1");
    outage.cancel();
    await made.settledOn("n2");
    await made.ready("a");
  });

  it("goes on through a rotation of its token, and says what is wrong with one that is refused", async () => {
    made = await RoutedWorld.create(["n1", "n2"], { flags: { "issuer-namespaces": "default" } });
    const { kubernetes, digitalocean } = made.world;
    const secret = { apiVersion: "v1", kind: "Secret", name: "do", namespace: "default" };
    const data = (token: string) => ({ token: Buffer.from(token).toString("base64") });
    const rotate = (token: string) => kubernetes.change(secret, (object) => ({ ...object, data: data(token) }));
    digitalocean.tokens.add({ name: "first", secret: "dop_v1_first" });
    kubernetes.create({
      ...{ apiVersion: "v1", kind: "Secret", data: data("dop_v1_first") },
      metadata: { name: "do", namespace: "default" },
    });
    made.addIssuer({ credentialsSecretRef: { name: "do", key: "token" } });
    made.addRouted("a");
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    digitalocean.tokens.revoke("dop_v1_first");
    rotate("dop_v1_wrong");
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.until("refused", () => made.condition("a", "Assigned") === "True/Unauthorized");
    await made.until(
      "the issuer, too",
      () => made.condition("do", "Accepted", "RoutedIPIssuer") === "False/Unauthorized",
    );
    digitalocean.tokens.add({ name: "second", secret: "dop_v1_second" });
    rotate("dop_v1_second");
    await made.settledOn("n2");
    await made.ready("a");
    expect(digitalocean.state.addresses()).to.have.length(1);
    const last = digitalocean.journal.calls({ on: ASSIGN }).at(-1);
    expect(last?.caller).to.equal("second");
  });

  it("shows what it does in its metrics, and takes them away with itself", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer();
    made.addRouted("a", { routedIP: ip, dnsRecordSet: { zone: "example.com", recordName: "www" } });
    made.serve({ node: "n1" });
    const { operator } = made.world.start();
    await made.ready("a");
    made.world.digitalocean.faults.inject({ kind: "status", status: 422 }, { on: ASSIGN });
    made.serve({ node: "n1", ready: false }, { node: "n2" });
    await made.settledOn("n2");
    const conditions = ["Ready", "Assigned", "FirewallReady", "DNSReady"].map((type) => {
      return `flipop_resource_condition{kind="RoutedIP",namespace="default",name="a",type="${type}"} 1`;
    });
    const base = `namespace="default",name="a",provider="digitalocean",dns="www.example.com",ip="${ip}"`;
    const prefix = "flipop_routedipcontroller_ip";
    const wanted = [
      `${prefix}_assignments{${base}} 2`,
      `${prefix}_assignment_errors{${base}} 1`,
      `${prefix}_state{${base},state="active"} 1`,
      `${prefix}_node{${base},provider_id="${made.world.holder(ip)}",node="n2"} 1`,
      ...conditions,
    ];
    const lines = async () => (await operator.registry.text()).split("\n").filter((line) => line.includes('name="a"'));
    await untilLines(lines, (seen) => wanted.every((line) => seen.includes(line)));
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("gone", () => made.object("a") === undefined);
    await untilLines(lines, (seen) => seen.every((line) => line.startsWith("flipop_providers_")));
  });
});
