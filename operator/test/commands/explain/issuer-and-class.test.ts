import { GROUP_VERSION } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type Emulator, startEmulator } from "flipop-sandbox/kubernetes";
import { after, before, describe, it } from "mocha";
import { systemClock } from "../../../src/clock.js";
import type { UseExplanation } from "../../../src/commands/explain/issuer-and-class.js";
import { Flipop } from "../flipop.js";

const ACCEPTED = { type: "Accepted", status: "True", reason: "Observed", message: "", observedGeneration: 1 };
const CREATED = "2026-01-01T00:00:00Z";

describe("flipop explain of an issuer or a class", () => {
  let kubernetes: Emulator;
  let flipop: Flipop;

  before(async () => {
    let passed = 0;
    kubernetes = await startEmulator({ clock: { ...systemClock, now: () => Date.now() + passed } });
    flipop = new Flipop(kubernetes.kubeconfig());
    for (const name of ["platform", "a", "b"]) {
      kubernetes.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    }
    const account = { provider: "digitalocean", region: "nyc3" };
    create("RoutedIPIssuer", {
      metadata: { name: "main", namespace: "platform" },
      spec: account,
      conditions: [ACCEPTED],
    });
    const refusal = { status: "False", reason: "Unauthorized", message: "replace the token" };
    const refused = [{ ...ACCEPTED, ...refusal }];
    create("RoutedIPIssuer", { metadata: { name: "unused", namespace: "a" }, spec: account, conditions: refused });
    const issuerRef = { name: "main", namespace: "platform" };
    const spec = { ...account, routedIPFirewallName: "teams" };
    const kept = (ip: string, namespace: string) => ({ ip, namespace });
    const retainedAddresses = [
      ...[kept("203.0.113.7", "a"), kept("203.0.113.8", "a"), kept("203.0.113.9", "b"), kept("203.0.113.10", "b")],
    ];
    create("RoutedIPIssuer", {
      ...{ metadata: { name: "walled", namespace: "a" }, spec, conditions: [ACCEPTED] },
      status: { retainedAddresses },
    });
    const walled = { issuerRef: { name: "walled", namespace: "a" } };
    create("ClusterRoutedIPClass", { metadata: { name: "walled" }, spec: walled, conditions: [ACCEPTED] });
    const shared = { issuerRef, className: "public", allowedNamespaces: ["a"], allowedZones: ["example.com"] };
    create("ClusterRoutedIPClass", { metadata: { name: "public-v1" }, spec: shared, conditions: [ACCEPTED] });
    passed += 60_000;
    create("ClusterRoutedIPClass", { metadata: { name: "public-v2" }, spec: shared });
    const routed = (name: string, namespace: string, spec: object, routedIP?: string) => {
      const status = routedIP === undefined ? {} : { routedIP, state: "active", assignedNode: "node-1" };
      create("RoutedIP", {
        metadata: { name, namespace },
        spec: { serviceRef: { serviceName: name }, ...spec },
        status,
      });
    };
    routed("game", "a", { className: "public" }, "203.0.113.7");
    routed("shop", "b", { className: "public" });
    routed("own", "platform", { issuerRef: { name: "main" } });
    routed("other", "a", { className: "public-v1" });
  });

  after(async () => {
    flipop.close();
    await kubernetes.close();
  });

  interface Written {
    readonly metadata: object;
    readonly spec: object;
    readonly conditions?: readonly object[];
    readonly status?: object;
  }

  function create(kind: string, { metadata, spec, conditions = [], status = {} }: Written) {
    const times = { lastTransitionTime: CREATED };
    kubernetes.create({
      ...{ apiVersion: GROUP_VERSION, kind, metadata: { generation: 1, ...metadata }, spec },
      status: {
        ...status,
        observedGeneration: 1,
        conditions: conditions.map((condition) => ({ ...condition, ...times })),
      },
    });
  }

  async function explained(...args: readonly string[]): Promise<UseExplanation> {
    const { code, out, err } = await flipop.run("explain", ...args, "-o", "json");
    expect({ code, err }).to.deep.equal({ code: 0, err: "" });
    return JSON.parse(out) as UseExplanation;
  }

  const ELECTED = "  electedNodeTaint: flipop.digitalocean.com/routed-ip:PreferNoSchedule";
  const OPENS_NONE = "  firewall: none, so the operator opens no port (routedIPFirewallName of the issuer)";
  const UNSEEN =
    "Ready=Unknown NotObserved: the operator has not observed it: check with flipop doctor that the operator runs, then that its --features and --watch-namespaces include this resource";

  it("lists the RoutedIPs of a class by its class name, and why one cannot use it", async () => {
    const { usable, allows, users } = await explained("class/public-v1");
    expect({ usable, allows }).to.deep.equal({
      usable: "True",
      allows: { allowedNamespaces: ["a"], allowedZones: ["example.com"] },
    });
    expect(users.map(({ namespace, name, serves }) => [namespace, name, serves])).to.deep.equal([
      ["a", "game", "203.0.113.7 active"],
      ["b", "shop", "no address"],
    ]);
    expect(users[0]?.problem).to.equal(UNSEEN);
    expect(users[1]?.problem).to.match(/namespace b/);
  });

  it("lists none for a class whose name an older one has, and does not call it usable before it was observed", async () => {
    const { usable, users } = await explained("ripclass/public-v2");
    expect({ usable, users }).to.deep.equal({ usable: "Unknown", users: [] });
  });

  it("lists the classes and RoutedIPs that use an issuer", async () => {
    const { usable, users } = await explained("issuer/main", "-n", "platform");
    expect(usable).to.equal("True");
    expect(users.map(({ kind, namespace, name, by }) => [kind, namespace, name, by])).to.deep.equal([
      ["ClusterRoutedIPClass", "", "public-v1", undefined],
      ["ClusterRoutedIPClass", "", "public-v2", undefined],
      ["RoutedIP", "a", "game", "public"],
      ["RoutedIP", "b", "shop", "public"],
      ["RoutedIP", "platform", "own", undefined],
    ]);
  });

  it("says why RoutedIPs cannot use an issuer, and that nothing does", async () => {
    const { out } = await flipop.run("explain", "issuer/unused", "-n", "a");
    expect(out).to.equal(
      `RoutedIPIssuer a/unused: RoutedIPs cannot use it\n  Accepted=False Unauthorized: replace the token\n${OPENS_NONE}\n  nothing uses it\n`,
    );
  });

  it("names the issuer of a class, and the firewall of the issuer", async () => {
    const { out: issuer } = await flipop.run("explain", "issuer/walled", "-n", "a");
    expect(issuer).to.include("\n  firewall: teams\n").and.not.include("\n  issuer: ");
    const { out: named } = await flipop.run("explain", "class/walled");
    expect(named).to.include("\n  issuer: RoutedIPIssuer a/walled\n  firewall: teams\n");
  });

  it("lists what an issuer retains for namespaces, of a class what its issuer does, and nothing that is in use", async () => {
    const lines = async (...args: readonly string[]) => {
      const { out } = await flipop.run("explain", ...args);
      return out.split("\n").filter((line) => line.startsWith("  retained "));
    };
    const retained = [
      "  retained for namespace a, if not released since: 203.0.113.8 (to use it, set routedIP of a RoutedIP there)",
      "  retained for namespace b, if not released since: 203.0.113.9, 203.0.113.10 (to use one, set routedIP of a RoutedIP there)",
    ];
    expect(await lines("issuer/walled", "-n", "a")).to.deep.equal(retained);
    expect(await lines("class/walled")).to.deep.equal(retained);
    expect(await lines("issuer/main", "-n", "platform")).to.deep.equal([]);
  });

  it("says of one that is being deleted how long it serves, not that RoutedIPs can use it", async () => {
    // The deletion is a new generation.
    const accepted = { ...ACCEPTED, observedGeneration: 2 };
    const inUse = {
      ...accepted,
      type: "Ready",
      status: "False",
      reason: "InUse",
      message: "1 RoutedIP uses it; fix: use another",
    };
    const metadata = { name: "leaving", namespace: "b", finalizers: ["flipop.digitalocean.com/in-use"] };
    const spec = { provider: "digitalocean", region: "nyc3" };
    create("RoutedIPIssuer", { metadata, spec, conditions: [inUse, accepted] });
    kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", name: "leaving", namespace: "b" });
    const { out } = await flipop.run("explain", "issuer/leaving", "-n", "b");
    expect(out.split("\n")[0]).to.equal(
      "RoutedIPIssuer b/leaving: it is being deleted, and serves until no RoutedIP uses it: let new RoutedIPs use another one",
    );
    expect(out).to.include("Ready=False InUse: 1 RoutedIP uses it; its deletion began at ");
    expect(out, "facts come before the remedy").to.match(/its deletion began at [^\n]*\n {4}fix: use another\n/);
    expect((await flipop.run("status")).out)
      .to.include("its deletion began at ")
      .and.not.include("fix: use another");
    const { usable, deleting } = await explained("issuer/leaving", "-n", "b");
    expect({ usable, deleting }).to.deep.equal({ usable: "True", deleting: true });
  });

  describe("of a class and an issuer that limit ports", () => {
    before(() => {
      const issuer = (namespace: string, allowedPorts: readonly string[]) => {
        const spec = { provider: "digitalocean", region: "nyc3", allowedPorts };
        create("RoutedIPIssuer", { metadata: { name: "ports", namespace }, spec, conditions: [ACCEPTED] });
      };
      issuer("platform", ["80", "443"]);
      issuer("a", ["80", "443", "8443"]);
      const issuerRef = { name: "ports", namespace: "platform" };
      const electedNodeTaint = { key: "flipop.digitalocean.com/elected", value: "web", effect: "NoSchedule" };
      const spec = { issuerRef, allowedPorts: ["80", "443", "8443"], electedNodeTaint };
      create("ClusterRoutedIPClass", { metadata: { name: "both" }, spec, conditions: [ACCEPTED] });
      create("ClusterRoutedIPClass", { metadata: { name: "one" }, spec: { issuerRef }, conditions: [ACCEPTED] });
    });

    after(() => {
      for (const name of ["both", "one"]) {
        kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "ClusterRoutedIPClass", name });
      }
      for (const namespace of ["a", "platform"]) {
        kubernetes.delete({ apiVersion: GROUP_VERSION, kind: "RoutedIPIssuer", name: "ports", namespace });
      }
    });

    it("shows the ports that both allow, with the list of each, and the taint of elected nodes", async () => {
      const { out } = await flipop.run("explain", "class/both");
      expect(out)
        .to.include(
          "\n  allowedPorts: 80, 443 (each of these has to allow a port: ClusterRoutedIPClass both lists 80, 443, 8443; RoutedIPIssuer platform/ports lists 80, 443)\n",
        )
        .and.include("\n  electedNodeTaint: flipop.digitalocean.com/elected=web:NoSchedule (pods must tolerate it)\n");
      expect(out.split("allowedPorts:"), "once").to.have.length(2);
      const { out: one } = await flipop.run("explain", "class/one");
      expect(one).to.include("\n  allowedPorts: 80, 443\n").and.include(`\n${ELECTED}\n`);
      const { ports, electedNodeTaint } = await explained("class/both");
      expect(ports?.allowed).to.deep.equal(["80", "443"]);
      expect(electedNodeTaint).to.include({ key: "flipop.digitalocean.com/elected", effect: "NoSchedule" });
    });

    it("names the issuer in use where nothing uses one of the same name", async () => {
      const { out } = await flipop.run("explain", "issuer/ports", "-n", "a");
      expect(out).to.include(
        "\n  allowedPorts: 80, 443, 8443\n  nothing uses it; class both uses RoutedIPIssuer platform/ports; class one uses RoutedIPIssuer platform/ports\n",
      );
      const { out: used } = await flipop.run("explain", "issuer/ports", "-n", "platform");
      expect(used).not.to.include("uses RoutedIPIssuer");
    });
  });

  it("shows the users in a table, one on each line", async () => {
    const { out } = await flipop.run("explain", "class/public-v1");
    const [head, named, issuer, firewall, namespaces, zones, taint, empty, ...rows] = out.trimEnd().split("\n");
    expect([head, named, issuer, firewall, namespaces, zones, taint, empty]).to.deep.equal([
      "ClusterRoutedIPClass public-v1: RoutedIPs can use it",
      "  RoutedIPs use it as className public (spec.className)",
      ...["  issuer: RoutedIPIssuer platform/main", OPENS_NONE],
      ...["  allowedNamespaces: a", "  allowedZones: example.com", ELECTED, ""],
    ]);
    expect(rows.map((row) => row.split(/ {3,}/).slice(0, 4))).to.deep.equal([
      ["NAMESPACE", "USED BY", "CLASS", "SERVES"],
      ["a", "routedip/game", "public", "203.0.113.7 active"],
      ["b", "routedip/shop", "public", "no address"],
    ]);
  });

  it("finds the class of a RoutedIP by its class name too", async () => {
    const { out } = await flipop.run("explain", "routedip/game", "-n", "a");
    expect(out).to.not.match(/no node can serve it: .*class/i);
    const { out: other } = await flipop.run("explain", "routedip/other", "-n", "a");
    expect(other, "the name of the object is not that of the class").to.match(/no node can serve it: .*public-v1/);
  });

  it("says what it could not read", async () => {
    const rule = { verbs: ["get", "list"], apiGroups: ["*"], resources: ["routedipissuers", "clusterroutedipclasses"] };
    const narrow = new Flipop(kubernetes.kubeconfig(kubernetes.addIdentity("narrow", [rule])));
    const { code, out, err } = await narrow.run("explain", "class/public-v1");
    narrow.close();
    expect({ code, err }).to.deep.equal({ code: 0, err: "flipop: more may use it: routedips can't be read\n" });
    expect(out).to.include("nothing uses it");
  });
});
