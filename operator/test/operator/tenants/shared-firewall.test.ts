import { expect } from "chai";
import { afterEach, describe, it } from "mocha";
import { B, CLASS, ISSUER, TwoInstallations } from "./two-installations-rig.js";

const USED_BY_BOTH = ["flipop.digitalocean.com/in-use.flipop-a", "flipop.digitalocean.com/in-use.flipop-b"];

describe("operators in process: two installations that share an issuer with a firewall", function () {
  this.timeout(120_000);
  let two: TwoInstallations;

  afterEach(() => two.made.close());

  it("keep each other's nodes in it, and the last one removes what no RoutedIP needs", async () => {
    await serve(443);
    const { made } = two;
    two.moveB("n3");
    await made.until("b is on n3", () => firewall().nodes.includes("n3"));
    made.serve({ node: "n2" });
    await made.until("a is on n2", () => made.nodeOf("a") === "n2");
    await two.staysAsItIs("a has moved away from n1");
    expect(firewall().nodes, "a needs n1 no more, and b may").to.deep.equal(["n1", "n2", "n3"]);
    expect(made.condition("a", "FirewallReady")).to.equal("True/Observed");
    expect(JSON.stringify(made.object("a")?.["status"])).to.contain("1 node of firewall");
    await two.deleteB();
    await made.until("a takes out the rest", () => firewall().nodes.join() === "n2");
    expect(firewall().ports).to.deep.equal(["443"]);
    await made.until("the record is done with", () => !two.says(ISSUER).includes("retainedFirewalls"));
  });

  it("keep a rule that both need when the one that added it leaves, and remove the rule that only that one needed", async () => {
    await serve(443);
    const { made } = two;
    const seen = new Set<string>();
    await two.deleteB(() => seen.add(firewall().ports.join()));
    expect([...seen], "the port stays open").to.deep.equal(["443"]);
    await made.until("the node of b has left", () => firewall().nodes.join() === "n1");
    await two.staysAsItIs("a alone");
    expect(firewall()).to.deep.equal({ nodes: ["n1"], ports: ["443"] });
    expect(made.condition("a", "FirewallReady")).to.equal("True/Observed");
    expect(two.eventReasons()).not.to.include("CleanupAbandoned");
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("a is gone", () => made.object("a") === undefined);
    await made.until("the firewall is gone", () => made.firewall() === undefined);
  });

  it("close a port that only the other one needed, once that one is gone", async () => {
    await serve(8443);
    const { made } = two;
    expect(firewall().ports).to.deep.equal(["443", "8443"]);
    await two.deleteB();
    await made.until("its port is closed", () => firewall().ports.join() === "443");
    await made.until("its node has left", () => firewall().nodes.join() === "n1");
  });

  it("open a port again before they call it open, where the other one has just closed it as the last user", async () => {
    await serve(8443);
    const { made } = two;
    const { routedIP } = made.status("a");
    made.world.kubernetes.delete(made.refTo("a"));
    await made.until("b has closed the port of a", () => firewall().ports.join() === "8443");
    await made.until("the node of a has left", () => firewall().nodes.join() === "n2");
    two.addTo("default", "a", routedIP);
    await made.ready("a");
    expect(firewall()).to.deep.equal({ nodes: ["n1", "n2"], ports: ["443", "8443"] });
  });

  it("do not delete a RoutedIP while the record of what it leaves is full", async () => {
    await serve(8443);
    const { made } = two;
    const others = Array.from({ length: 32 }, (_, index) => ({
      name: `other-${index}`,
      rules: [],
      nodes: ["digitalocean://1"],
    }));
    two.setRetained(others);
    made.world.kubernetes.delete(B);
    const full = "status.retainedFirewalls: Too many: 33";
    await made.until("its condition says so", () => two.conditionOfB("Ready").includes(full));
    await two.staysAsItIs("it waits");
    expect(made.world.kubernetes.get(B)?.metadata.finalizers).to.have.length(1);
    two.setRetained([]);
    await made.until("b is gone", () => made.world.kubernetes.get(B) === undefined);
    await made.until(
      "nothing of b is left",
      () => firewall().ports.join() === "443" && firewall().nodes.join() === "n1",
    );
  });

  it("say of a deleted class and issuer which finalizer keeps them after that installation was uninstalled", async () => {
    await serve(443);
    const { made } = two;
    await two.stop("a");
    await two.deleteB();
    for (const ref of [CLASS, ISSUER]) made.world.kubernetes.delete(ref);
    await made.until("both say what they wait for", () =>
      [CLASS, ISSUER].every((ref) => two.says(ref).includes("in-use.flipop-a of another installation")),
    );
    for (const ref of [CLASS, ISSUER]) {
      expect(two.finalizersOf(ref)).to.deep.equal(["flipop.digitalocean.com/in-use.flipop-a"]);
      expect(two.says(ref)).not.to.contain('"type":"Ready","status":"True"');
    }
  });

  /** `a` on n1 with port 443, and `b` on n2 with this port. */
  async function serve(portOfB: number): Promise<void> {
    two = await TwoInstallations.create({ nodes: ["n1", "n2", "n3"] });
    two.made.serve({ node: "n1" });
    two.addTo("default", "a");
    await two.made.ready("a");
    two.addServedB("n2", portOfB);
    await two.ready();
    await two.made.until("both use the issuer", () => {
      return [CLASS, ISSUER].every((ref) => two.finalizersOf(ref).join() === USED_BY_BOTH.join());
    });
  }

  function firewall() {
    const { nodes = [], ports = [] } = two.made.firewall() ?? {};
    return { nodes: [...nodes].sort(), ports: [...ports].sort() };
  }
});
