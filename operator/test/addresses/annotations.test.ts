import { Annotation } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { AnnotatedNodes, annotationRemoval, Owners, parseOwner } from "../../src/addresses/annotations.js";
import { NodeDirectory } from "../../src/match/node-directory.js";
import { facts, slimNode } from "../match/cluster.js";

describe("nodes that bear an address", () => {
  const [VALUE, OWNER] = [Annotation.reservedIpv4, Annotation.reservedIpv4Owner];
  const bearing = (name: string, annotations: Readonly<Record<string, string>>) => slimNode(name, { annotations });

  it("are found by address and by owner, each once, and followed", () => {
    const directory = new NodeDirectory([bearing("a", { [VALUE]: "203.0.113.1", [OWNER]: "n/p/u" })]);
    const annotated = new AnnotatedNodes(directory);
    const names = (owner: string, ips: readonly string[]) => annotated.find("IPv4", owner, ips).map(({ name }) => name);
    directory.apply({ type: "added", object: bearing("b", { [VALUE]: "203.0.113.2" }) });
    expect(names("n/p/u", ["203.0.113.1", "203.0.113.2"])).to.have.members(["a", "b"]);
    expect(annotated.find("IPv6", "n/p/u", ["203.0.113.1"])).to.be.empty;
    const old = bearing("b", { [VALUE]: "203.0.113.2" });
    directory.apply({ type: "updated", old, object: bearing("b", {}) });
    expect(names("no-node", ["203.0.113.2"])).to.be.empty;
    expect([...annotated.all()]).to.deep.equal(["a"]);
    directory.apply({ type: "deleted", object: slimNode("a") });
    expect([...annotated.all()]).to.be.empty;
  });

  it("lose what was seen on them, and nothing else", () => {
    const node = facts("a", { annotations: { [VALUE]: "203.0.113.1", [OWNER]: "n/p/u", other: "kept" } });
    const { body } = annotationRemoval(node, "IPv4") ?? {};
    const ops = body as readonly { readonly op: string; readonly path: string; readonly value?: unknown }[];
    expect(ops[0]).to.deep.equal({ op: "test", path: "/metadata/uid", value: node.uid });
    expect(ops.filter(({ op }) => op === "remove")).to.have.length(2);
    expect(ops[1]).to.deep.include({ op: "test", value: "203.0.113.1" });
    expect(annotationRemoval(facts("b"), "IPv4")).to.equal(undefined);
  });

  it("lose their owner only where all who could have it see all theirs, and do not have it", () => {
    const owners = new Owners();
    expect(owners.isGone("u"), "no such kind is served").to.equal(false);
    let seen: boolean | undefined = false;
    owners.add(() => seen);
    expect(owners.isGone("u")).to.equal(true);
    owners.add(() => false);
    expect(owners.isGone("u")).to.equal(true);
    for (seen of [undefined, true]) expect(owners.isGone("u"), String(seen)).to.equal(false);
  });

  it("name their owner in three parts", () => {
    expect(parseOwner("ns/web/uid-1")).to.deep.equal({ namespace: "ns", name: "web", uid: "uid-1" });
    for (const text of ["", "web", "ns/web", "ns//uid", "a/b/c/d"]) expect(parseOwner(text), text).to.equal(undefined);
  });
});
