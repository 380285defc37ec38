import { expect } from "chai";
import { describe, it } from "mocha";
import { FirewallList } from "../../../src/providers/digitalocean/firewall-list.js";

/** Lists that end when they are told to. */
class Api {
  now = 1_000_000;
  readonly asked: ((outcome: readonly string[] | Error) => void)[] = [];
  readonly list = new FirewallList<string>(() => this.now);

  get(maxAgeSeconds: number) {
    const read = () =>
      new Promise<readonly string[]>((resolve, reject) => {
        this.asked.push((outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      });
    return this.list.get(maxAgeSeconds, read);
  }

  async have(...items: readonly string[]): Promise<void> {
    const got = this.get(0);
    this.asked.at(-1)?.(items);
    await got;
  }
}

describe("the list of an account's firewalls", () => {
  it("serves all who ask within their time, and says how old it is", async () => {
    const api = new Api();
    await api.have("a");
    api.now += 30_000;
    expect(await api.get(30)).to.deep.equal({ items: ["a"], ageSeconds: 30, kept: true });
    expect(api.asked).to.have.length(1);
  });

  it("is read again for who asks later, wants none that is kept, or meets a clock that was set back", async () => {
    for (const [passed, maxAge] of [
      [30_001, 30],
      [0, 0],
      [-1, 30],
    ] as const) {
      const api = new Api();
      await api.have("a");
      api.now += passed;
      const got = api.get(maxAge);
      api.asked[1]?.(["b"]);
      expect((await got).items, `${passed}`).to.deep.equal(["b"]);
    }
  });

  it("is one for all who ask at the same time", async () => {
    const api = new Api();
    const both = Promise.all([api.get(30), api.get(30)]);
    api.asked[0]?.(["a"]);
    expect((await both).map(({ items }) => items)).to.deep.equal([["a"], ["a"]]);
    expect(api.asked).to.have.length(1);
  });

  it("fails for who asked first alone: the others ask themselves", async () => {
    const api = new Api();
    const first = api.get(30).catch((error: unknown) => String(error));
    const second = api.get(30);
    api.asked[0]?.(new Error("reset"));
    expect(await first).to.equal("Error: reset");
    await Promise.resolve();
    api.asked[1]?.(["a"]);
    expect((await second).items).to.deep.equal(["a"]);
  });

  it("is forgotten at a write, also one that was asked for before it", async () => {
    const api = new Api();
    await api.have("a");
    api.list.forget();
    const early = api.get(30);
    api.list.forget();
    const late = api.get(30);
    api.asked[1]?.(["before"]);
    api.asked[2]?.(["after"]);
    expect((await early).items).to.deep.equal(["before"]);
    expect((await late).items).to.deep.equal(["after"]);
    expect((await api.get(30)).items).to.deep.equal(["after"]);
  });
});
