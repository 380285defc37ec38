import type { AccessLimits, RoutedPort } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { commonPorts, permittedPorts, portAccessOf, withinAccess } from "../../src/routing/port-access.js";

const NODE_PORTS = { nodePortRange: "30000-32767" };

function port(number: number, protocol: "TCP" | "UDP" = "TCP"): RoutedPort {
  return { protocol, port: number, origin: "HostPort" };
}

function open(numbers: readonly number[], ...limits: readonly AccessLimits[]): readonly number[] {
  const access = portAccessOf(limits.map((each, index) => ({ of: index === 0 ? "class" : "issuer", limits: each })));
  return permittedPorts(
    numbers.map((number) => port(number)),
    access,
    NODE_PORTS,
  ).ports.map((each) => each.port);
}

describe("the ports that a class and an issuer allow", () => {
  it("are those that are open already, once the class excludes the namespace, and NodePorts", () => {
    const allowed = { ...NODE_PORTS, portAccess: portAccessOf([]) };
    const rules = { ...allowed, excluded: { name: "shared", namespace: "team" } };
    const found = { ports: [port(80), port(443), port(30_080)], sourceRanges: [], sourceAnnotations: [] };
    const { ports, refused } = withinAccess(found, rules, [port(443)]);
    expect(ports).to.deep.equal([port(443), port(30_080)]);
    expect(refused?.reason).to.equal("NamespaceNotAllowed");
    expect(refused?.message).to.include(
      "shared does not allow namespace team, so the operator opens no port anew: 80/TCP",
    );
    expect(withinAccess(found, allowed, []).ports).to.deep.equal(found.ports);
  });

  it("name each maximum that the ports exceed, and none that they do not", () => {
    const sources = [1, 2, 3].map((maxPorts) => ({ of: `source ${maxPorts}`, limits: { maxPorts } }));
    const ports = [8080, 8081, 8082].map((port) => ({ protocol: "TCP", port, origin: "HostPort" }) as const);
    const { refused } = permittedPorts(ports, portAccessOf(sources), { nodePortRange: "30000-32767" });
    expect(refused?.message)
      .to.include("source 1 allows 1 port, and source 2 allows 2 ports, ")
      .and.include("ask the author of source 1 and the author of source 2 to set maxPorts to 3")
      .and.not.include("source 3");
  });

  it("are by default 80, 443 and those above 1024, without those of the nodes' own services", () => {
    const asked = [22, 80, 443, 1024, 1025, 2379, 2380, 2381, 6443, 8443, 10_250, 10_259, 10_260, 30_080, 65_535];
    expect(open(asked, {})).to.deep.equal([80, 443, 1025, 2381, 8443, 10_260, 30_080, 65_535]);
    expect(open(asked, {}, {})).to.deep.equal(open(asked, {}));
  });

  it("open a port of the nodes' own services only if an entry names no other", () => {
    const rows: readonly (readonly [readonly string[], readonly number[]])[] = [
      [["22"], [22]],
      [["1-65535"], [80]],
      [["10250-10259"], [10_250]],
      [["10250"], [10_250]],
      [["10250-10260"], []],
      [["22/UDP"], []],
      [
        ["22/TCP", "80"],
        [22, 80],
      ],
      [["nonsense"], []],
      [[], []],
    ];
    for (const [allowedPorts, ports] of rows) {
      expect(open([22, 80, 6443, 10_250], { allowedPorts }), allowedPorts.join()).to.deep.equal(ports);
    }
  });

  it("have ranges in common that allow a port exactly if both lists do", () => {
    const rows: readonly (readonly [readonly string[], readonly string[], readonly string[]])[] = [
      [
        ["80", "443", "8443"],
        ["80", "443"],
        ["80", "443"],
      ],
      [["1-1000"], ["500-2000/UDP"], ["500-1000/UDP"]],
      [["53/TCP", "53/UDP"], ["53/UDP"], ["53/UDP"]],
      [["80"], ["443"], []],
      [["80", "70-90"], ["80"], ["80"]],
      [["22"], ["22"], ["22"]],
      [["22"], ["1-65535"], []],
      [["1-22"], ["22-30"], []],
      [["20-25"], ["22-80"], ["22-25"]],
    ];
    const asked = [20, 22, 23, 53, 70, 80, 443, 600, 8443];
    for (const [ofClass, ofIssuer, expected] of rows) {
      const limits = [{ allowedPorts: ofClass }, { allowedPorts: ofIssuer }];
      const common = commonPorts(portAccessOf(limits.map((each, index) => ({ of: `${index}`, limits: each }))));
      expect(common, `${ofClass} and ${ofIssuer}`).to.deep.equal(expected);
      expect(open(asked, { allowedPorts: common }), `${ofClass} and ${ofIssuer}`).to.deep.equal(open(asked, ...limits));
    }
  });

  it("are those that both allow, and the defaults only if neither has the field", () => {
    expect(open([53, 80, 8080], { allowedPorts: ["53", "80"] }, {}), "the issuer sets none").to.deep.equal([53, 80]);
    expect(open([53, 80, 8080], {}, { allowedPorts: ["53", "8080"] })).to.deep.equal([53, 8080]);
    expect(open([53, 80], { allowedPorts: ["53", "80"] }, { allowedPorts: ["80"] })).to.deep.equal([80]);
    expect(open([1025, 1026, 1027], { maxPorts: 2 }, { maxPorts: 1 })).to.deep.equal([1025]);
    expect(open([1025, 1026], { maxPorts: 2 }, {})).to.deep.equal([1025, 1026]);
  });

  it("do not count ports in the NodePort range, which need no rule", () => {
    expect(open([80, 30_080], { maxPorts: 0, allowedPorts: [] })).to.deep.equal([30_080]);
  });

  it("name nodePortRange where they refuse a NodePort, which the range could spare a rule", () => {
    const access = portAccessOf([{ of: "class", limits: { allowedPorts: ["80"] } }]);
    const said = (origin: RoutedPort["origin"]) =>
      permittedPorts([{ ...port(31_080), origin }], access, { nodePortRange: "30000-30999" }).refused?.message;
    expect(said("NodePort"))
      .to.include("class does not allow 31080/TCP (NodePorts need no rule only in nodePortRange 30000-30999)")
      .and.include(
        "have the author of the class correct it; otherwise use another port, or ask the author of class to add it",
      );
    expect(said("HostPort")).not.to.include("nodePortRange");
  });

  it("say of a port of the nodes' own services that a wide range does not open it", () => {
    const access = portAccessOf([{ of: "class", limits: { allowedPorts: ["21", "10200-10299/TCP"] } }]);
    const { ports, refused } = permittedPorts([port(10_249), port(10_250), port(990)], access, NODE_PORTS);
    expect(ports).to.deep.equal([port(10_249)]);
    expect(refused?.message)
      .to.include("class does not allow 10250/TCP, 990/TCP (a range of allowedPorts contains 10250/TCP, but")
      .and.include("10250-10259")
      .and.include("add them to allowedPorts as entries of their own");
  });

  it("say of such a port that the default does not open it, where no class or issuer sets allowedPorts", () => {
    const access = portAccessOf([{ of: "class", limits: {} }]);
    const { refused } = permittedPorts([port(10_250)], access, NODE_PORTS);
    expect(refused?.message)
      .to.include(
        "(no class or issuer sets allowedPorts, and the default, 80, 443, 1025-65535, contains 10250/TCP, but",
      )
      .and.include("allowedPorts replaces the default")
      .and.not.include("a range of allowedPorts");
  });

  describe("name all that refuse", () => {
    const said = (ports: readonly RoutedPort[], ...lists: readonly (readonly string[])[]) => {
      const names = ["ClusterRoutedIPClass web", "RoutedIPIssuer platform/cloud"];
      const sources = lists.map((allowedPorts, index) => ({ of: names[index] ?? "", limits: { allowedPorts } }));
      return permittedPorts(ports, portAccessOf(sources), NODE_PORTS).refused?.message;
    };

    it("a port, with one remedy; of a protocol that is refused, another number is none", () => {
      const both = "ClusterRoutedIPClass web and RoutedIPIssuer platform/cloud";
      expect(said([port(443), port(443, "UDP")], ["443/TCP"], ["80", "443/TCP"])).to.equal(
        `${both} do not allow 443/UDP, so the operator does not open it; fix: ask the author of ClusterRoutedIPClass web and the author of RoutedIPIssuer platform/cloud to add it to allowedPorts of both`,
      );
      expect(said([port(444, "UDP")], ["443/TCP"], ["444/TCP"]), "the class refuses the number, too").to.contain(
        `fix: use another hostPort, or ask the author of ClusterRoutedIPClass web and the author of RoutedIPIssuer platform/cloud to add it to allowedPorts of both`,
      );
      const nodePort = { ...port(444, "UDP"), origin: "NodePort" as const };
      expect(said([nodePort], ["444/TCP"]), "a NodePort in the range needs no rule").to.contain("use another port, or");
      const external = { ...port(444), origin: "ExternalIP" as const };
      expect(said([external], ["443/TCP"]), "the Service's own port").to.contain("fix: use another port, or ask");
    });

    it("different ports", () => {
      expect(said([port(53), port(80), port(90)], ["80", "90"], ["53", "80"])).to.equal(
        "ClusterRoutedIPClass web does not allow 53/TCP; RoutedIPIssuer platform/cloud does not allow 90/TCP, so the operator does not open them; fix: use other hostPorts, or ask the author of ClusterRoutedIPClass web to add 53/TCP to allowedPorts, and the author of RoutedIPIssuer platform/cloud to add 90/TCP to allowedPorts",
      );
    });
  });

  it("keep what is open when there are too many, and the message names who refuses what", () => {
    const access = portAccessOf([{ of: "ClusterRoutedIPClass public", limits: { maxPorts: 2 } }]);
    const all = [port(1025), port(1026), port(1027)];
    const { ports, refused } = permittedPorts(all, access, { ...NODE_PORTS, last: [port(1027), port(1026)] });
    expect(ports.map((each) => each.port)).to.deep.equal([1026, 1027]);
    expect(refused?.reason).to.equal("PortNotAllowed");
    expect(refused?.message).to.contain("ClusterRoutedIPClass public allows 2 ports").and.contain("1025/TCP");
    const many = Array.from({ length: 17 }, (_, index) => port(2000 + index));
    const byDefault = permittedPorts(many, portAccessOf([]), NODE_PORTS);
    expect(byDefault.ports, "the default").to.have.length(16);
    expect(byDefault.refused?.message).to.contain("allows 16 ports (the default of maxPorts)");
    const ssh = permittedPorts([port(22, "UDP"), port(443)], access, NODE_PORTS);
    expect(ssh.refused?.message)
      .to.contain("ClusterRoutedIPClass public does not allow 22/UDP")
      .and.contain("open it; fix:");
    const both = permittedPorts([port(22), port(22, "UDP")], access, NODE_PORTS);
    expect(both.refused?.message).to.contain("does not open them; fix: use other hostPorts");
    const single = portAccessOf([{ of: "RoutedIPIssuer a/b", limits: { maxPorts: 1 } }]);
    expect(permittedPorts(all, single, NODE_PORTS).refused?.message).to.contain("RoutedIPIssuer a/b allows 1 port,");
  });
});
