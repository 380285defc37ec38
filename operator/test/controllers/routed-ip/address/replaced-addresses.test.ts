import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../routed-world.js";

const RECORD = { zone: "example.com", recordName: "app" };
const UNKNOWN = "192.0.2.222";
const REFUSED = "198.51.100.222";

describe("operator in process: an edit of spec.routedIP", function () {
  this.timeout(120_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  const state = () => made.world.digitalocean.state;
  const account = () =>
    state()
      .addresses()
      .map(({ ip }) => ip);
  const changesSince = (after: number) =>
    made.world.digitalocean.journal.calls({ mutating: true, after }).map(({ method, path }) => `${method} ${path}`);
  const records = () =>
    state()
      .dns.records("example.com", "app")
      .map(({ data }) => data);
  const messageOf = (type: string) =>
    made.status("a").conditions?.find((condition) => condition.type === type)?.message ?? "";
  const notes = (reason: string) => made.world.events(reason).map(({ message, note }) => String(note ?? message));
  const edit = (routedIP: string | undefined, name = "a") =>
    made.world.kubernetes.change(made.refTo(name), (object) => {
      const { routedIP: _before, ...spec } = object["spec"] as { readonly routedIP?: string };
      return { ...object, spec: routedIP === undefined ? spec : { ...spec, routedIP } };
    });
  const observed = () =>
    made.status("a").conditions?.find(({ type }) => type === "Ready")?.observedGeneration ===
    made.object("a")?.metadata.generation;

  /** One RoutedIP that is ready on n1. @returns its address. */
  async function ready(nodes: readonly string[], policy: "Retain" | "Delete"): Promise<string> {
    made = await RoutedWorld.create(nodes);
    return serve(policy);
  }

  async function readyWith(routedIP: string, nodes: readonly string[]): Promise<string> {
    made = await RoutedWorld.create(nodes);
    state().addAddress({ ip: routedIP });
    return serve("Retain", { routedIP });
  }

  async function serve(policy: "Retain" | "Delete", more: object = {}): Promise<string> {
    made.addIssuer({
      routedIPReclaimPolicy: policy,
      allowedAddresses: ["192.0.2.0/24", "203.0.113.0/24", "198.18.0.0/15", "Created"],
    });
    made.addRouted("a", { dnsRecordSet: RECORD, ...more });
    made.serve({ node: "n1" });
    made.world.start();
    await made.ready("a");
    await made.until("published", () => records().length === 1);
    await made.world.rest();
    return made.status("a").routedIP ?? "";
  }

  /** @returns the address that the spec names by mistake. */
  const MISTAKES: Readonly<Record<string, () => string>> = {
    AddressNotAllowed: () => REFUSED,
    AddressNotFound: () => UNKNOWN,
    HeldElsewhere: () => {
      const { ip } = state().addAddress({ ip: "192.0.2.7" });
      state().setHolder(ip, state().addDroplet().id);
      return ip;
    },
    ClaimedByOther: () => {
      const { ip } = state().addAddress({ ip: "192.0.2.8" });
      made.world.addPool("web", { ips: [ip], match: { nodeLabel: "none=here" } });
      return ip;
    },
  };
  for (const given of [undefined, "192.0.2.6"]) {
    for (const [reason, mistaken] of Object.entries(MISTAKES)) {
      it(`that is a mistake (${reason}) leaves the ${given === undefined ? "created" : "given"} address where it serves`, async () => {
        const former = given === undefined ? await ready(["n1", "n2"], "Delete") : await readyWith(given, ["n1", "n2"]);
        const next = mistaken();
        await made.world.rest();
        const mark = made.world.digitalocean.journal.mark;
        edit(next);
        await made.until("refused", () => made.condition("a", "Ready") === `False/${reason}` && observed());
        await made.world.rest();
        expect(changesSince(mark)).to.deep.equal([]);
        expect(messageOf("Accepted")).to.match(new RegExp(`^${former} stays the address, .*${next}.*fix: `, "s"));
        expect(made.condition("a", "Assigned")).to.match(/^True/);
        expect(made.status("a")).to.include({ routedIP: former, assignedNode: "n1", state: "active" });
        made.serve({ node: "n2" });
        await made.until("it still moves", () => made.nodeOf("a") === "n2");
        await made.world.rest();
        const undone = made.world.digitalocean.journal.mark;
        edit(given);
        await made.ready("a");
        await made.world.rest();
        expect(changesSince(undone)).to.deep.equal([]);
        expect([made.nodeOf("a"), records()]).to.deep.equal(["n2", [former]]);
      });
    }
  }

  for (const policy of ["Retain", "Delete"] as const) {
    for (const nodes of [["n1"], ["n1", "n2"]]) {
      it(`under ${policy}, the created address goes when the next one serves, with ${nodes.length} nodes`, async () => {
        const former = await ready(nodes, policy);
        made.serve(...nodes.map((node) => ({ node })));
        await made.world.rest();
        const { ip } = state().addAddress({ ip: "192.0.2.9" });
        const mark = made.world.digitalocean.journal.mark;
        edit(ip);
        await made.until("on record", () => made.status("a").routedIP === ip);
        await made.ready("a");
        await made.world.rest();
        const isRelease = (call: string) => call === `DELETE /v2/reserved_ips/${former}`;
        const calls = changesSince(mark);
        const published = calls.findIndex((call) => call.includes("/records"));
        expect(records()).to.deep.equal([ip]);
        expect(made.status("a")).to.include({ routedIP: ip, state: "active" }).and.not.to.have.property("created");
        expect(account()).to.have.members(policy === "Delete" ? [ip] : [former, ip]);
        expect(calls.filter(isRelease)).to.have.length(policy === "Delete" ? 1 : 0);
        if (policy === "Delete") expect(calls.findIndex(isRelease)).to.be.greaterThan(published);
        else expect(notes("Forgotten").join()).to.contain(`${former} stays in the account`);
        expect(made.object("a")?.metadata.annotations ?? {}).not.to.have.property(Annotation.createdIps);
      });
    }
  }

  it("gives the only node to the next address, if a person named both", async () => {
    const former = await readyWith("192.0.2.6", ["n1"]);
    const { ip } = state().addAddress({ ip: "192.0.2.9" });
    edit(ip);
    await made.until("on its node", () => made.nodeOf("a") === "n1" && made.status("a").routedIP === ip);
    await made.ready("a");
    await made.world.rest();
    expect(records()).to.deep.equal([ip]);
    expect(account()).to.have.members([former, ip]);
  });

  /** Each of two RoutedIPs names the address of the other. */
  async function exchange(first: string, second: string): Promise<void> {
    edit(second);
    await made.until("b keeps its own", () => made.condition("a", "Ready") === "False/ClaimedByOther");
    edit(first, "b");
    await made.until("exchanged", () => {
      const [a, b] = [made.status("a"), made.status("b")];
      return a.routedIP === second && b.routedIP === first && a.state === "active" && b.state === "active";
    });
    await Promise.all([made.ready("a"), made.ready("b")]);
    await made.world.rest();
    expect(records()).to.deep.equal([second]);
    expect(account()).to.have.members([first, second]);
  }

  it("exchanges the addresses that two RoutedIPs name", async () => {
    const [first, second] = ["192.0.2.6", "192.0.2.9"];
    await readyWith(first, ["n1", "n2"]);
    state().addAddress({ ip: second });
    made.serve({ node: "n1" }, { node: "n2" });
    made.addRouted("b", { routedIP: second });
    await made.ready("b");
    await made.world.rest();
    await exchange(first, second);
  });

  for (const policy of ["Retain", "Delete"] as const) {
    it(`under ${policy}, exchanges the addresses that the operator created for two RoutedIPs, and releases neither`, async () => {
      const first = await ready(["n1", "n2"], policy);
      made.serve({ node: "n1" }, { node: "n2" });
      made.addRouted("b");
      await made.ready("b");
      await made.world.rest();
      const second = made.status("b").routedIP ?? "";
      const mark = made.world.digitalocean.journal.mark;
      await exchange(first, second);
      expect(changesSince(mark).filter((call) => call.startsWith("DELETE /v2/reserved_ips"))).to.deep.equal([]);
      for (const name of ["a", "b"]) {
        expect(made.status(name)).not.to.have.property("created");
        expect(made.object(name)?.metadata.annotations ?? {}).not.to.have.property(Annotation.createdIps);
      }
    });
  }

  it("that is undone before the created address is released keeps it", async () => {
    const former = await ready(["n1", "n2"], "Delete");
    made.serve({ node: "n1" }, { node: "n2" });
    const { ip } = state().addAddress({ ip: "192.0.2.9" });
    edit(ip);
    await made.until("the next one is published", () => records().join() === ip);
    edit(undefined);
    await made.until("the former one is back", () => records().join() === former);
    await made.ready("a");
    await made.world.rest();
    expect(account()).to.have.members([former, ip]);
    expect(made.status("a")).to.include({ routedIP: former, created: true, state: "active" });
  });
});
