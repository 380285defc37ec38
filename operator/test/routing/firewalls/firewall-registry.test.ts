import { expect } from "chai";
import { describe, it } from "mocha";
import type { OncePerToken } from "../../../src/providers/credentials.js";
import type { DigitalOceanClient } from "../../../src/providers/digitalocean/client.js";
import { DigitalOceanFirewalls } from "../../../src/providers/digitalocean/firewalls.js";
import type { FirewallProvider, FirewallSurvey } from "../../../src/providers/firewall-types.js";
import { FirewallRegistry } from "../../../src/routing/firewalls/firewall-registry.js";
import { ACCOUNT_PROBE_MS } from "../../../src/timings.js";
import { failure } from "../../providers/support.js";
import { errorOf } from "../../support/http-rig.js";
import { FakeClock } from "../../support/time/fake-clock.js";

const CONTEXT = {
  requester: { kind: "RoutedIP", namespace: "default", name: "a" },
  why: "test",
  priority: "check",
} as const;

/** A provider whose list may be so old. */
class Listing {
  readonly asked: (number | undefined)[] = [];
  ageSeconds = 0;

  readonly provider = {
    survey: (_call, _name, _nodes, maxAgeSeconds): Promise<FirewallSurvey> => {
      this.asked.push(maxAgeSeconds);
      return Promise.resolve({ coveredBy: new Map(), ageSeconds: this.ageSeconds });
    },
    create: (_call, { name, rules, nodes }) => Promise.resolve({ id: "1", name, rules, nodes, pending: false }),
  } as Pick<FirewallProvider, "survey" | "create"> as FirewallProvider;
}

function runActions() {
  const clock = new FakeClock();
  const listing = new Listing();
  const registry = new FirewallRegistry(clock);
  const firewall = registry.of({}, "ingress");
  const caller = { provider: listing.provider, context: CONTEXT };
  return { clock, listing, registry, firewall, caller };
}

describe("a firewall that RoutedIPs share", () => {
  it("takes a list that others have asked for, and is read again when that is 60 s old, while its facts stay known for 90 s", async () => {
    const { clock, listing, firewall, caller } = runActions();
    listing.ageSeconds = 20;
    await firewall.read(caller, []);
    expect(firewall.view()).to.include({ facts: "missing", dueInMs: 40_000 });
    await clock.advance(40_000);
    expect(firewall.view()).to.include({ facts: "missing", due: true });
    await clock.advance(30_000);
    expect(firewall.view().facts).to.equal("unknown");
    expect(listing.asked).to.deep.equal([30]);
  });

  it("is read again soon while the API is down, however often reads have failed", async () => {
    const { clock, firewall, caller } = runActions();
    const survey = () => Promise.reject(failure());
    for (let failures = 0; failures < 20; failures++) {
      await errorOf(firewall.read({ ...caller, provider: { ...caller.provider, survey } }, []));
      const wait = (firewall.view().retryAt ?? 0) - clock.now();
      expect(wait, `after ${failures} failures`).to.be.within(1, ACCOUNT_PROBE_MS.Unavailable);
      await clock.advance(ACCOUNT_PROBE_MS.Unavailable);
    }
  });

  it("counts one failure of the list for all who wait for it, and sends one call", async () => {
    const { clock, firewall, caller } = runActions();
    let lists = 0;
    const client = { list: () => Promise.reject(failure({ where: `list ${++lists}` })) };
    const account = { read: () => Promise.resolve("team") };
    const provider = new DigitalOceanFirewalls(
      client as unknown as DigitalOceanClient,
      account as unknown as OncePerToken<string>,
      () => clock.monotonic(),
    );
    for (const [tries, waitMs] of [1_000, 1_000, 5_000, 5_000, 10_000].entries()) {
      const reads = [1, 2, 3, 4, 5].map(() => firewall.read({ ...caller, provider }, []));
      const results = await Promise.allSettled(reads);
      expect(results.every(({ status }) => status === "rejected")).to.equal(true);
      expect(lists, "calls").to.equal(tries + 1);
      expect((firewall.view().retryAt ?? 0) - clock.now(), "until the next one").to.equal(waitMs);
      await clock.advance(waitMs);
    }
  });

  it("takes no list that is older than what it has written, from any reader", async () => {
    const { clock, listing, firewall, caller } = runActions();
    await firewall.read(caller, []);
    await clock.advance(59_000);
    await firewall.create(caller, { name: "ingress", rules: [], nodes: [] });
    await clock.advance(5_000);
    await firewall.read(caller, []);
    expect(listing.asked).to.deep.equal([30, 5]);
  });

  it("is read again as soon as an installation has come or gone, and once more when that has settled", async () => {
    const { clock, listing, registry, firewall, caller } = runActions();
    await firewall.read(caller, []);
    await clock.advance(20_000);
    registry.usersChanged(["other"]);
    expect(firewall.view().dueInMs).to.equal(40_000);
    registry.usersChanged(["ingress"]);
    expect(firewall.view()).to.include({ facts: "missing", due: true });
    await clock.advance(1_000);
    await firewall.read(caller, []);
    expect(firewall.view().dueInMs).to.equal(9_000);
    await clock.advance(9_000);
    expect(firewall.view().due).to.equal(true);
    await clock.advance(2_000);
    await firewall.read(caller, []);
    expect(firewall.view().dueInMs).to.equal(60_000);
    expect(listing.asked, "no list from before").to.deep.equal([30, 1, 2]);
  });
});

describe("the machines that RoutedIPs need in firewalls", () => {
  it("are known once all that are asked about have decided, and are those of all", () => {
    const registry = new FirewallRegistry(new FakeClock());
    registry.need("a", ["digitalocean://1"]);
    expect(registry.machinesNeeded(["a", "b"]), "b has not decided").to.equal(undefined);
    registry.need("b", []);
    registry.need("c", ["digitalocean://3"]);
    expect([...(registry.machinesNeeded(["a", "b"]) ?? [])]).to.deep.equal(["digitalocean://1", "digitalocean://3"]);
    registry.drop("a");
    expect(registry.machinesNeeded(["a"]), "it is gone").to.equal(undefined);
    expect([...(registry.machinesNeeded([]) ?? [])]).to.deep.equal(["digitalocean://3"]);
  });
});
