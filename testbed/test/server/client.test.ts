import { expect } from "chai";
import { before, describe, it } from "mocha";
import { ApiError, type Client, controlPlaneOrSkip, FakeNode, FakePod, type KubeObject } from "../../src/index.js";

describe("the client", () => {
  let client: Client;
  let namespace: string;

  before(async function () {
    client = (await controlPlaneOrSkip(this)).client();
    namespace = await client.tempNamespace("client");
  });

  it("creates, reads, lists, replaces and deletes", async () => {
    const collection = { apiVersion: "v1", plural: "configmaps", namespace };
    const created = await client.must.create(collection, {
      metadata: { name: "a", labels: { x: "y" } },
      data: { k: "1" },
    });
    const one = { ...collection, name: "a" };
    expect((await client.must.get(one)).data).to.deep.equal({ k: "1" });
    const list = await client.must.list(collection, { labelSelector: "x=y" });
    expect(list.map(({ metadata }) => metadata.name)).to.deep.equal(["a"]);
    const replaced = await client.must.update(one, { ...created, data: { k: "2" } });
    expect(replaced.data).to.deep.equal({ k: "2" });
    expect((await client.update(one, created)).status).to.equal(409);
    await client.must.delete(one, { preconditions: { uid: created.metadata.uid } });
    expect((await client.get(one)).status).to.equal(404);
  });

  it("patches in three ways", async () => {
    const node = await FakeNode.create(client, { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] });
    await client.must.patch(node.path, { metadata: { labels: { a: "b" } } });
    const address = { type: "ExternalIP", address: "192.0.2.1" };
    const merged = await client.must.patch<NodeObject>(
      `${node.path}/status`,
      { status: { addresses: [address] } },
      "strategic",
    );
    expect(merged.status.addresses.map(({ type }) => type)).to.have.members(["InternalIP", "ExternalIP"]);
    const test = { op: "test", path: "/metadata/labels/a", value: "other" };
    expect((await client.patch(node.path, [test], "json")).status).to.equal(422);
    await client.must.patch(
      node.path,
      [
        { ...test, value: "b" },
        { op: "remove", path: test.path },
      ],
      "json",
    );
    expect((await node.get()).metadata.labels).not.to.have.property("a");
    await node.delete();
  });

  it("throws the server's message", async () => {
    const error = await client.must.get(`/api/v1/namespaces/${namespace}/pods/none`).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ApiError).and.to.include({ status: 404, reason: "NotFound" });
    expect(error)
      .to.have.property("message")
      .that.equals(`GET /api/v1/namespaces/${namespace}/pods/none: 404 NotFound pods "none" not found`);
  });

  it("returns warnings", async () => {
    const body = {
      metadata: { name: "warned" },
      spec: { nodeName: "n", unknownField: 1, containers: [{ name: "c", image: "i" }] },
    };
    const answer = await client.create(`/api/v1/namespaces/${namespace}/pods`, body);
    expect(answer.status).to.equal(201);
    expect(answer.warnings).to.deep.equal(['299 - "unknown field \\"spec.unknownField\\""']);
    const strict = await client.create(`/api/v1/namespaces/${namespace}/pods`, body, { fieldValidation: "Strict" });
    expect(strict.status).to.equal(400);
  });

  it("watches until the signal", async () => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { body } = await client.list(path);
    const abort = new AbortController();
    const seen: string[] = [];
    const pod = await FakePod.create(client, { namespace, nodeName: "n" });
    const query = { resourceVersion: body.metadata.resourceVersion, fieldSelector: `metadata.name=${pod.name}` };
    for await (const { type, object } of client.watch(path, query, abort.signal)) {
      seen.push(`${type} ${object.metadata.name}`);
      if (seen.length === 1) await pod.delete();
      if (type === "DELETED") abort.abort();
    }
    expect(seen[0]).to.equal(`ADDED ${pod.name}`);
    expect(seen.at(-1)).to.equal(`DELETED ${pod.name}`);
  });

  it("throws if the server rejects a watch", async () => {
    const watch = client.watch("/api/v1/nonsense", {}, AbortSignal.timeout(5_000));
    const error = await watch.next().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ApiError).and.to.include({ status: 404 });
  });
});

interface NodeObject extends KubeObject {
  readonly status: { readonly addresses: readonly { readonly type: string }[] };
}
