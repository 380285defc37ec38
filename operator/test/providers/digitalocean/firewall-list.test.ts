import { expect } from "chai";
import { describe, it } from "mocha";
import type { CallPriority } from "../../../src/providers/call.js";
import { FirewallList } from "../../../src/providers/digitalocean/firewall-list.js";
import { FIREWALL_LIST_FAILED_MS } from "../../../src/timings.js";
import { failure } from "../support.js";

interface Asked {
  readonly priority: CallPriority;
  readonly end: (outcome: readonly string[] | Error) => void;
}

/** Lists that end when a test says so. */
class Api {
  now = 1_000_000;
  readonly asked: Asked[] = [];
  readonly list = new FirewallList<string>(
    () => this.now,
    (priority) =>
      new Promise((resolve, reject) => {
        const end = (outcome: readonly string[] | Error) =>
          outcome instanceof Error ? reject(outcome) : resolve(outcome);
        this.asked.push({ priority, end });
      }),
  );

  get(maxAgeSeconds: number, priority: CallPriority = "check", signal?: AbortSignal) {
    return this.list.get({ maxAgeSeconds, priority, ...(signal && { signal }) });
  }

  async have(...items: readonly string[]): Promise<void> {
    const got = this.get(0);
    this.asked.at(-1)?.end(items);
    await got;
  }
}

/** So that what waits for one promise after another has gone on. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

const thrownBy = (got: Promise<unknown>) =>
  got.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the list of an account's firewalls", () => {
  it("serves all who ask within their time, and says how old it is", async () => {
    const api = new Api();
    await api.have("a");
    api.now += 30_000;
    expect(await api.get(30)).to.deep.equal({ items: ["a"], ageSeconds: 30, kept: true });
    expect(api.asked).to.have.length(1);
  });

  it("is read again for who asks later, or wants none that is kept", async () => {
    for (const [passed, maxAge] of [
      [30_001, 30],
      [0, 0],
    ] as const) {
      const api = new Api();
      await api.have("a");
      api.now += passed;
      const got = api.get(maxAge);
      api.asked[1]?.end(["b"]);
      expect((await got).items, `${passed}`).to.deep.equal(["b"]);
    }
  });

  it("is as old as it was when it was asked for, however long it took", async () => {
    const api = new Api();
    const first = api.get(30);
    api.now += 10_000;
    const second = api.get(30);
    api.now += 40_000;
    api.asked[0]?.end(["a"]);
    expect((await first).ageSeconds).to.equal(0);
    expect((await second).ageSeconds).to.equal(10);
    expect(api.asked).to.have.length(1);
  });

  it("lets an assignment wait for no list that only a check has asked for", async () => {
    const api = new Api();
    const check = api.get(30);
    const assignment = api.get(30, "assignment");
    expect(api.asked.map(({ priority }) => priority)).to.deep.equal(["check", "assignment"]);
    const another = api.get(30);
    api.asked[1]?.end(["b"]);
    expect([(await assignment).items, (await another).items]).to.deep.equal([["b"], ["b"]]);
    api.asked[0]?.end(["a"]);
    expect((await check).items).to.deep.equal(["a"]);
    expect((await api.get(30)).items).to.deep.equal(["b"]);
  });

  it("fails for who asked first alone: of the others one asks again, for all", async () => {
    const api = new Api();
    const first = api.get(30).catch((error: unknown) => String(error));
    const others = Promise.all([api.get(30), api.get(30)]);
    api.asked[0]?.end(new Error("reset"));
    expect(await first).to.equal("Error: reset");
    await turns();
    expect(api.asked).to.have.length(2);
    api.asked[1]?.end(["a"]);
    expect((await others).map(({ items }) => items)).to.deep.equal([["a"], ["a"]]);
  });

  it("fails for all that wait once the second one fails, too", async () => {
    const api = new Api();
    const all = Promise.allSettled([1, 2, 3, 4].map(() => api.get(30)));
    for (const [index, error] of [failure(), failure()].entries()) {
      api.asked[index]?.end(error);
      await turns();
    }
    expect((await all).map(({ status }) => status)).to.deep.equal(Array.from({ length: 4 }, () => "rejected"));
    expect(api.asked).to.have.length(2);
  });

  it("fails for who asks right after it failed, and is asked for again a while later", async () => {
    const api = new Api();
    const error = failure();
    const first = thrownBy(api.get(0));
    api.asked[0]?.end(error);
    expect(await first).to.equal(error);
    expect(await thrownBy(api.get(0))).to.equal(error);
    api.now += FIREWALL_LIST_FAILED_MS;
    const later = api.get(0);
    api.asked[1]?.end(["a"]);
    expect((await later).items).to.deep.equal(["a"]);
  });

  it("fails for its class alone where a limit, or the circuit breaker, of the class kept it from being sent", async () => {
    for (const [failing, other] of [
      ["check", "assignment"],
      ["assignment", "check"],
    ] as const) {
      const api = new Api();
      const error = failure({ outcome: "not-sent" });
      const first = thrownBy(api.get(0, failing));
      api.asked[0]?.end(error);
      await first;
      expect(await thrownBy(api.get(0, failing))).to.equal(error);
      const sent = api.get(0, other);
      api.asked[1]?.end(["a"]);
      expect((await sent).items).to.deep.equal(["a"]);
    }
  });

  it("that is kept serves whom it is young enough for, though a later one has failed", async () => {
    const api = new Api();
    await api.have("a");
    const anew = thrownBy(api.get(0));
    api.asked[1]?.end(failure());
    await anew;
    expect((await api.get(30)).items).to.deep.equal(["a"]);
  });

  it("is asked for again after a write", async () => {
    const api = new Api();
    const first = thrownBy(api.get(0));
    api.asked[0]?.end(failure());
    await first;
    api.list.forget();
    const after = api.get(0);
    api.asked[1]?.end(["a"]);
    expect((await after).items).to.deep.equal(["a"]);
  });

  it("lets go who gives up, and serves the others", async () => {
    const api = new Api();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = api.get(30, "check", one.signal).catch((error: unknown) => (error as { reason?: string }).reason);
    const second = api.get(30, "check", two.signal).catch((error: unknown) => (error as { reason?: string }).reason);
    const third = api.get(30);
    one.abort();
    two.abort();
    expect([await first, await second]).to.deep.equal(["Cancelled", "Cancelled"]);
    api.asked[0]?.end(["a"]);
    expect((await third).items).to.deep.equal(["a"]);
  });

  it("is forgotten at a write, also one that was asked for before it", async () => {
    const api = new Api();
    await api.have("a");
    api.list.forget();
    const early = api.get(30);
    api.list.forget();
    const late = api.get(30);
    api.asked[1]?.end(["before"]);
    api.asked[2]?.end(["after"]);
    expect((await early).items).to.deep.equal(["before"]);
    expect((await late).items).to.deep.equal(["after"]);
    expect((await api.get(30)).items).to.deep.equal(["after"]);
  });
});
