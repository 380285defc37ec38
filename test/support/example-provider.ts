/** Prints everything that is derived from the table of providers. Start it with `--import` of example-row.ts. */

import { Chart, Duration, Testing } from "cdk8s";
import { Credentials, DnsRecord, FlipopOperator, NodeDNSRecordSet } from "cdk8s-flipop";
import { runCli } from "../../operator/src/cli.js";
import { systemClock } from "../../operator/src/clock.js";
import { Redactor, silentLogger } from "../../operator/src/logging.js";
import { PROVIDER_KINDS } from "../../operator/src/providers/kinds.js";
import { type ProviderKind, ProviderRegistry } from "../../operator/src/providers/registry.js";
import { openFence } from "../../operator/src/runtime/fence.js";
import { chartFiles } from "../../tools/helm/chart.js";
import { flagsPage } from "../../tools/reference/flags.js";
import { MISTAKES } from "../../tools/reference/mistakes.js";
import { EXAMPLE } from "./example-row.js";

const KIND: ProviderKind = {
  ...EXAMPLE,
  rateLimits: [{ calls: 10, seconds: 1 }],
  probes: { baseUrl: "https://api.example.com", reads: [{ path: "/addresses", scope: "read" }], unprobed: "write" },
  build: () => ({ close: async () => undefined }),
};

/** The output of the program. */
export interface Derived {
  readonly help: string;
  readonly registered: readonly string[];
  readonly manifests: readonly unknown[];
  readonly problems: string;
  readonly chart: Readonly<Record<string, string>>;
  readonly flagsPage: string;
  readonly mistakes: string;
}

async function derive(): Promise<Derived> {
  return {
    help: await help(),
    registered: registered(),
    manifests: operatorManifests(),
    problems: problemsOfProps(),
    chart: Object.fromEntries(chartFiles()),
    flagsPage: flagsPage(),
    mistakes: MISTAKES.map(({ remedy }) => remedy).join("\n"),
  };
}

async function help(): Promise<string> {
  let text = "";
  const out = (part: string) => {
    text += part;
  };
  const nothing = async () => 0;
  await runCli(["--help"], { run: nothing, call: nothing, sandbox: nothing }, { env: {}, out, err: out });
  return text;
}

/** The names of the providers that the operator sets up for an environment with the example's token. */
function registered(): readonly string[] {
  const metrics = {
    calls: { inc: () => undefined },
    callSeconds: { observe: () => undefined },
    callWaitSeconds: { observe: () => undefined },
  };
  const registry = new ProviderRegistry({
    ...{ clock: systemClock, random: Math.random, metrics, fence: openFence, dryRun: false, redactor: new Redactor() },
    ...{ audit: () => undefined, logger: silentLogger, userAgent: "test" },
    ...{ kinds: [...PROVIDER_KINDS, KIND], env: { EXAMPLE_TOKEN: "a-token" } },
  });
  return registry.names;
}

function operatorManifests(): readonly unknown[] {
  const chart = new Chart(Testing.app(), "test");
  // The type has the prop after step 2 of the page.
  new FlipopOperator(chart, "operator", { example: Credentials.fromSecretName("mine", "token") } as object);
  return Testing.synth(chart) as unknown[];
}

/** All problems of the example's props, in one message. */
function problemsOfProps(): string {
  const app = Testing.app();
  const chart = new Chart(app, "test", { namespace: "test" });
  new FlipopOperator(chart, "operator", { env: { EXAMPLE_TOKEN: "x", OTHER: `ex_${"0a".repeat(10)}` } });
  new FlipopOperator(chart, "other", { name: "other", example: "a-token" } as object);
  new NodeDNSRecordSet(chart, "nodes", {
    dnsRecord: DnsRecord.of("example", "www", "example.com", { ttl: Duration.minutes(10) }),
  });
  return app.node
    .findAll()
    .flatMap((construct) => construct.node.validate())
    .join("\n");
}

process.stdout.write(JSON.stringify(await derive()));
