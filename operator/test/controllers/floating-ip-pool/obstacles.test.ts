import type { FloatingIPPoolSpec } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { plan } from "../../../src/controllers/floating-ip-pool/plan.js";
import { NOTHING_SEEN } from "../../../src/inventory/view.js";
import type { HostPort } from "../../../src/kube/cache/slim-objects.js";
import { providerMessages } from "../../../src/messages/provider.js";
import type { ProviderId } from "../../../src/providers/types.js";
import { omitUndefined } from "../../../src/values.js";
import { cluster, fulfilled } from "./support/fulfilled.js";

const [A, B] = ["203.0.113.7", "203.0.113.8"];
const LOCAL = { protocol: "TCP", containerPort: 8443, hostPort: 443, loopback: "127.0.0.1" };

describe("what keeps a pool from being fulfilled", () => {
  it("is the resource whose address is on the node that matches", () => {
    const cloud = cluster("node-1", "node-2");
    cloud.addPool("second", { ips: [B] });
    cloud.addresses.set(B, "digitalocean://node-2");
    cloud.addPool("web", { ips: [A, "203.0.113.9"] });
    cloud.addresses.set(A, "digitalocean://node-1");
    const { is, message } = fulfilled(cloud.plan("web"));
    expect(is).to.equal("False/TooFewCandidates");
    expect(message).to.include(`node-2 already holds ${B} of FloatingIPPool default/second`);
    expect(message, "a node with an address of its own is no obstacle").not.to.include("node-1");
  });

  it("is nothing where match tolerates the cordon of the holder, and the message says so", () => {
    const cloud = cluster("node-1", "node-2");
    cloud.addPool("web", { ips: [A] });
    cloud.addresses.set(A, "digitalocean://node-1");
    const snapshot = cloud.snapshot("web");
    const verdictOf = (machine: ProviderId) => {
      const verdict = snapshot.verdictOf(machine);
      return verdict && { ...verdict, node: { ...verdict.node, cordoned: true } };
    };
    const { is, message } = fulfilled(plan({ ...snapshot, verdictOf }));
    expect(is).to.equal("True/HolderCordoned");
    expect(message).to.include(`node-1 is cordoned, and ${A} stays there, because match.tolerations tolerates that`);
    expect(message).to.include("remove match.tolerations: the nodes that match have no other taint");
    const taints = [{ key: "dedicated", value: "edge", effect: "NoSchedule" }];
    const candidates = snapshot.candidates.map((node) => ({ ...node, taints }));
    expect(fulfilled(plan({ ...snapshot, verdictOf, candidates })).message).to.include(
      "tolerate in match.tolerations only dedicated=edge:NoSchedule, by key",
    );
    expect(fulfilled(plan(snapshot)).is).to.equal("True/Observed");
  });

  it("is nothing where a deleted pool has left addresses on nodes that match, and the message says how to use them", () => {
    const cloud = cluster("node-1", "node-2", "node-3");
    const [C, D] = ["203.0.113.1", "203.0.113.2"];
    cloud.addPool("web", { region: "", ips: [B, A, C], desiredIPs: 2 });
    for (const [index, ip] of [B, A, D].entries()) cloud.addresses.set(ip, `digitalocean://node-${index + 1}`);
    cloud.addresses.set(C, undefined);
    const own = () => fulfilled(plan(cloud.snapshot("web")));
    expect(own().is, "it created none").to.equal("True/Observed");
    cloud.edit("web", { status: { createdIPs: [{ ip: A, createdTime: "2025-06-01T09:00:00Z", inSpec: true }] } });
    expect(own()).to.deep.equal({
      is: "True/UnlistedAddresses",
      message: `2 of 2 addresses are active; ${C} is disabled, because desiredIPs is 2, and still counts against the account's limit: raise desiredIPs to use it, too; the operator created ${A}, and no resource names ${D} (on node-3), which a deleted pool may have left; fix: if clients know the latter, set ips: [${B}, ${D}]; fix: if nothing needs them, release them (flipop orphans --release IP --unassign)`,
    });
    const unread = { ...cloud.snapshot("web"), mayList: () => false };
    expect(fulfilled(plan(unread)).is, "not all resources are read").to.equal("True/Observed");
    cloud.addPool("other", { ips: [D] });
    expect(own().is, "a resource has it").to.equal("True/Observed");
  });

  it("is nothing where pods of several namespaces count, and the message names them and podNamespace", () => {
    const cloud = cluster("node-1", "node-2");
    cloud.addPool("web", { ips: [A] });
    cloud.addresses.set(A, "digitalocean://node-1");
    const of = (...namespaces: readonly string[]) =>
      fulfilled(plan({ ...cloud.snapshot("web"), podNamespaces: () => namespaces }));
    expect(of("prod", "qa")).to.deep.equal({
      is: "True/SeveralNamespaces",
      message:
        "1 of 1 addresses are active; pods of namespaces prod, qa count, because match.podNamespace is not set; fix: if only those of one namespace are meant, set match.podNamespace to it",
    });
    expect(of("prod").is).to.equal("True/Observed");
    expect(of().is).to.equal("True/Observed");
  });

  it("notes that pods of several workloads make nodes match", () => {
    const cloud = cluster("node-1");
    const of = (spec: Partial<FloatingIPPoolSpec>, ...owners: readonly string[]) => {
      cloud.addPool("web", { ips: [A], ...spec });
      cloud.addresses.set(A, "digitalocean://node-1");
      return fulfilled(plan({ ...cloud.snapshot("web"), podOwners: () => owners }));
    };
    const both = ["Deployment game/blue", "Deployment game/green"];
    const fix =
      "fix: if only those of one workload are meant, give its pods a label of their own and select that in match.podLabel";
    expect(of({ match: { podNamespace: "game", podLabel: "app=web" } }, ...both)).to.deep.equal({
      is: "True/SeveralWorkloads",
      message: `1 of 1 addresses are active; pods of ${both.join(", ")} count, because all of them have app=web; ${fix}`,
    });
    expect(of({ match: { podNamespace: "game" } }, ...both).message).to.include(
      "count, because match.podLabel is not set; fix: ",
    );
    expect(of({}, "Deployment game/blue").is).to.equal("True/Observed");
  });

  it("notes that the pods on the node of an address have no hostPort, though others have one", () => {
    const cloud = cluster("node-1", "node-2");
    cloud.addPool("web", { ips: [A] });
    cloud.addresses.set(A, "digitalocean://node-1");
    const of = (portless: string, local?: HostPort) => {
      const portlessOf = (nodes: readonly string[]) =>
        nodes.includes(portless) ? { nodes, ...omitUndefined({ local }) } : undefined;
      return fulfilled(plan({ ...cloud.snapshot("web"), portlessOf }));
    };
    expect(of("node-1")).to.deep.equal({
      is: "True/NoOpenPort",
      message:
        "1 of 1 addresses are active; the pods on node-1 have no hostPort, though pods on other nodes have one, so clients reach them there only by a NodePort of a Service; fix: if the pods are to answer at the address itself, give all of them the hostPort; else set match.podLabel to a label that only those with a hostPort have",
    });
    expect(of("node-1", LOCAL).message, "only the node itself reaches it").to.equal(
      "1 of 1 addresses are active; the pods on node-1 open hostPort 443 on hostIP 127.0.0.1 only, which no other machine reaches, so clients reach them there only by a NodePort of a Service; fix: if the pods are to answer at the address itself, remove hostIP from this port of theirs",
    );
    expect(of("node-2").is, "no address is there").to.equal("True/Observed");
    const podOwners = () => ["Deployment web/log-shipper", "Deployment web/proxy"];
    const { message } = fulfilled(plan({ ...cloud.snapshot("web"), podOwners, portlessOf: (nodes) => ({ nodes }) }));
    expect(message, "the pods of another workload are the likely cause").to.include(
      "; pods of Deployment web/log-shipper, Deployment web/proxy count, because match.podLabel is not set; fix: if only those of one workload",
    );
  });

  it("is nothing where desiredIPs needs fewer addresses than ips lists; the message names those that are disabled", () => {
    const cloud = cluster("node-1", "node-2");
    cloud.addPool("web", { ips: [A, B], desiredIPs: 1 });
    cloud.addresses.set(A, "digitalocean://node-1");
    cloud.addresses.set(B, undefined);
    const { is, message } = fulfilled(cloud.plan("web"));
    expect(is).to.equal("True/Observed");
    expect(message).to.include(
      `${B} is disabled, because desiredIPs is 1, and still counts against the account's limit: raise desiredIPs to use it, too`,
    );
  });

  it("is that no node matches, also while the account does not answer", () => {
    const cloud = cluster();
    cloud.addPool("web", { ips: [A] });
    expect(fulfilled(cloud.plan("web")).is).to.equal("False/NoCandidate");
    const providerFailure = { reason: "ProviderUnavailable", message: "no answer" } as const;
    expect(fulfilled(plan({ ...cloud.snapshot("web"), providerFailure })).is).to.equal("False/NoCandidate");
  });

  it("is the account's limit, and the number of nodes where a further address would find none", () => {
    const withNodes = (...nodes: readonly string[]) => lacking(2, nodes);
    const lacking = (desiredIPs: number, nodes: readonly string[]) => {
      const cloud = cluster(...nodes);
      cloud.addPool("web", { desiredIPs });
      const snapshot = cloud.snapshot("web");
      const retryAt = cloud.now + 60_000;
      const creationFailure = { reason: "QuotaExceeded", message: "no more", retryAt } as const;
      return fulfilled(plan({ ...snapshot, memory: { ...snapshot.memory, creationFailure } }));
    };
    expect(withNodes("node-1")).to.deep.include({ is: "False/QuotaExceeded" });
    expect(withNodes().message, "no node: nothing else matters").to.include(
      "have the cluster's administrator add a node",
    );
    expect(withNodes("node-1").message).to.match(
      /no more; the nodes are too few, too.*2 nodes are needed.*1 of 1 node/,
    );
    expect(lacking(1, []).message).to.include("the nodes are too few, too: 1 node is needed; ");
    expect(withNodes("node-1", "node-2").message).not.to.include("too few");
  });

  it("is an address on the node that no resource names", () => {
    const cloud = cluster("node-1");
    cloud.addresses.set(B, "digitalocean://node-1");
    cloud.addPool("web", { ips: [A] });
    expect(fulfilled(cloud.plan("web")).message).to.include(`node-1 already holds ${B}, which no resource names`);
  });

  it("is an address that the pool itself no longer asks for, and that another pool lists", () => {
    const cloud = cluster();
    cloud.addPool("web", { ips: [A, B], desiredIPs: 1 });
    cloud.addresses.set(B, "digitalocean://node-1");
    cloud.run("web");
    cloud.addNode("node-1");
    cloud.addPool("second", { ips: [B] });
    const { message } = fulfilled(cloud.plan("web"));
    expect(message).to.include(`node-1 already holds ${B}, which this resource no longer asks for`);
    expect(message).to.include(`have the owner of the account unassign ${B} at the provider; or have`);
    expect(message, "it is the pool's own").not.to.match(/different nodes|no resource names/);
  });

  it("names nodes first that a person can free at once", () => {
    const cloud = cluster("node-1", "node-2", "node-3", "node-4");
    const others = ["198.51.100.1", "198.51.100.2", "198.51.100.3"];
    for (const [at, ip] of others.entries()) cloud.addresses.set(ip, `digitalocean://node-${at + 1}`);
    cloud.addPool("second", { ips: others });
    cloud.addresses.set(B, "digitalocean://node-4");
    cloud.addPool("web", { ips: [A] });
    const { message } = fulfilled(cloud.plan("web"));
    expect(message).to.match(/is free: node-4 already holds \S+, which no resource names, node-1 .*1 more node is occ/);
    expect(message).to.include(`or let the resources match different nodes`);
  });

  it("is the move of another resource that has reserved the node", () => {
    const cloud = cluster("node-1");
    cloud.addPool("web", { ips: [A] });
    const snapshot = cloud.snapshot("web");
    const other = { kind: "RoutedIP", namespace: "game", name: "lobby", uid: "x" };
    const made = plan({ ...snapshot, inventory: { ...snapshot.inventory, reservedFor: () => other } });
    expect(fulfilled(made).message).to.include("node-1 was chosen for an address of RoutedIP game/lobby");
    const own = { ...other, uid: snapshot.set.metadata.uid };
    const ofOwn = plan({ ...snapshot, inventory: { ...snapshot.inventory, reservedFor: () => own } });
    expect(fulfilled(ofOwn).message).not.to.include("was chosen for");
  });

  it("is the older resource that the operator gives the node to first", () => {
    const cloud = cluster("node-1");
    cloud.addPool("web", { ips: [A] });
    const older = { kind: "FloatingIPPool", namespace: "default", name: "first", uid: "x" };
    const takenBefore = () => new Map([["digitalocean://node-1", older]]);
    const made = plan({ ...cloud.snapshot("web"), share: () => [], takenBefore });
    expect(fulfilled(made).message).to.include(
      "the operator keeps node-1 for FloatingIPPool default/first, which comes first (existing addresses before new ones, then by age and name)",
    );
  });

  it("is the unknown provider, although the operator observes nothing then", () => {
    const cloud = cluster("node-1");
    cloud.addPool("web", { ips: [A] });
    const problem = providerMessages.unknown({ provider: "acme", service: "addresses" });
    const { capabilities: _none, ...snapshot } = cloud.snapshot("web");
    const { is, message } = fulfilled(plan({ ...snapshot, problem, inventory: NOTHING_SEEN }));
    expect(is).to.equal("False/UnknownProvider");
    expect(message).to.equal('0 of 1 addresses are active: provider "acme" is unknown; fix: use digitalocean');
  });
});
