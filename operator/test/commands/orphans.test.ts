import { Annotation, Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type DigitalOceanSimulator, startDigitalOceanSimulator } from "flipop-sandbox/digitalocean";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { addNode } from "flipop-sandbox/nodes";
import { after, before, describe, it } from "mocha";
import { CommandError, type CommandIo } from "../../src/commands/command.js";
import { run } from "../../src/commands/orphans/orphans.js";
import { idlePrice } from "../../src/providers/capabilities.js";
import { Flipop } from "./flipop.js";

const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool" };

describe("flipop orphans", () => {
  let kubernetes: Emulator;
  let digitalocean: DigitalOceanSimulator;
  let flipop: Flipop;
  let listed: string;
  let created: string;
  let free: string;
  let held: string;
  /** On a machine that is no node. */
  let foreign: string;

  before(async () => {
    kubernetes = await startEmulator();
    digitalocean = await startDigitalOceanSimulator({ account: { reservedIpLimit: 10 }, durations: { unassign: 100 } });
    const machine = addNode({ kubernetes, digitalocean }, { name: "node-1" });
    [listed, created, free] = [1, 2, 3].map(() => digitalocean.state.addAddress({ region: "nyc3" }).ip) as [
      ...[string, string, string],
    ];
    held = digitalocean.state.addAddress({ dropletId: Number(machine.split("//")[1]) }).ip;
    foreign = digitalocean.state.addAddress({ dropletId: digitalocean.state.addDroplet({ name: "vm" }).id }).ip;
    const annotations = { [Annotation.reservedIpv4]: held, [Annotation.reservedIpv4Owner]: "ingress/old/uid-1" };
    kubernetes.change({ apiVersion: "v1", kind: "Node", name: "node-1" }, (node) => ({
      ...node,
      metadata: { ...(node["metadata"] as object), annotations },
    }));
    addPool("web", { ips: [listed] }, { createdIPs: [{ ip: created, createdTime: "2026-01-01T00:00:00Z" }] });
    flipop = new Flipop(kubernetes.kubeconfig(), env());
  });

  after(async () => {
    flipop.close();
    await Promise.all([kubernetes.close(), digitalocean.close()]);
  });

  const env = () => ({ DIGITALOCEAN_ACCESS_TOKEN: digitalocean.token, DIGITALOCEAN_API_URL: digitalocean.url });

  function addPool(name: string, spec: object, status: object): void {
    const match = { nodeLabel: "pool=work" };
    const metadata = { name, namespace: "default" };
    kubernetes.create({ ...POOL, metadata, spec: { provider: "digitalocean", match, ...spec }, status });
  }

  const machineOf = (ip: string) => `digitalocean://${digitalocean.state.address(ip).dropletId}`;
  const exists = (ip: string) => digitalocean.state.addresses().some((address) => address.ip === ip);

  it("refuses options that mean nothing without --release", async () => {
    for (const option of ["--yes", "--unassign"]) {
      const { code, out, err } = await flipop.run("orphans", option);
      expect({ code, out }).to.deep.equal({ code: 2, out: "" });
      expect(err).to.equal(`flipop: ${option} has no effect without --release: name the addresses there\n`);
    }
  });

  it("lists what no resource lists or created, with the holder, the former owner and the cost", async () => {
    const { code, out, err } = await flipop.run("orphans", "-o", "json");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    const rows = [
      { ip: free, provider: "digitalocean", region: "nyc3", owner: "", holder: "", usdPerMonth: 5 },
      { ip: held, provider: "digitalocean", region: "nyc3", owner: "ingress/old", holder: "node-1", usdPerMonth: 0 },
      { ip: foreign, provider: "digitalocean", region: "nyc3", owner: "", holder: machineOf(foreign), usdPerMonth: 0 },
    ];
    expect(JSON.parse(out)).to.have.deep.members(rows);
    const table = await flipop.run("orphans");
    expect(table.out).to.match(/^ADDRESS +PROVIDER +REGION +HOLDER +USD\/MONTH +FORMER OWNER\n/);
    const rowOf = (ip: string) => table.out.split("\n").find((row) => row.startsWith(`${ip} `));
    expect(rowOf(held)).to.match(/ ingress\/old$/);
    expect(rowOf(free)).to.match(/ 5\.00 +not known: nothing in this cluster names the address$/);
    expect(idlePrice("digitalocean")?.source).to.match(/^https:/);
  });

  it("are shown with the pool that an Event of its deletion names", async () => {
    const event = { apiVersion: "events.k8s.io/v1", kind: "Event" };
    const regarding = { ...POOL, namespace: "default", name: "gone" };
    const said = { type: "Normal", reason: "Retained", action: "Retain", note: `${free} stays in the account` };
    const by = { reportingController: "flipop", reportingInstance: "a", eventTime: "2026-01-01T00:00:00.000000Z" };
    kubernetes.create({ ...event, metadata: { name: "gone.1", namespace: "default" }, regarding, ...said, ...by });
    const { out } = await flipop.run("orphans");
    kubernetes.delete({ ...event, name: "gone.1", namespace: "default" });
    expect(out.split("\n").find((row) => row.startsWith(`${free} `))).to.match(/ default\/gone$/);
  });

  it("are on nodes that flipop explain shows as occupied, with the remedy", async () => {
    const { out, err } = await flipop.run("explain", "pool/web", "--all");
    expect(err).to.equal("");
    expect(out).to.include(`Occupied: it already holds ${held}, which no resource names; the limit is 1`);
    expect(out).to.include("a pool: flipop adopt IP pool/NAME; a RoutedIP: spec.routedIP");
    const refused = new Flipop(kubernetes.kubeconfig(), { ...env(), DIGITALOCEAN_ACCESS_TOKEN: "another" });
    const other = await refused.run("explain", "pool/web", "--all");
    refused.close();
    expect(other.err).to.match(
      /^flipop: addresses that no resource knows are not considered: .*; fix: .*; flipop doctor says what is wrong with it\n$/,
    );
    expect(other).to.deep.include({ code: 0 });
    expect(other.out)
      .to.match(/node-1 /)
      .and.not.include(held);
  });

  it("are shown by flipop explain of a RoutedIP as retained for its namespace, if its issuer knows them", async () => {
    const metadata = { name: "retaining", namespace: "default" };
    const gone = "203.0.113.250";
    const retainedAddresses = [held, gone].map((ip) => ({ ip, namespace: "default" }));
    const issuer = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer" };
    const spec = { provider: "digitalocean", region: "nyc3" };
    kubernetes.create({ ...issuer, metadata, spec, status: { retainedAddresses } });
    const routed = { apiVersion: GROUP_VERSION, kind: "RoutedIP" };
    const given = { issuerRef: { name: "retaining" }, serviceRef: { serviceName: "web" } };
    const own = digitalocean.state.addAddress({ region: "nyc3" }).ip;
    kubernetes.create({ ...routed, metadata, spec: given, status: { routedIP: own } });
    const with1 = { ...metadata, name: "given" };
    kubernetes.create({ ...routed, metadata: with1, spec: { ...given, routedIP: own } });
    const { out } = await flipop.run("explain", "routedip/retaining", "--all");
    const named = await flipop.run("explain", "routedip/given");
    const away = new Flipop(kubernetes.kubeconfig());
    const tokenless = await away.run("explain", "routedip/retaining");
    away.close();
    for (const each of [metadata, with1]) kubernetes.delete({ ...routed, ...each });
    kubernetes.delete({ ...issuer, ...metadata });
    digitalocean.state.removeAddress(own);
    const seen = `${held}, retained for namespace default by RoutedIPIssuer default/retaining`;
    expect(out).to.include(`Occupied: it already holds ${seen}; the limit is 1`);
    expect(out).to.match(/Occupied +Set spec\.routedIP of a RoutedIP in the namespace to the retained address\./);
    const has = "\n  namespace default also has the retained address";
    expect(out).to.include(`${has} ${held}: set routedIP to use it\n`);
    expect(tokenless.out).to.include(`${has}es ${held}, ${gone}: set routedIP to use one of them\n`);
    expect(named.out).not.to.include("retained address ");
  });

  it("releases nothing that a resource knows, that a machine holds or that the account lacks", async () => {
    const refused = async (ip: string) => {
      const { code, err } = await flipop.run("orphans", "--release", free, ip, "--yes");
      expect(code).to.equal(1);
      return err;
    };
    expect(await refused(listed)).to.include(`FloatingIPPool default/web lists ${listed}: remove it there first`);
    expect(await refused(created)).to.equal(
      `flipop: FloatingIPPool default/web uses ${created}, though its spec does not list it: first lower its desiredIPs, until its status shows the address as disabled; then run the command again\n`,
    );
    expect(await refused(held)).to.equal(
      `flipop: ${held} is on node-1, a node of this cluster: add --unassign if nothing uses it there\n`,
    );
    expect(await refused(foreign)).to.match(/ is on digitalocean:\/\/\d+, which is no node of this cluster: add --un/);
    expect(await refused("203.0.113.250")).to.include("the account has no address 203.0.113.250");
    expect(exists(free)).to.equal(true);
  });

  it("does not blame desiredIPs where a pool has disabled an address because it is being deleted", async () => {
    const { ip } = digitalocean.state.addAddress({ region: "nyc3" });
    addPool("going", { desiredIPs: 1, reclaimPolicy: "Delete" }, { ips: { [ip]: { state: "disabled" } } });
    const going = { ...POOL, namespace: "default", name: "going" };
    const setFinalizers = (...finalizers: readonly string[]) =>
      kubernetes.change(going, (object) => ({ ...object, metadata: { ...Object(object["metadata"]), finalizers } }));
    setFinalizers(Finalizer.cleanup);
    kubernetes.delete(going);
    expect((await flipop.run("orphans")).err).to.equal(
      `flipop: FloatingIPPool default/going has disabled ${ip}, because it is being deleted: the operator releases those that it created\n`,
    );
    setFinalizers();
    digitalocean.state.removeAddress(ip);
  });

  it("releases a created address that its pool has disabled, unless the spec has changed since or a resource asks for it", async () => {
    const surplus = digitalocean.state.addAddress({ region: "nyc3" }).ip;
    const status = { ips: { [surplus]: { state: "disabled" } } };
    const createdIPs = [{ ip: surplus, createdTime: "2026-01-01T00:00:00Z", inSpec: true }];
    addPool("fewer", { ips: [listed], desiredIPs: 1 }, { ...status, createdIPs, observedGeneration: 0 });
    const fewer = { ...POOL, namespace: "default", name: "fewer" };
    const release = () => flipop.run("orphans", "--release", surplus, "--yes");
    expect((await flipop.run("orphans", "-o", "json")).err, "it counts against the limit").to.equal(
      `flipop: FloatingIPPool default/fewer has disabled ${surplus}, beyond its desiredIPs: reclaimPolicy: Delete releases those that the operator created\n`,
    );
    expect((await release()).err).to.include(`FloatingIPPool default/fewer uses ${surplus}`);
    const observed = { ...status, createdIPs, observedGeneration: 1 };
    kubernetes.change(fewer, (object) => ({ ...object, status: observed }), "status");
    addPool("asks", { ips: [surplus] }, {});
    expect((await release()).err).to.include(`FloatingIPPool default/asks lists ${surplus}: remove it there first`);
    kubernetes.delete({ ...POOL, namespace: "default", name: "asks" });
    expect(exists(surplus)).to.equal(true);
    const { code, out } = await release();
    kubernetes.delete(fewer);
    expect({ code, out }).to.deep.equal({ code: 0, out: `released ${surplus}\n` });
    expect(exists(surplus)).to.equal(false);
  });

  it("refuses an option in the place of an address", async () => {
    const { code, err } = await flipop.run("orphans", "--release", "--yes");
    expect(code).to.equal(2);
    expect(err).to.match(/^flipop: option '--release <address\.\.\.>' argument '--yes' is invalid\./);
    expect(err).to.include("see flipop orphans --help");
  });

  it("asks first, which a pipe cannot answer", async () => {
    const { code, err } = await flipop.run("orphans", "--release", free);
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: "flipop: a pipe has no person who could confirm: add --yes\n",
    });
    expect(exists(free)).to.equal(true);
  });

  it("releases nothing while a creation is open, since the address may be its own", async () => {
    const pendingCreation = { startedAt: "2026-01-01T00:00:00Z", provider: "digitalocean", family: "IPv4" };
    addPool("creating", { desiredIPs: 1 }, { pendingCreation });
    const { code, err } = await flipop.run("orphans", "--release", free, "--yes");
    expect(err).to.include("FloatingIPPool default/creating creates an address, which may be one of these");
    expect({ code, free: exists(free) }).to.deep.equal({ code: 1, free: true });
    kubernetes.delete({ ...POOL, namespace: "default", name: "creating" });
  });

  it("does not guess where a kind can't be read", async () => {
    const rule = { apiGroups: ["flipop.digitalocean.com"], resources: ["routedips"], verbs: ["list"] };
    const reader = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("reader", [rule])), {
      ...{ DIGITALOCEAN_ACCESS_TOKEN: digitalocean.token, DIGITALOCEAN_API_URL: digitalocean.url },
    });
    const { code, err } = await reader.run("orphans", "--release", free, "--yes");
    expect(err).to.match(/whether a FloatingIPPool knows an address of the account is not known: /);
    expect({ code, free: exists(free) }).to.deep.equal({ code: 1, free: true });
    reader.close();
  });

  it("releases an address that no resource knows", async () => {
    const { code, out } = await flipop.run("orphans", "--release", free, "--yes");
    expect({ code, out, free: exists(free) }).to.deep.equal({ code: 0, out: `released ${free}\n`, free: false });
  });

  it("shows whoever takes addresses off machines where they are, and lets them type the addresses", async () => {
    const questions: string[] = [];
    const answers = ["yes", undefined];
    const release = () => {
      const io: CommandIo = {
        ...{ terminal: false, width: 80, now: Date.now, stop: new AbortController().signal },
        ...{
          out: () => undefined,
          err: () => undefined,
          eraseLine: () => undefined,
          env: { ...env(), KUBECONFIG: flipop.kubeconfig },
        },
        ask: async (question) => {
          questions.push(question);
          return answers.shift();
        },
      };
      return run({ commands: [], args: [], options: { release: [held, foreign], unassign: true }, io });
    };
    for (const problem of ["nothing was released", "a pipe has no person who could confirm: add --yes"]) {
      const refused = await release().catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(CommandError).and.to.have.property("message", problem);
    }
    expect(questions[0]).to.equal(
      `node-1, a node of this cluster, loses ${held} at once.\n` +
        `${machineOf(foreign)}, which is no node of this cluster, loses ${foreign} at once.\n` +
        `Release ${held} (digitalocean), ${foreign} (digitalocean)? Nothing brings an address back. ` +
        `Other clusters of the account may list it. Type ${held} ${foreign}: `,
    );
    expect([exists(held), exists(foreign)]).to.deep.equal([true, true]);
  });

  it("releases nothing that has gone to another machine while the person was asked", async () => {
    const state = digitalocean.state;
    const [idle, moved] = [state.addAddress({ region: "nyc3" }).ip, state.addAddress({ region: "nyc3" }).ip];
    const [from, to] = ["from", "to"].map((name) => state.addDroplet({ name }).id) as [number, number];
    state.setHolder(moved, from);
    const release = (ip: string, word: string) => {
      const io: CommandIo = {
        ...{ terminal: false, width: 80, now: Date.now, stop: new AbortController().signal },
        ...{ out: () => undefined, err: () => undefined, eraseLine: () => undefined },
        env: { ...env(), KUBECONFIG: flipop.kubeconfig },
        ask: async () => {
          state.setHolder(ip, to);
          return word;
        },
      };
      return run({ commands: [], args: [], options: { release: [ip], unassign: true }, io });
    };
    for (const [ip, word] of [
      [idle, "yes"],
      [moved, moved],
    ] as const) {
      const refused = await release(ip, word).catch((error: unknown) => error);
      expect(`${refused}`).to.include(`it is held by digitalocean://${to}`);
      expect(state.address(ip).dropletId).to.equal(to);
      state.removeAddress(ip);
    }
  });

  it("refuses an address on a machine that a resource lists, also with --unassign", async () => {
    addPool("late", { ips: [held] }, {});
    const { code, err } = await flipop.run("orphans", "--release", held, "--unassign", "--yes");
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: `flipop: FloatingIPPool default/late lists ${held}: remove it there first\n`,
    });
    expect(digitalocean.state.address(held).dropletId).to.be.a("number");
    kubernetes.delete({ ...POOL, namespace: "default", name: "late" });
  });

  it("takes an address off its machine, then releases it", async () => {
    const { code, out, err } = await flipop.run("orphans", "--release", held, "--unassign", "--yes");
    expect({ code, out }).to.deep.equal({ code: 0, out: `unassigned ${held} from node-1\nreleased ${held}\n` });
    expect(err, "when the operator notices").to.match(
      /^flipop: the operator reads .* at least every 5 minutes, every 2 while a resource lacks an address; .*\n$/,
    );
    expect([exists(held), exists(foreign)]).to.deep.equal([false, true]);
  });

  it("releases nothing if the provider does not take it off", async () => {
    digitalocean.state.failActions({ type: "unassign_ip" });
    const { code, out, err } = await flipop.run("orphans", "--release", foreign, "--unassign", "--yes");
    expect({ code, out }).to.deep.equal({ code: 1, out: "" });
    expect(err).to.include(`${foreign} is not released, because it could not be unassigned: `);
    expect(exists(foreign)).to.equal(true);
  });

  it("says that there are none, not where a script reads", async () => {
    const rest = digitalocean.state.addresses().map(({ ip }) => ip);
    addPool("all", { ips: rest }, {});
    const { code, out, err } = await flipop.run("orphans");
    const data = await flipop.run("orphans", "-o", "json");
    kubernetes.delete({ ...POOL, namespace: "default", name: "all" });
    expect({ code, out, err }).to.deep.equal({
      ...{ code: 0, out: "" },
      err: "flipop: each address of the account belongs to a resource\n",
    });
    expect(data).to.deep.equal({ code: 0, out: "[]\n", err: "" });
  });

  it("names the variables where it has no token", async () => {
    const bare = new Flipop(kubernetes.kubeconfig());
    const { code, err } = await bare.run("orphans");
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: "flipop: no account is known: set DIGITALOCEAN_ACCESS_TOKEN or DIGITALOCEAN_ACCESS_TOKEN_FILE\n",
    });
    bare.close();
  });
});
