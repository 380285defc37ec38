import { Finalizer, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { after, before, describe, it } from "mocha";
import { idlePrice } from "../../../src/providers/address-capabilities.js";
import { Flipop } from "../flipop.js";
import { OrphansWorld, POOL } from "./orphans-world.js";

describe("flipop orphans", () => {
  let world: OrphansWorld;
  before(async () => {
    world = await OrphansWorld.start();
  });
  after(() => world.close());

  it("refuses options that mean nothing without --release", async () => {
    for (const option of ["--yes", "--unassign"]) {
      const { code, out, err } = await world.flipop.run("orphans", option);
      expect({ code, out }).to.deep.equal({ code: 2, out: "" });
      expect(err).to.equal(`flipop: ${option} has no effect without --release: name the addresses there\n`);
    }
  });

  it("lists what no resource lists or created, with the holder, the former owner and the cost", async () => {
    const { free, held, foreign } = world.ips;
    const { code, out, err } = await world.flipop.run("orphans", "-o", "json");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    const rows = [
      { ip: free, provider: "digitalocean", region: "nyc3", owner: "", holder: "", usdPerMonth: 5 },
      { ip: held, provider: "digitalocean", region: "nyc3", owner: "ingress/old", holder: "node-1", usdPerMonth: 0 },
      {
        ip: foreign,
        provider: "digitalocean",
        region: "nyc3",
        owner: "",
        holder: world.machineOf(foreign),
        usdPerMonth: 0,
      },
    ];
    expect(JSON.parse(out)).to.have.deep.members(rows);
    const table = await world.flipop.run("orphans");
    expect(table.out).to.match(/^ADDRESS +PROVIDER +REGION +HOLDER +USD\/MONTH +FORMER OWNER\n/);
    const rowOf = (ip: string) => table.out.split("\n").find((row) => row.startsWith(`${ip} `));
    expect(rowOf(held)).to.match(/ ingress\/old$/);
    expect(rowOf(free)).to.match(/ 5\.00 +not known: nothing in this cluster names the address$/);
    expect(idlePrice("digitalocean")?.source).to.match(/^https:/);
  });

  it("are shown with the pool that an Event of its deletion names", async () => {
    const { free } = world.ips;
    const event = { apiVersion: "events.k8s.io/v1", kind: "Event" };
    const regarding = { ...POOL, namespace: "default", name: "gone" };
    const said = { type: "Normal", reason: "Retained", action: "Retain", note: `${free} stays in the account` };
    const by = { reportingController: "flipop", reportingInstance: "a", eventTime: "2026-01-01T00:00:00.000000Z" };
    world.kubernetes.create({
      ...event,
      metadata: { name: "gone.1", namespace: "default" },
      regarding,
      ...said,
      ...by,
    });
    const { out } = await world.flipop.run("orphans");
    world.kubernetes.delete({ ...event, name: "gone.1", namespace: "default" });
    expect(out.split("\n").find((row) => row.startsWith(`${free} `))).to.match(/ default\/gone$/);
  });

  it("do not include one that a resource lists and may not use: flipop explain says which one and why", async () => {
    const { held } = world.ips;
    const why = "the limits do not allow it";
    const error = `${why}; fix: have the administrator allow it`;
    const entry = { state: "error", reason: "AddressNotAllowed", error };
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const accepted = { type: "Accepted", status: "False", reason: entry.reason, message: error, lastTransitionTime };
    const lists = { metadata: { name: "site", namespace: "default" }, apiVersion: POOL.apiVersion };
    const pool = {
      ...POOL,
      ...lists,
      spec: { provider: "digitalocean", ips: [held] },
      status: { ips: { [held]: entry } },
    };
    const spec = { className: "public", serviceRef: { serviceName: "web" }, routedIP: held };
    const routed = { ...lists, kind: "RoutedIP", spec, status: { conditions: [accepted] } };
    for (const one of [pool, routed]) {
      world.kubernetes.create(one);
      const { out } = await world.flipop.run("explain", "pool/web", "--all");
      const orphans = await world.flipop.run("orphans");
      world.kubernetes.delete({ ...one, name: "site", namespace: "default" });
      const lister = `${one.kind} default/site`;
      expect(out).to.include(
        `Occupied: it already holds ${held}, which ${lister} lists, but may not use (${why}); the `,
      );
      expect(out).to.include("Have the limits allow the address to the resource that lists it");
      expect(orphans.out).not.to.include(held);
    }
  });

  it("are on nodes that flipop explain shows as occupied, with the remedy", async () => {
    const { held } = world.ips;
    const { out, err } = await world.flipop.run("explain", "pool/web", "--all");
    expect(err).to.equal("");
    expect(out).to.include(`Occupied: it already holds ${held}, which no resource names; the limit is 1`);
    expect(out).to.include("a pool: flipop adopt IP pool/NAME; a RoutedIP: spec.routedIP");
    const refused = new Flipop(world.kubernetes.kubeconfig(), { ...world.env(), DIGITALOCEAN_ACCESS_TOKEN: "another" });
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
    const { held } = world.ips;
    const metadata = { name: "retaining", namespace: "default" };
    const gone = "203.0.113.250";
    const retainedAddresses = [held, gone].map((ip) => ({ ip, namespace: "default" }));
    const issuer = { apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer" };
    const spec = { provider: "digitalocean", region: "nyc3" };
    world.kubernetes.create({ ...issuer, metadata, spec, status: { retainedAddresses } });
    const routed = { apiVersion: GROUP_VERSION, kind: "RoutedIP" };
    const given = { issuerRef: { name: "retaining" }, serviceRef: { serviceName: "web" } };
    const own = world.digitalocean.state.addAddress({ region: "nyc3" }).ip;
    world.kubernetes.create({ ...routed, metadata, spec: given, status: { routedIP: own } });
    const with1 = { ...metadata, name: "given" };
    world.kubernetes.create({ ...routed, metadata: with1, spec: { ...given, routedIP: own } });
    const { out } = await world.flipop.run("explain", "routedip/retaining", "--all");
    const named = await world.flipop.run("explain", "routedip/given");
    const away = new Flipop(world.kubernetes.kubeconfig());
    const tokenless = await away.run("explain", "routedip/retaining");
    away.close();
    for (const each of [metadata, with1]) world.kubernetes.delete({ ...routed, ...each });
    world.kubernetes.delete({ ...issuer, ...metadata });
    world.digitalocean.state.removeAddress(own);
    const seen = `${held}, retained for namespace default by RoutedIPIssuer default/retaining`;
    expect(out).to.include(`Occupied: it already holds ${seen}; the limit is 1`);
    expect(out).to.match(/Occupied +Set spec\.routedIP of a RoutedIP in the namespace to the retained address\./);
    const has = "\n  namespace default also has the retained address";
    expect(out).to.include(`${has} ${held}: set routedIP to use it\n`);
    expect(tokenless.out).to.include(`${has}es ${held}, ${gone}: set routedIP to use one of them\n`);
    expect(named.out).not.to.include("retained address ");
  });

  it("does not blame desiredIPs where a pool has disabled an address because it is being deleted", async () => {
    const { ip } = world.digitalocean.state.addAddress({ region: "nyc3" });
    world.addPool("going", { desiredIPs: 1, reclaimPolicy: "Delete" }, { ips: { [ip]: { state: "disabled" } } });
    const going = { ...POOL, namespace: "default", name: "going" };
    const setFinalizers = (...finalizers: readonly string[]) =>
      world.kubernetes.change(going, (object) => ({
        ...object,
        metadata: { ...Object(object["metadata"]), finalizers },
      }));
    setFinalizers(Finalizer.cleanup);
    world.kubernetes.delete(going);
    expect((await world.flipop.run("orphans")).err).to.equal(
      `flipop: FloatingIPPool default/going has disabled ${ip}, because it is being deleted: the operator releases those that it created\n`,
    );
    setFinalizers();
    world.digitalocean.state.removeAddress(ip);
  });

  it("says that there are none, not where a script reads", async () => {
    const rest = world.digitalocean.state.addresses().map(({ ip }) => ip);
    world.addPool("all", { ips: rest }, {});
    const { code, out, err } = await world.flipop.run("orphans");
    const data = await world.flipop.run("orphans", "-o", "json");
    world.kubernetes.delete({ ...POOL, namespace: "default", name: "all" });
    expect({ code, out, err }).to.deep.equal({
      ...{ code: 0, out: "" },
      err: "flipop: each address of the account belongs to a resource\n",
    });
    expect(data).to.deep.equal({ code: 0, out: "[]\n", err: "" });
  });

  it("names the variables where it has no token", async () => {
    const bare = new Flipop(world.kubernetes.kubeconfig());
    const { code, err } = await bare.run("orphans");
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: "flipop: no account is known: set DIGITALOCEAN_ACCESS_TOKEN or DIGITALOCEAN_ACCESS_TOKEN_FILE\n",
    });
    bare.close();
  });
});
