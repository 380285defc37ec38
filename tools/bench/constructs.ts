/**
 * `npm run bench`: measures the cost of the construct library. One run measures everything, so that the ratios are
 * comparable on any machine. It asserts nothing.
 */
import { execFileSync } from "node:child_process";
import { App, Chart, Duration, Testing, Yaml } from "cdk8s";
import { DnsRecord, FlipopOperator, FloatingIPPool, NodeMatch, PodMatch } from "cdk8s-flipop";
import { ROOT } from "../packs/paths.js";

const WARM_UP = 3;
const ROUNDS = 15;
const CHECK_ROUNDS = 3;
const LIMITS = { pools500: 1000, ratio: 2.5, checks: 2000, importing: 30 };

function main(): void {
  // The pools need more addresses than an account has by default. The library warns about it in each round.
  process.removeAllListeners("warning");
  console.log(`Node ${process.versions.node}`);
  measureSynthesis();
  measureChecks();
  measureImport();
}

/** 500 and 1,000 pools in turn, so that a busy machine slows both. The first rounds are warm-up. */
function measureSynthesis(): void {
  const small: number[] = [];
  const large: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const times = [milliseconds(() => synthPools(500)), milliseconds(() => synthPools(1000))] as const;
    if (round < 0) continue;
    small.push(times[0]);
    large.push(times[1]);
  }
  const [few, many] = [least(small), least(large)];
  report("500 pools, synthesised as YAML", `${few.toFixed(0)} ms`, `${LIMITS.pools500} ms`);
  report("1,000 pools, synthesised as YAML", `${many.toFixed(0)} ms`, "");
  report("1,000 pools against 500", `${(many / few).toFixed(2)} times`, `${LIMITS.ratio} times`);
}

/** Only the validation, beside an operator, with which each pool is compared. */
function measureChecks(): void {
  const times = Array.from({ length: CHECK_ROUNDS }, () => {
    const app = new App();
    new FlipopOperator(new Chart(app, "flipop"), "operator");
    addPools(app, 2000);
    return milliseconds(() => void app.node.findAll().flatMap(({ node }) => node.validate()));
  });
  report("checks of 2,000 pools", `${least(times).toFixed(0)} ms`, `${LIMITS.checks} ms`);
}

function synthPools(count: number): void {
  Yaml.stringify(...Testing.synth(addPools(new App(), count)));
}

function addPools(app: App, count: number): Chart {
  const chart = new Chart(app, "pools", { namespace: "edge" });
  for (let index = 0; index < count; index += 1) {
    new FloatingIPPool(chart, `pool-${index}`, {
      metadata: { name: `pool-${index}` },
      region: "nyc3",
      desiredIps: 3,
      pods: PodMatch.labels({ app: `app-${index}` }),
      nodes: NodeMatch.doksNodePool("edge"),
      gracePeriod: Duration.seconds(30),
      dnsRecord: DnsRecord.digitalOcean(`app-${index}`, "example.com"),
    });
  }
  return chart;
}

/** Each measurement has its own process, because a process loads a module only once. */
function measureImport(): void {
  const script = `
    const times = [];
    for (const name of ["cdk8s", "cdk8s-flipop"]) {
      const started = process.cpuUsage();
      require(name);
      const { user, system } = process.cpuUsage(started);
      times.push((user + system) / 1000);
    }
    console.log(JSON.stringify(times));`;
  const runs = Array.from({ length: ROUNDS }, () => {
    const output = execFileSync(process.execPath, ["-e", script], { cwd: ROOT, encoding: "utf8" });
    return JSON.parse(output) as [number, number];
  });
  const [base, beyond] = [least(runs.map(([time]) => time)), least(runs.map(([, time]) => time))];
  report("import of cdk8s", `${base.toFixed(0)} ms`, "");
  report("import of cdk8s-flipop beyond that", `${beyond.toFixed(0)} ms`, `${LIMITS.importing} ms`);
  report("both against cdk8s alone", `${((base + beyond) / base).toFixed(2)} times`, "");
}

/** CPU time: unlike wall time, it does not include other processes. */
function milliseconds(work: () => void): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** Other work on the machine only increases the time, so the minimum is the best estimate. */
function least(values: readonly number[]): number {
  return Math.min(...values);
}

function report(what: string, value: string, goal: string): void {
  console.log(`${what.padEnd(36)} ${value.padStart(11)}${goal && `   goal: under ${goal}`}`);
}

main();
