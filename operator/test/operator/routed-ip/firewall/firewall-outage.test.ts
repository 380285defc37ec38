import type { Condition } from "cdk8s-flipop/api";
import { expect } from "chai";
import type { ApiObject } from "flipop-sandbox/kubernetes";
import { afterEach, describe, it } from "mocha";
import { RoutedWorld } from "../../../controllers/routed-ip/routed-world.js";

const LIST = /^GET \/v2\/firewalls/;
const OUTAGE_MS = 5 * 60_000;
const LOOK_MS = 200;
const MINUTE_MS = 60_000;

/** Answers to the list of firewalls: all attempts of a read take less or more than 15 s, or none is answered. */
const OUTAGES = {
  "answer 503 after 2 s": { kind: "status", status: 503, afterMs: 2_000 },
  "answer 503 after 7 s": { kind: "status", status: 503, afterMs: 7_000 },
  "no answer": { kind: "timeout" },
} as const;
const PROVIDER_UNAVAILABLE = "ProviderUnavailable";

interface EventObject extends ApiObject {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly series?: { readonly count?: number };
}

describe("operator in process: an outage of the list of firewalls", function () {
  this.timeout(240_000);
  let made: RoutedWorld;

  afterEach(() => made.close());

  /** RoutedIPs of one issuer, each on a node of its own, that are ready; and then the outage. */
  async function outage(names: readonly string[], fault: (typeof OUTAGES)[keyof typeof OUTAGES]): Promise<void> {
    const nodes = names.map((name) => `node-of-${name}`);
    made = await RoutedWorld.create(nodes, { speed: 60 });
    made.addIssuer();
    for (const name of names) made.addRouted(name, { routedIP: made.world.digitalocean.state.addAddress().ip });
    made.serve(...nodes.map((node) => ({ node })));
    made.world.start();
    for (const name of names) await made.ready(name);
    await made.world.clock.sleep(2 * MINUTE_MS);
    made.world.digitalocean.faults.inject(fault, { on: LIST, times: Infinity });
  }

  const conditionsOf = (name: string): readonly Condition[] => made.status(name).conditions ?? [];
  const shown = (name: string) =>
    conditionsOf(name)
      .filter(({ type }) => type === "Accepted" || type === "FirewallReady")
      .map(({ type, status, reason }) => `${type}=${status}/${reason}`)
      .join(" ");
  const FAILING = `Accepted=False/${PROVIDER_UNAVAILABLE} FirewallReady=False/${PROVIDER_UNAVAILABLE}`;

  /** How often a Warning was reported for a RoutedIP. */
  function warningsOf(name: string): number {
    const events = made.world.events(PROVIDER_UNAVAILABLE) as readonly EventObject[];
    const own = events.filter(
      ({ involvedObject }) => involvedObject?.kind === "RoutedIP" && involvedObject.name === name,
    );
    return own.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
  }

  for (const [what, fault] of Object.entries(OUTAGES)) {
    it(`is one failure in the conditions and Events of all RoutedIPs that share the firewall: ${what}`, async () => {
      const names = ["a", "b", "c"];
      await outage(names, fault);
      for (const name of names) await made.until(`${name} says it`, () => shown(name) === FAILING);
      const changes = new Map(names.map((name) => [name, [FAILING]]));
      const end = made.world.clock.now() + OUTAGE_MS;
      while (made.world.clock.now() < end) {
        await made.world.clock.sleep(LOOK_MS);
        for (const [name, seen] of changes) if (seen.at(-1) !== shown(name)) seen.push(shown(name));
      }
      expect([...changes]).to.deep.equal(names.map((name) => [name, [FAILING]]));
      expect(names.map(warningsOf)).to.deep.equal([1, 1, 1]);
      made.world.digitalocean.faults.clear();
      for (const name of names) await made.ready(name);
    });
  }
});
