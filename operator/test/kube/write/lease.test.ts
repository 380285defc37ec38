import { expect } from "chai";
import { describe, it } from "mocha";
import { microTime } from "../../../src/clock.js";
import { LeaseLock, type LeaseRecord, recordOf, sameRecord } from "../../../src/kube/write/lease.js";
import { MemoryKube, status } from "../../support/kube/memory-kube.js";

const record: LeaseRecord = {
  holder: "a",
  durationSeconds: 15,
  acquireTime: "2025-01-01T00:00:00.000000Z",
  renewTime: "2025-01-01T00:00:02.000000Z",
  transitions: 3,
};
const call = { deadlineSeconds: 5, maxAttempts: 1 };

describe("lease lock", () => {
  it("creates, reads and replaces the lease", async () => {
    const kube = new MemoryKube();
    const lock = new LeaseLock(kube, "flipop", "lock");
    expect(await lock.get(call)).to.equal(undefined);
    const created = await lock.create(record, call);
    expect(recordOf(created)).to.deep.equal(record);
    await lock.update(created, { ...record, holder: "b" }, call);

    expect(recordOf((await lock.get(call)) ?? {}).holder).to.equal("b");
    expect(
      kube.requests.map(({ method, path, deadlineSeconds }) => `${method} ${path} ${deadlineSeconds}`),
    ).to.deep.equal([
      "GET /apis/coordination.k8s.io/v1/namespaces/flipop/leases/lock 5",
      "POST /apis/coordination.k8s.io/v1/namespaces/flipop/leases 5",
      "PUT /apis/coordination.k8s.io/v1/namespaces/flipop/leases/lock 5",
      "GET /apis/coordination.k8s.io/v1/namespaces/flipop/leases/lock 5",
    ]);
  });

  it("sends the version it has seen, and what it does not know", async () => {
    const kube = new MemoryKube();
    const lock = new LeaseLock(kube, "flipop", "lock");
    await lock.create(record, call);
    const seen = (await lock.get(call)) ?? {};
    const foreign = {
      ...seen,
      metadata: { ...seen.metadata, annotations: { x: "y" } },
      spec: { leaseTransitions: 1, preferredHolder: "z" },
    };
    await lock.update(foreign, record, call);

    const sent = kube.of("PUT")[0]?.body as typeof foreign & { spec: Record<string, unknown> };
    expect(sent.metadata).to.deep.include({ resourceVersion: "1", annotations: { x: "y" } });
    expect(sent.spec).to.include({ preferredHolder: "z", holderIdentity: "a" });
  });

  it("refuses to replace blindly", () => {
    const lock = new LeaseLock(new MemoryKube(), "flipop", "lock");
    expect(() => lock.update({ metadata: {} }, record, call)).to.throw("carries no resourceVersion");
  });

  it("passes on every error but 404", async () => {
    const kube = new MemoryKube();
    kube.fault = () => {
      throw status(403, "Forbidden");
    };
    const seen = await new LeaseLock(kube, "flipop", "lock").get(call).catch((error: Error) => error.message);
    expect(seen).to.equal("403 Forbidden");
  });

  it("reads missing fields as those of a free lease", () => {
    const unheld = { holder: "", durationSeconds: 0, acquireTime: "", renewTime: "", transitions: 0 };
    expect(recordOf({})).to.deep.equal(unheld);
    expect(recordOf({ spec: { holderIdentity: null, leaseDurationSeconds: null } })).to.deep.equal(unheld);
  });

  it("sees a change in each field", () => {
    expect(sameRecord(record, { ...record })).to.equal(true);
    for (const change of [
      { holder: "b" },
      { durationSeconds: 1 },
      { acquireTime: "" },
      { renewTime: "" },
      { transitions: 0 },
    ]) {
      expect(sameRecord(record, { ...record, ...change }), JSON.stringify(change)).to.equal(false);
    }
  });
});

describe("MicroTime", () => {
  for (const [ms, text] of [
    [0, "1970-01-01T00:00:00.000000Z"],
    [1735689600123, "2025-01-01T00:00:00.123000Z"],
    [1735689600123.5, "2025-01-01T00:00:00.123500Z"],
  ] as const) {
    it(`has six digits: ${text}`, () => expect(microTime(ms)).to.equal(text));
  }
});
