import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { CommandError, type CommandIo } from "../../../src/commands/command.js";
import { run } from "../../../src/commands/orphans/orphans.js";
import { Flipop } from "../flipop.js";
import { OrphansWorld, POOL } from "./orphans-world.js";

describe("flipop orphans --release", () => {
  let world: OrphansWorld;
  before(async () => {
    world = await OrphansWorld.start();
  });
  after(() => world.close());

  it("releases nothing that a resource knows, that a machine holds or that the account lacks", async () => {
    const { listed, created, free, held, foreign } = world.ips;
    const refused = async (ip: string) => {
      const { code, err } = await world.flipop.run("orphans", "--release", free, ip, "--yes");
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
    expect(world.exists(free)).to.equal(true);
  });

  it("releases a created address that its pool has disabled, unless the spec has changed since or a resource asks for it", async () => {
    const { listed } = world.ips;
    const surplus = world.digitalocean.state.addAddress({ region: "nyc3" }).ip;
    const status = { ips: { [surplus]: { state: "disabled" } } };
    const createdIPs = [{ ip: surplus, createdTime: "2026-01-01T00:00:00Z", inSpec: true }];
    world.addPool("fewer", { ips: [listed], desiredIPs: 1 }, { ...status, createdIPs, observedGeneration: 0 });
    const fewer = { ...POOL, namespace: "default", name: "fewer" };
    const release = () => world.flipop.run("orphans", "--release", surplus, "--yes");
    expect((await world.flipop.run("orphans", "-o", "json")).err, "it counts against the limit").to.equal(
      `flipop: FloatingIPPool default/fewer has disabled ${surplus}, beyond its desiredIPs: reclaimPolicy: Delete releases those that the operator created\n`,
    );
    expect((await release()).err).to.include(`FloatingIPPool default/fewer uses ${surplus}`);
    const observed = { ...status, createdIPs, observedGeneration: 1 };
    world.kubernetes.change(fewer, (object) => ({ ...object, status: observed }), "status");
    world.addPool("asks", { ips: [surplus] }, {});
    expect((await release()).err).to.include(`FloatingIPPool default/asks lists ${surplus}: remove it there first`);
    world.kubernetes.delete({ ...POOL, namespace: "default", name: "asks" });
    expect(world.exists(surplus)).to.equal(true);
    const { code, out } = await release();
    world.kubernetes.delete(fewer);
    expect({ code, out }).to.deep.equal({ code: 0, out: `released ${surplus}\n` });
    expect(world.exists(surplus)).to.equal(false);
  });

  it("releases no disabled address that a record set still holds", async () => {
    const { listed } = world.ips;
    const standIn = world.digitalocean.state.addAddress({ region: "nyc3" }).ip;
    const dns = { provider: "digitalocean", zone: "example.com", recordName: "www", types: ["A"], values: [standIn] };
    const createdIPs = [{ ip: standIn, createdTime: "2026-01-01T00:00:00Z", inSpec: true }];
    const status = { ips: { [standIn]: { state: "disabled" } }, createdIPs, observedGeneration: 1, dns };
    world.addPool("short", { ips: [listed], desiredIPs: 1 }, status);
    const { code, err } = await world.flipop.run("orphans", "--release", standIn, "--yes");
    world.addPool("asks", { ips: [standIn] }, {});
    const asked = await world.flipop.run("orphans", "--release", standIn, "--yes");
    for (const name of ["short", "asks"]) world.kubernetes.delete({ ...POOL, namespace: "default", name });
    expect(asked.err, "who lists it comes first").to.include(`default/asks lists ${standIn}: remove it there first`);
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: `flipop: record www.example.com of FloatingIPPool default/short still holds ${standIn}: wait until it does not, and for its TTL\n`,
    });
    expect(world.exists(standIn)).to.equal(true);
  });

  it("refuses an option in the place of an address", async () => {
    const { code, err } = await world.flipop.run("orphans", "--release", "--yes");
    expect(code).to.equal(2);
    expect(err).to.match(/^flipop: option '--release <address\.\.\.>' argument '--yes' is invalid\./);
    expect(err).to.include("see flipop orphans --help");
  });

  it("asks first, which a pipe cannot answer", async () => {
    const { free } = world.ips;
    const { code, err } = await world.flipop.run("orphans", "--release", free);
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: "flipop: a pipe has no person who could confirm: add --yes\n",
    });
    expect(world.exists(free)).to.equal(true);
  });

  it("releases nothing while a creation is open, since the address may be its own", async () => {
    const { free } = world.ips;
    const pendingCreation = { startedAt: "2026-01-01T00:00:00Z", provider: "digitalocean", family: "IPv4" };
    world.addPool("creating", { desiredIPs: 1 }, { pendingCreation });
    const { code, err } = await world.flipop.run("orphans", "--release", free, "--yes");
    expect(err).to.include("FloatingIPPool default/creating creates an address, which may be one of these");
    expect({ code, free: world.exists(free) }).to.deep.equal({ code: 1, free: true });
    world.kubernetes.delete({ ...POOL, namespace: "default", name: "creating" });
  });

  it("does not guess where a kind can't be read", async () => {
    const { free } = world.ips;
    const rule = { apiGroups: ["flipop.digitalocean.com"], resources: ["routedips"], verbs: ["list"] };
    const reader = new Flipop(world.kubernetes.kubeconfig(world.kubernetes.addIdentity("reader", [rule])), {
      ...{ DIGITALOCEAN_ACCESS_TOKEN: world.digitalocean.token, DIGITALOCEAN_API_URL: world.digitalocean.url },
    });
    const { code, err } = await reader.run("orphans", "--release", free, "--yes");
    expect(err).to.match(/whether a FloatingIPPool knows an address of the account is not known: /);
    expect({ code, free: world.exists(free) }).to.deep.equal({ code: 1, free: true });
    reader.close();
  });

  it("releases an address that no resource knows", async () => {
    const { free } = world.ips;
    const { code, out } = await world.flipop.run("orphans", "--release", free, "--yes");
    expect({ code, out, free: world.exists(free) }).to.deep.equal({ code: 0, out: `released ${free}\n`, free: false });
  });

  it("shows whoever takes addresses off machines where they are, and lets them type the addresses", async () => {
    const { held, foreign } = world.ips;
    const questions: string[] = [];
    const answers = ["yes", undefined];
    const release = () => {
      const io: CommandIo = {
        ...{ terminal: false, width: 80, now: Date.now, stop: new AbortController().signal },
        ...{
          out: () => undefined,
          err: () => undefined,
          eraseLine: () => undefined,
          env: { ...world.env(), KUBECONFIG: world.flipop.kubeconfig },
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
        `${world.machineOf(foreign)}, which is no node of this cluster, loses ${foreign} at once.\n` +
        `Release ${held} (digitalocean), ${foreign} (digitalocean)? Nothing brings an address back. ` +
        `Other clusters of the account may list it. Type ${held} ${foreign}: `,
    );
    expect([world.exists(held), world.exists(foreign)]).to.deep.equal([true, true]);
  });

  it("releases nothing that has gone to another machine while the person was asked", async () => {
    const state = world.digitalocean.state;
    const [idle, moved] = [state.addAddress({ region: "nyc3" }).ip, state.addAddress({ region: "nyc3" }).ip];
    const [from, to] = ["from", "to"].map((name) => state.addDroplet({ name }).id) as [number, number];
    state.setHolder(moved, from);
    const release = (ip: string, word: string) => {
      const io: CommandIo = {
        ...{ terminal: false, width: 80, now: Date.now, stop: new AbortController().signal },
        ...{ out: () => undefined, err: () => undefined, eraseLine: () => undefined },
        env: { ...world.env(), KUBECONFIG: world.flipop.kubeconfig },
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
    const { held } = world.ips;
    world.addPool("late", { ips: [held] }, {});
    const { code, err } = await world.flipop.run("orphans", "--release", held, "--unassign", "--yes");
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: `flipop: FloatingIPPool default/late lists ${held}: remove it there first\n`,
    });
    expect(world.digitalocean.state.address(held).dropletId).to.be.a("number");
    world.kubernetes.delete({ ...POOL, namespace: "default", name: "late" });
  });

  it("takes an address off its machine, then releases it", async () => {
    const { held, foreign } = world.ips;
    const { code, out, err } = await world.flipop.run("orphans", "--release", held, "--unassign", "--yes");
    expect({ code, out }).to.deep.equal({ code: 0, out: `unassigned ${held} from node-1\nreleased ${held}\n` });
    expect(err, "when the operator notices").to.match(
      /^flipop: the operator reads .* at least every 5 minutes, every 2 while a resource lacks an address; .*\n$/,
    );
    expect([world.exists(held), world.exists(foreign)]).to.deep.equal([false, true]);
  });

  it("releases nothing if the provider does not take it off", async () => {
    const { foreign } = world.ips;
    world.digitalocean.state.failActions({ type: "unassign_ip" });
    const { code, out, err } = await world.flipop.run("orphans", "--release", foreign, "--unassign", "--yes");
    expect({ code, out }).to.deep.equal({ code: 1, out: "" });
    expect(err).to.include(`${foreign} is not released, because it could not be unassigned: `);
    expect(world.exists(foreign)).to.equal(true);
  });
});
