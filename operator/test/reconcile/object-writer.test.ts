import { expect } from "chai";
import { describe, it } from "mocha";
import { type KubeRequest, StatusError } from "../../src/kube/client.js";
import type { KubeObject } from "../../src/kube/objects.js";
import { MERGE_PATCH } from "../../src/kube/write/patch.js";
import { LatestVersion, ObjectGone, ObjectWriter } from "../../src/reconcile/object-writer.js";
import { OWN_WRITE_MS } from "../../src/timings.js";
import { clientThat } from "../support/kube/partial.js";
import { FakeClock } from "../support/time/fake-clock.js";

interface Counter extends KubeObject {
  readonly status?: { readonly count: number };
}

function refusal(code: number, reason: string): StatusError {
  return new StatusError({ code, reason, message: reason });
}

/** One object on a server that somebody else has written to, and what the operator still believes of it. */
class Server {
  readonly requests: string[] = [];
  object: Counter = { metadata: { name: "counter", uid: "u", resourceVersion: "7" }, status: { count: 5 } };
  believed: Counter = { metadata: { name: "counter", uid: "u", resourceVersion: "3" }, status: { count: 0 } };
  readable = true;

  readonly client = clientThat((request) => {
    this.requests.push(`${request.method} ${request.path}`);
    return this.answer(request);
  });

  writer(): ObjectWriter<Counter> {
    return new ObjectWriter<Counter>({
      client: this.client,
      path: "/counter",
      latestVersion: new LatestVersion<Counter>(),
      cached: () => this.believed,
      onWrite: () => undefined,
    });
  }

  private answer({ method, body }: KubeRequest): Counter {
    if (method === "GET") {
      if (!this.readable) throw refusal(403, "Forbidden");
      return this.object;
    }
    const { metadata, status } = body as Partial<Counter>;
    const { resourceVersion, uid } = this.object.metadata;
    if (metadata?.uid !== undefined && metadata.uid !== uid) throw refusal(409, "Conflict");
    if (status === undefined) return this.object;
    if (metadata?.resourceVersion !== resourceVersion) throw refusal(409, "Conflict");
    this.object = { metadata: { ...this.object.metadata, resourceVersion: `${Number(resourceVersion) + 1}` }, status };
    return this.object;
  }
}

const oneMore = ({ metadata: { resourceVersion }, status }: Counter) => ({
  contentType: MERGE_PATCH as typeof MERGE_PATCH,
  body: { metadata: { resourceVersion }, status: { count: (status?.count ?? 0) + 1 } },
});

