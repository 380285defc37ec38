import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../controllers/routed-ip/routed-world.js";

const ASSIGN = /^POST \/v2\/reserved_ips\/[^/]+\/actions$/;
const CREATE = /^POST \/v2\/reserved_ips$/;
const FIREWALLS = /\/v2\/firewalls/;
const RECORDS = /\/v2\/domains/;
const SLOW_MS = 25_000;

describe("operator in process: slow and failed calls of RoutedIPs", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** Nodes n1, n2, ... with one RoutedIP `a`, ready on n1. @returns its address. */
  const startReady = async (nodes: number, spec: object = {}, issuer: object = {}): Promise<string> => {
    const names = Array.from({ length: nodes }, (_, index) => `n${index + 1}`);
    // Some tests measure seconds, of which a busy machine would lose many while a request is under way.
    made = await RoutedWorld.create(names, { patient: true });
    const { ip } = made.world.digitalocean.state.addAddress();
    made.addIssuer(issuer);
    made.addRouted("a", { routedIP: ip, ...spec });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    return ip;
  };
  const edit = (change: object) =>
    made.world.kubernetes.change(made.refTo("a"), (object) => ({
      ...object,
      spec: { ...(object["spec"] as object), ...change },
    }));
  const calls = (on: RegExp) => made.world.digitalocean.journal.calls({ on });
  const now = () => made.world.clock.now();

  it("a slow call for records does not hold up a move", async () => {
    const dnsRecordSet = { zone: "example.com", recordName: "www" };
    await startReady(2, { dnsRecordSet });
    await made.until("published", () => made.condition("a", "DNSReady").startsWith("True"));
    const { faults, state } = made.world.digitalocean;
    faults.inject({ kind: "delay", ms: SLOW_MS }, { on: RECORDS, times: Infinity });
    state.settings.durations.assign = 500;
    const editedAt = now();
    edit({ dnsRecordSet: { ...dnsRecordSet, recordName: "other" } });
    await made.until("the slow call runs", () => made.world.clock.now() - editedAt > 3_000);
    const failedAt = now();
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
    await made.until("moved", () => made.nodeOf("a") === "n2");
    expect(now() - failedAt).to.be.below(5_000);
  });

  it("a slow read of the firewall does not hold up the status", async () => {
    await startReady(1);
    const slow = made.world.digitalocean.faults.inject(
      { kind: "delay", ms: SLOW_MS },
      { on: FIREWALLS, times: Infinity },
    );
    await made.world.clock.sleep(62_000);
    const changedAt = now();
    edit({ paused: true });
    await made.until("Accepted reports it", () => made.condition("a", "Accepted") === "True/Paused");
    expect(now() - changedAt).to.be.below(SLOW_MS - 15_000);
    slow.cancel();
  });

  it("an account that answers again is tried at once, whatever failed before", async () => {
    await startReady(2);
    const outage = made.world.digitalocean.faults.inject({ kind: "status", status: 401 }, { on: /./, times: Infinity });
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
    await made.until("Assigned reports it", () => made.condition("a", "Assigned").endsWith("Unauthorized"));
    await made.world.clock.sleep(3_600_000);
    const assigned = calls(ASSIGN).length;
    await made.world.clock.sleep(60_000);
    expect(calls(ASSIGN), "no move is tried meanwhile").to.have.length(assigned);
    outage.cancel();
    const answers = () => calls(/^GET \/v2\/reserved_ips/).filter(({ status }) => status === 200).length;
    const before = answers();
    await made.until("an answer", () => answers() > before);
    const answeredAt = now();
    await made.until("moved", () => made.nodeOf("a") === "n2");
    expect(now() - answeredAt).to.be.below(10_000);
  });

  it("a creation on a node without a machine goes to another node at once", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { world } = made;
    made.addIssuer({ routedIPFirewallName: undefined });
    made.serve({ node: "n1" }, { node: "n2" });
    world.digitalocean.faults.inject({ kind: "status", status: 404 }, { on: CREATE });
    made.addRouted("a");
    const startedAt = now();
    world.start();
    await made.until("created", () => made.nodeOf("a") !== undefined);
    const places = calls(CREATE).map(({ body }) => (body as { readonly droplet_id?: number }).droplet_id);
    expect(new Set(places).size, "two nodes were tried").to.equal(2);
    expect(now() - startedAt, "the slow retry schedule begins with 60 s").to.be.below(60_000);
  });

  it("an address goes to another node where actions for the elected one end errored, each try later than the one before", async () => {
    made = await RoutedWorld.create(["n1", "n2"]);
    const { digitalocean, clock } = made.world;
    const assigns = () => digitalocean.journal.count({ on: "POST /v2/reserved_ips/{reserved_ip}/actions" });
    await made.readyOnFirst();
    made.serve({ node: "n1" }, { node: "n2" });
    await made.world.rest();
    const before = assigns();
    digitalocean.state.failActions({ dropletId: made.world.droplet("n2").id, times: 1_000 });
    made.serve({ node: "n2" });
    await clock.sleep(240_000);
    expect(assigns() - before).to.be.within(4, 12);
    made.addNode("n3");
    made.serve({ node: "n2" }, { node: "n3" });
    await made.until("it is elsewhere", () => made.nodeOf("a") === "n3");
  });

  it("a change of a firewall waits longer after each refusal, although each leads to a new reading", async () => {
    made = await RoutedWorld.create(["n1"]);
    await made.readyOnFirst();
    const on = "POST /v2/firewalls/{firewall_id}/rules";
    const { faults, journal } = made.world.digitalocean;
    faults.inject({ kind: "status", status: 409 }, { on, times: Infinity });
    const before = journal.count({ on });
    made.removePod("n1");
    made.addPod("n1", 8443);
    await made.until("it is refused", () => journal.count({ on }) > before);
    await made.world.clock.sleep(240_000);
    expect(journal.count({ on }) - before).to.be.within(4, 12);
  });

  it("an address tries the nodes in turn: one that works again gets it, although a broken one is younger", async () => {
    made = await RoutedWorld.create(["n1", "n2", "n3"]);
    const { state } = made.world.digitalocean;
    await made.readyOnFirst();
    const idOf = (node: string) => made.world.droplet(node).id;
    state.failActions({ dropletId: idOf("n3"), times: 1_000 });
    state.failActions({ dropletId: idOf("n2"), times: 3 });
    made.serve({ node: "n2" }, { node: "n3" });
    await made.until("it is on the node that works again", () => made.nodeOf("a") === "n2");
    await made.ready("a");
  });

  it("says in status.retryAt when a refused firewall is tried again, in the issuer, too", async () => {
    await startReady(1);
    made.world.digitalocean.faults.inject({ kind: "status", status: 403 }, { on: FIREWALLS, times: Infinity });
    await made.until("FirewallReady reports it", () => made.condition("a", "FirewallReady") === "False/Unauthorized");
    await made.until("the wait", () => made.status("a").retryAt !== undefined);
    await made.until("the issuer", () => made.condition("do", "Accepted", "RoutedIPIssuer") === "False/Unauthorized");
    const issuer = () => made.object("do", "RoutedIPIssuer")?.["status"] as { readonly retryAt?: string };
    await made.until("the issuer's wait", () => issuer().retryAt !== undefined);
    const times = new Set<string | undefined>();
    const before = calls(FIREWALLS).length;
    made.world.clock.onStep(() => times.add(made.status("a").retryAt));
    // Each run of the issuer has another reason: a RoutedIP that begins to use it.
    for (let index = 0; index < 20; index++) {
      made.addRouted(`b${index}`, { routedIP: made.world.digitalocean.state.addAddress().ip, paused: true });
      await made.world.clock.sleep(1_000);
    }
    expect(calls(FIREWALLS).length - before, "no run reads before the time").to.be.at.most(2);
    expect(times.size, "one time for each try").to.be.at.most(3);
  });

  /** Another party begins to take the address off its node. */
  const lock = async (ip: string) => {
    const { url, token } = made.world.digitalocean;
    const body = JSON.stringify({ type: "unassign" });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/v2/reserved_ips/${ip}/actions`, { method: "POST", headers, body });
    expect(answer.status).to.equal(201);
  };

  it("an address that another party has locked is read again every 5 s", async () => {
    const ip = await startReady(2);
    const { state } = made.world.digitalocean;
    state.settings.durations.unassign = 60_000;
    await lock(ip);
    const reads = () => calls(new RegExp(`^GET /v2/reserved_ips/${ip.replaceAll(".", "\\.")}$`)).length;
    made.serve({ node: "n1", ready: false, serving: false }, { node: "n2" });
    await made.until("the lock is seen", () => made.status("a").state === "in-progress");
    const before = reads();
    const { revision } = made.world.kubernetes;
    await made.world.clock.sleep(20_000);
    expect(reads() - before).to.be.within(2, 5);
    expect(made.world.kubernetes.revision - revision, "writes").to.be.below(10);
    await made.until("moved", () => made.nodeOf("a") === "n2");
  });
});
