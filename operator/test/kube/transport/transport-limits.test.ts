import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { DeadlineError, NetworkError } from "../../../src/kube/transport/failures.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { answer, errorOf, GET, HttpRig, PATCH } from "../../support/http-rig.js";
import { plainConfig } from "../../support/kube/reflector-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";
import { until } from "../../support/time/until.js";

describe("retries, deadlines and fences of the transport", () => {
  let rig: HttpRig;
  beforeEach(async () => {
    rig = await HttpRig.create();
  });
  afterEach(() => rig.close());

  it("waits for Retry-After on 429, writes included, since they were not processed", async () => {
    let left = 2;
    const times: number[] = [];
    rig.handler = (_request, response) => {
      times.push(rig.clock.monotonic());
      if (left-- > 0) answer(response, 429, {}, { "retry-after": "2" });
      else answer(response, 200, { ok: true });
    };
    await rig.transport().request(PATCH);
    expect(times).to.have.length(3);
    expect((times[2] ?? 0) - (times[0] ?? 0)).to.be.at.least(4_000);
  });

  it("repeats reads after 5xx and a reset, never writes", async () => {
    let left = 2;
    rig.handler = (request, response) => {
      if (left-- <= 0) answer(response, 200);
      else if (left === 0) request.socket.resetAndDestroy();
      else answer(response, 503);
    };
    await rig.transport().request(GET);
    expect(rig.seen).to.have.length(3);
    left = 1;
    expect(await errorOf(rig.transport().request(PATCH))).to.be.instanceOf(NetworkError);
    left = 2;
    expect(await errorOf(rig.transport().request(PATCH))).to.include({ code: 503 });
    expect(rig.seen).to.have.length(5);
  });

  it("gives up after its attempts, and after one where asked", async () => {
    rig.handler = (_request, response) => answer(response, 500);
    await errorOf(rig.transport().request(GET));
    expect(rig.seen).to.have.length(5);
    await errorOf(rig.transport().request({ ...GET, maxAttempts: 1 }));
    expect(rig.seen).to.have.length(6);
  });

  it("ends a call at its deadline, retries included, and says so", async () => {
    rig.handler = () => {};
    const error = await errorOf(rig.transport().request({ ...PATCH, deadlineSeconds: 5 }));
    expect(error).to.be.instanceOf(DeadlineError);
    expect(String(error)).to.match(/PATCH http.*nodes\/n \(test\): no complete answer before its deadline/);
    const shorter = await errorOf(rig.transport().request({ ...PATCH, deadlineSeconds: 4.2 }));
    expect(String(shorter), "what is left of the lease is another number each time").to.equal(String(error));
    rig.handler = (_request, response) => answer(response, 429, {}, { "retry-after": "10" });
    expect(await errorOf(rig.transport().request({ ...PATCH, deadlineSeconds: 5 }))).to.include({ code: 429 });
  });

  it("ends a call at its deadline in the middle of the answer's body", async () => {
    rig.handler = (_request, response) => response.writeHead(200).write("{");
    expect(await errorOf(rig.transport().request({ ...GET, deadlineSeconds: 2 }))).to.be.instanceOf(DeadlineError);
  });

  it("rejects with the caller's reason when aborted, before, during and between attempts", async () => {
    const reason = new Error("stop");
    expect(await errorOf(rig.transport().request({ ...GET, signal: AbortSignal.abort(reason) }))).to.equal(reason);
    expect(rig.seen).to.have.length(0);
    for (const behaviour of [
      () => {},
      (_: IncomingMessage, response: ServerResponse) => answer(response, 429, {}, { "retry-after": "20" }),
    ]) {
      rig.handler = behaviour;
      const controller = new AbortController();
      const work = errorOf(rig.transport().request({ ...GET, signal: controller.signal }));
      const before = rig.samples.length;
      await until("it is under way", () => rig.seen.length > before);
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort(reason);
      expect(await work).to.equal(reason);
    }
  });

  it("asks the fence before each attempt of a write, never for a read", async () => {
    let held = true;
    let asked = 0;
    const fence = () => {
      asked++;
      if (!held) throw new Error("lease lost");
    };
    const transport = rig.transport();
    const fenced = transport.fenced(fence);
    await fenced.request(GET);
    expect(asked).to.equal(0);
    rig.handler = (_request, response) => {
      held = false;
      answer(response, 429, {}, { "retry-after": "1" });
    };
    expect(String(await errorOf(fenced.request(PATCH)))).to.equal("Error: lease lost");
    expect(rig.seen).to.have.length(2);
    rig.handler = (_request, response) => answer(response, 200);
    await transport.request(PATCH);
    expect(String(await errorOf(rig.transport({}, { beforeWrite: fence }).request(PATCH)))).to.equal(
      "Error: lease lost",
    );
  });

  it("asks the fence again when a connection has been made, before anything is sent", async () => {
    let held = true;
    const fenced = rig.transport().fenced(() => {
      if (!held) throw new Error("lease lost");
    });
    rig.server.once("connection", () => {
      held = false;
    });
    const work = fenced.request(PATCH);
    expect(String(await errorOf(work))).to.equal("Error: lease lost");
    expect(rig.seen).to.have.length(0);
  });

  it("does not send after a stall past its deadline, even where no timer has run yet", async () => {
    const clock = new FakeClock();
    const transport = new Transport({ config: plainConfig(rig.url), clock, env: {} });
    rig.handler = (_request, response) => answer(response, 429, {}, { "retry-after": "3" });
    const work = errorOf(transport.request({ ...PATCH, deadlineSeconds: 8 }));
    await until("it waits for its second attempt", () => clock.pendingTimers === 2);
    await clock.stall(60_000);
    expect(await work).to.be.instanceOf(DeadlineError);
    expect(rig.seen).to.have.length(1);
    await transport.close();
  });
});