describe("the writer of an object", () => {
  it("puts a fact on top of what somebody else has written meanwhile", async () => {
    const server = new Server();
    await server.writer().write({ patch: oneMore, fact: true });
    expect(server.object.status).to.deep.equal({ count: 6 });
    expect(server.requests).to.deep.equal(["PATCH /counter", "GET /counter", "PATCH /counter"]);
  });

  it("says that the object has changed where a plan was made of it, and knows it as it is from then on", async () => {
    const server = new Server();
    const writer = server.writer();
    const first = await writer.write({ patch: oneMore }).catch((error: unknown) => (error as StatusError).code);
    expect(first).to.equal(409);
    await writer.write({ patch: oneMore });
    expect(server.object.status).to.deep.equal({ count: 6 });
  });

  it("learns what is there by a patch of nothing, where it may not read any more", async () => {
    const server = new Server();
    server.readable = false;
    await server.writer().write({ patch: oneMore, fact: true });
    expect(server.object.status).to.deep.equal({ count: 6 });
    expect(server.requests).to.deep.equal(["PATCH /counter", "GET /counter", "PATCH /counter", "PATCH /counter"]);
  });

  it("writes nothing to another object of that name", async () => {
    const server = new Server();
    server.object = { ...server.object, metadata: { ...server.object.metadata, uid: "other" } };
    const gone = await server
      .writer()
      .write({ patch: oneMore, fact: true })
      .catch((error: unknown) => error);
    expect(gone).to.be.instanceOf(ObjectGone);
    expect(server.object.status).to.deep.equal({ count: 5 });
  });

  it("lacks no right on an object that goes: its namespace may have taken it along", async () => {
    for (const [deletionTimestamp, forbidden] of [
      [undefined, true],
      ["2026-11-22T09:00:00Z", false],
    ] as const) {
      const server = new Server();
      const metadata = { ...server.believed.metadata, ...(deletionTimestamp && { deletionTimestamp }) };
      server.believed = { ...server.believed, metadata };
      const client = clientThat(() => Promise.reject(refusal(403, "Forbidden")));
      const facts = { path: "/counter", latestVersion: new LatestVersion<Counter>(), cached: () => server.believed };
      const writer = new ObjectWriter<Counter>({ client, ...facts, onWrite: () => undefined });
      await writer.write({ patch: oneMore }).catch(() => undefined);
      expect(writer.forbidden, `${deletionTimestamp}`).to.equal(forbidden);
    }
  });

  it("lacks the right to write the object, although it writes the status", async () => {
    const server = new Server();
    const object = { ...server.object };
    let mayPatch = false;
    const request = ({ path }: { readonly path: string }) =>
      mayPatch || path.endsWith("/status") ? Promise.resolve(object) : Promise.reject(refusal(403, "Forbidden"));
    const facts = { path: "/counter", latestVersion: new LatestVersion<Counter>(), cached: () => server.believed };
    const client = clientThat(request);
    const writer = new ObjectWriter<Counter>({ client, ...facts, onWrite: () => undefined });
    await writer.write({ patch: oneMore }).catch(() => undefined);
    await writer.write({ patch: oneMore, subresource: "status" });
    expect(writer.forbidden).to.equal(true);
    mayPatch = true;
    await writer.write({ patch: oneMore });
    expect(writer.forbidden).to.equal(false);
  });
});

function version(resourceVersion: string, uid = "u"): KubeObject {
  return { metadata: { name: "a", uid, resourceVersion } };
}

describe("the newest version of an object", () => {
  it("is our own last write until the cache has caught up", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("7"), version("9"));
    latestVersion.wrote(version("9"), version("12"));
    for (const stale of ["7", "9", "11"]) expect(latestVersion.of(version(stale))).to.deep.equal(version("12"));
    expect(latestVersion.of(version("13"))).to.deep.equal(version("13"));
    expect(latestVersion.of(version("12"))).to.deep.equal(version("12"));
  });

  it("is the cached version again when the cache has not caught up within the bound", async () => {
    for (const [before, after, cached] of [
      ["7", "9", "7"],
      ["x1", "x2", "x1"],
    ] as const) {
      const clock = new FakeClock();
      const latestVersion = new LatestVersion<KubeObject>(clock);
      latestVersion.wrote(version(before), version(after));
      await clock.advance(OWN_WRITE_MS - 1);
      expect(latestVersion.of(version(cached))).to.deep.equal(version(after));
      expect(latestVersion.untilCachedMs(version(cached))).to.equal(1);
      await clock.advance(1);
      expect(latestVersion.untilCachedMs(version(cached))).to.equal(undefined);
      expect(latestVersion.of(version(cached))).to.deep.equal(version(cached));
    }
  });

  it("is gone with the object, and another object of the name is none of ours", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("7"), version("9"));
    expect(latestVersion.of(undefined)).to.equal(undefined);
    expect(latestVersion.of(version("8", "other"))).to.deep.equal(version("8", "other"));
  });

  it("does not go by versions that were replaced before the cache had caught up", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("x1"), version("x2"));
    latestVersion.of(version("x2"));
    latestVersion.of(version("x3"));
    latestVersion.wrote(version("x3"), version("x4"));
    expect(latestVersion.of(version("x1"))).to.deep.equal(version("x1"));
  });

  it("goes by what was replaced where versions are no numbers", () => {
    const latestVersion = new LatestVersion<KubeObject>();
    latestVersion.wrote(version("x1"), version("x2"));
    expect(latestVersion.of(version("x1"))).to.deep.equal(version("x2"));
    expect(latestVersion.of(version("x0"))).to.deep.equal(version("x0"));
  });
});
