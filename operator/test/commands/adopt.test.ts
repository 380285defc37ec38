import { type FloatingIPPoolSpec, GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { afterEach, beforeEach, describe, it } from "mocha";
import { Flipop } from "./flipop.js";

const POOL = { apiVersion: GROUP_VERSION, kind: "FloatingIPPool", namespace: "default" };

describe("flipop adopt", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;

  beforeEach(async () => {
    kubernetes = await startEmulator();
    flipop = new Flipop(kubernetes.kubeconfig());
    pool("web", { ips: ["203.0.113.1"] });
    pool("second", { ips: ["203.0.113.2"], desiredIPs: 1 });
  });

  afterEach(async () => {
    flipop.close();
    await kubernetes.close();
  });

  function pool(name: string, spec: Partial<FloatingIPPoolSpec>) {
    kubernetes.create({
      ...POOL,
      metadata: { name, namespace: "default" },
      spec: { provider: "digitalocean", ...spec },
    });
  }

  const specOf = (name: string) => kubernetes.get({ ...POOL, name })?.["spec"] as FloatingIPPoolSpec | undefined;
  const ips = (name: string) => specOf(name)?.ips;

  it("appends the address to the pool, once", async () => {
    const { code, out, err } = await flipop.run("adopt", "203.0.113.7", "pool/web");
    expect({ code, out, err }).to.deep.equal({
      code: 0,
      out: "FloatingIPPool default/web: 203.0.113.7 is the last entry of ips now\n",
      err: "",
    });
    expect(ips("web")).to.deep.equal(["203.0.113.1", "203.0.113.7"]);
    const again = await flipop.run("adopt", "203.0.113.7", "pool/web");
    expect([again.code, again.out]).to.deep.equal([0, "FloatingIPPool default/web lists 203.0.113.7 already\n"]);
    expect(ips("web")).to.have.length(2);
  });

  it("fails for an address that the pool lists already and cannot use", async () => {
    const refused = { state: "error", reason: "AddressNotAllowed", error: "a limit refuses it" };
    kubernetes.create({
      ...POOL,
      metadata: { name: "limited", namespace: "default" },
      spec: { provider: "digitalocean", ips: ["203.0.113.20"] },
      status: { ips: { "203.0.113.20": refused } },
    });
    const { code, err } = await flipop.run("adopt", "203.0.113.20", "pool/limited");
    expect([code, err]).to.deep.equal([
      1,
      "flipop: FloatingIPPool default/limited lists 203.0.113.20 already, and cannot use it (AddressNotAllowed): a limit refuses it\n",
    ]);
  });

  it("fills a place of a pool that would create an address", async () => {
    pool("empty", { desiredIPs: 1, region: "nyc3" });
    expect((await flipop.run("adopt", "203.0.113.9", "pool/empty")).code).to.equal(0);
    expect(ips("empty")).to.deep.equal(["203.0.113.9"]);
  });

  it("takes back an address that the pool itself has created, and that a person has removed from ips", async () => {
    const status = { createdIPs: [{ ip: "203.0.113.5", createdTime: "2026-01-31T12:00:00Z", inSpec: true }] };
    kubernetes.change({ ...POOL, name: "web" }, (object) => ({ ...object, status }), "status");
    expect((await flipop.run("adopt", "203.0.113.5", "pool/web")).code).to.equal(0);
    expect(ips("web")).to.deep.equal(["203.0.113.1", "203.0.113.5"]);
  });

  it("reads again, and tries again, if the operator writes the pool meanwhile", async () => {
    let writes = 0;
    kubernetes.setFaults(({ method }) => {
      if (method === "PATCH" && writes < 3) {
        writes += 1;
        kubernetes.change(
          { ...POOL, name: "web" },
          (object) => ({ ...object, status: { error: `${writes}` } }),
          "status",
        );
      }
      return undefined;
    });
    const { code, err } = await flipop.run("adopt", "203.0.113.7", "pool/web");
    expect({ code, err, writes }).to.deep.equal({ code: 0, err: "", writes: 3 });
    expect(ips("web")).to.deep.equal(["203.0.113.1", "203.0.113.7"]);
  });

  it("raises desiredIPs in the same write if it is asked to, so that the operator creates nothing for the new place", async () => {
    const patches: unknown[] = [];
    kubernetes.setFaults(({ method, body }) => {
      if (method === "PATCH") patches.push(body);
      return undefined;
    });
    const { code, out, err } = await flipop.run("adopt", "203.0.113.8", "pool/second", "--raise");
    expect({ code, out, err }).to.deep.equal({
      code: 0,
      out: "FloatingIPPool default/second: 203.0.113.8 is entry 2 of ips now, and desiredIPs is 2\n",
      err: "",
    });
    expect(specOf("second")).to.deep.include({ ips: ["203.0.113.2", "203.0.113.8"], desiredIPs: 2 });
    expect(patches).to.have.length(1);
  });

  it("raises desiredIPs by one only, and leaves disabled what the pool had disabled", async () => {
    pool("third", { ips: ["203.0.113.31", "203.0.113.32", "203.0.113.33"], desiredIPs: 1 });
    expect((await flipop.run("adopt", "203.0.113.8", "pool/third", "--raise")).code).to.equal(0);
    const raised = { ips: ["203.0.113.31", "203.0.113.8", "203.0.113.32", "203.0.113.33"], desiredIPs: 2 };
    expect(specOf("third")).to.deep.include(raised);
  });

  it("raises nothing where the pool has room", async () => {
    pool("roomy", { ips: ["203.0.113.31"], desiredIPs: 2 });
    expect((await flipop.run("adopt", "203.0.113.8", "pool/roomy", "--raise")).code).to.equal(0);
    expect(specOf("roomy")).to.deep.include({ ips: ["203.0.113.31", "203.0.113.8"], desiredIPs: 2 });
  });

  it("counts a created address that the operator has not yet appended to ips: it would be disabled", async () => {
    pool("creating", { ips: ["203.0.113.31"], desiredIPs: 2 });
    const status = { createdIPs: [{ ip: "203.0.113.32", createdTime: "2026-01-31T12:00:00Z" }] };
    kubernetes.change({ ...POOL, name: "creating" }, (object) => ({ ...object, status }), "status");
    const { code, err } = await flipop.run("adopt", "203.0.113.8", "pool/creating");
    expect(code).to.equal(1);
    expect(err).to.include("has 2 addresses, and desiredIPs is 2");
    expect((await flipop.run("adopt", "203.0.113.8", "pool/creating", "--raise")).code).to.equal(0);
    expect(specOf("creating")).to.deep.include({ ips: ["203.0.113.31", "203.0.113.8"], desiredIPs: 3 });
  });

  const refusals: readonly (readonly [string[], RegExp])[] = [
    [
      ["203.0.113.2", "pool/web"],
      /^flipop: 203\.0\.113\.2 belongs to FloatingIPPool default\/second: remove it there first\n$/,
    ],
    [
      ["203.0.113.8", "pool/second"],
      /has 1 address, and desiredIPs is 1, so the operator would disable one: to use 203\.0\.113\.8, too, run flipop adopt 203\.0\.113\.8 pool\/second -n default --raise, which sets desiredIPs to 2 in the same write\n$/,
    ],
    [["2001:db8::7", "pool/web"], /^flipop: 2001:db8::7 is no IPv4 address/],
    [["web", "pool/web"], /^flipop: "web" is no IP address: write it as /],
    [
      ["203.0.113.8", "routedip/a"],
      /^flipop: "routedip\/a" is a RoutedIP, and this command takes pool\/NAME: flipop status/,
    ],
  ];
  for (const [args, message] of refusals) {
    it(`changes nothing and says what to do for ${args.join(" ")}`, async () => {
      const { code, out, err } = await flipop.run("adopt", ...args);
      const isUsage = args[0] === "web" || args[1] === "routedip/a";
      expect([code, out]).to.deep.equal([isUsage ? 2 : 1, ""]);
      expect(err).to.match(message);
      expect([ips("web"), ips("second")]).to.deep.equal([["203.0.113.1"], ["203.0.113.2"]]);
    });
  }

  it("refuses while it may not see whether a RoutedIP claims the address", async () => {
    const rule = { verbs: ["*"], apiGroups: ["*"], resources: ["floatingippools"] };
    const narrow = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("narrow", [rule])));
    const { code, err } = await narrow.run("adopt", "203.0.113.7", "pool/web");
    expect(code).to.equal(1);
    expect(err).to.match(/^flipop: whether a RoutedIP claims 203\.0\.113\.7 is not known: you may not list routedips/);
    narrow.close();
  });
});
