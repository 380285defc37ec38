/** Which alerts fire in outages that the sandbox plays with the real operator, and which do not. */

import { expect } from "chai";
import { describe, it } from "mocha";
import { ALERTS, promtool } from "./promtool.js";
import { INTERVAL_SECONDS, type Recording, record } from "./record.js";
import { inputSeries } from "./series.js";

const TIMEOUT_MS = 20 * 60_000;
const SCENARIO = "test/alerts/outages.yaml";
const METRIC = /\b(flipop|leader_election|controller_runtime)_[a-z_]+/g;

/** They look back for a while, so they still fire after the outage that they are about. */
const LOOK_BACK = ["FlipopProviderErrors", "FlipopAssignmentErrors"];

const WEB = '{kind="FloatingIPPool",name="web",namespace="ingress"}';
const POOL = '{name="web",namespace="ingress"}';
const ROUTED = '{kind="RoutedIP",name="gateway",namespace="voice"}';
const ISSUER = '{kind="RoutedIPIssuer",name="gateway",namespace="voice"}';

/** All that fires in each act, and nothing else does. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "the start": [],
  // The addresses stay on their nodes: no alert about an address, a name or a firewall.
  "the cloud's API fails, and the operator restarts": [
    `FlipopProviderUnreachable${WEB}`,
    `FlipopProviderUnreachable${ROUTED}`,
    `FlipopProviderUnreachable${ISSUER}`,
  ],
  "the cloud's API refuses calls for their rate": ['FlipopBudgetUsedUp{provider="digitalocean"}'],
  // The operator creates no address for a pool whose name another resource has.
  "another pool claims the name": [
    'FlipopConflict{kind="FloatingIPPool",name="second",namespace="ingress"}',
    'FlipopNoAddressActive{name="second",namespace="ingress"}',
  ],
  "half of the nodes fail": [`FlipopFewerAddressesThanDesired${POOL}`],
  // The operator cannot know whether the nodes or the control plane failed: it moves nothing, and says so.
  "all nodes fail": [
    "FlipopMassFailure{}",
    `FlipopNoAddressActive${POOL}`,
    `FlipopNameNotInPlace${WEB}`,
    'FlipopRoutedIPWithoutNode{name="gateway",namespace="voice"}',
  ],
  "no operator runs": ['FlipopNoMetrics{name="floating-ip-pool-controller-leader-election",namespace="flipop"}'],
  "a person stops the operator": ["FlipopStopped{}"],
};

describe("the alerts in recorded outages", function () {
  this.timeout(TIMEOUT_MS);

  it("fire for what is broken, and claim nothing about addresses that the operator cannot see", async () => {
    const metrics = new Set(ALERTS.flatMap(({ expr }) => expr.match(METRIC) ?? []));
    const recording = await record(SCENARIO, metrics);
    expect([...recording.acts.keys()]).to.have.members(Object.keys(EXPECTED));
    const interval = `${INTERVAL_SECONDS}s`;
    try {
      await promtool([
        { interval, input_series: inputSeries(recording.scrapes), promql_expr_test: actsOf(recording).map(testOf) },
      ]);
    } catch (error) {
      throw new Error(`${String(error)}\n${recording.lines.join("\n")}`, { cause: error });
    }
  });
});

interface Act {
  readonly title: string;
  /** Numbers of its first scrape, and of the first one after it. */
  readonly from: number;
  readonly to: number;
}

function actsOf({ acts, scrapes }: Recording): readonly Act[] {
  const starts = [...acts.values(), scrapes.length];
  return [...acts].map(([title, from], index) => ({ title, from, to: starts[index + 1] ?? from }));
}

function testOf({ title, from, to }: Act): object {
  const fired = `ALERTS{alertstate="firing",alertname!~"${LOOK_BACK.join("|")}"}[${(to - from) * INTERVAL_SECONDS}s]`;
  const samples = (EXPECTED[title] ?? []).map((alert) => ({ labels: withName(alert), value: 1 }));
  return {
    expr: `max by (alertname, kind, namespace, name, provider, ip, controller) (max_over_time(${fired}))`,
    eval_time: `${(to - 1) * INTERVAL_SECONDS}s`,
    exp_samples: samples,
  };
}

/** `Name{a="b"}` as promtool writes the series of a result. */
function withName(alert: string): string {
  const [name = "", labels = ""] = alert.split(/(?=\{)/);
  return labels === "{}" ? `{alertname="${name}"}` : `{alertname="${name}",${labels.slice(1)}`;
}
