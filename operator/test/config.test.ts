import { DEFAULT_JOB_NAMESPACE, FLAGS } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import { readSettings, SettingsError, type SettingsSource } from "../src/config.js";

function read(source: Partial<SettingsSource> = {}) {
  return readSettings({ flags: {}, env: {}, ...source });
}

function problems(source: Partial<SettingsSource>): readonly string[] {
  try {
    read(source);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe("readSettings", () => {
  it("gives the Go operator's defaults", () => {
    expect(read()).to.include({ kubeconfig: "", metricsBindAddr: ":8080", debug: false, leaderElect: true });
    expect(read()).to.include({ leaseDuration: 15, renewDeadline: 10, retryPeriod: 2, resync: 60 });
  });

  it("may run in the default namespace of Jobs without their feature, as the chart and the construct allow", () => {
    expect(problems({ podNamespace: DEFAULT_JOB_NAMESPACE })).to.deep.equal([]);
    expect(problems({ podNamespace: DEFAULT_JOB_NAMESPACE, flags: { features: "routedip,jobs" } })).to.have.length(1);
  });

  it("takes each flag from its environment variable", () => {
    const env = {
      FLIPOP_DEBUG: "true",
      FLIPOP_WATCH_NAMESPACES: "a, b,,a",
      FLIPOP_RESYNC: "2.5s",
      FLIPOP_METRICS_BIND_ADDR: "",
    };
    expect(read({ env })).to.deep.include({
      debug: true,
      watchNamespaces: ["a", "b"],
      resync: 2.5,
      metricsBindAddr: "",
    });
  });

  it("lets the command line win over the environment", () => {
    expect(read({ env: { FLIPOP_RESYNC: "10" }, flags: { resync: "20" } }).resync).to.equal(20);
  });

  it("reads the limits of tenants from JSON or a file, and names each mistake", () => {
    const limits = { namespaces: [{ names: ["team-*"], maxCreatedAddresses: 2 }] };
    const json = JSON.stringify(limits);
    expect(read({ flags: { "tenant-limits": json } }).tenantLimits).to.deep.equal(limits);
    expect(
      read({ env: { FLIPOP_TENANT_LIMITS: "/etc/limits.json" }, readFile: () => json }).tenantLimits,
    ).to.deep.equal(limits);
    expect(read().tenantLimits).to.deep.equal({});
    const wrong = (text: string) => problems({ flags: { "tenant-limits": text } });
    expect(wrong('{"namespaces":[{"names":[],"allowedNames":["A B"]}]}')).to.have.length(2);
    expect(wrong('{"maxCreated":1}')[0]).to.match(/^--tenant-limits: maxCreated is not a field/);
    expect(wrong("{")[0]).to.contain("is not JSON");
    expect(wrong("[]")[0]).to.contain("--tenant-limits: ").and.not.contain("neither JSON");
    expect(wrong('{"namespaces":[{"names":["*"]},{"names":["team-a"]}]}')[0]).to.match(
      /^--tenant-limits: namespaces\[1\]/,
    );
    expect(wrong("/no/such/file")[0]).to.contain("neither JSON nor a file that can be read");
  });

  it("finds the operator's namespace: the flag, the pod's, flipop", () => {
    expect(read().namespace).to.equal("flipop");
    expect(read({ podNamespace: "pods" }).namespace).to.equal("pods");
    expect(read({ podNamespace: "pods", flags: { namespace: "mine" } }).namespace).to.equal("mine");
  });

  it("lets issuers use the operator's namespace unless the configuration names others", () => {
    expect(read({ podNamespace: "pods" }).issuerNamespaces).to.deep.equal(["pods"]);
    expect(read({ flags: { "issuer-namespaces": "a,b" } }).issuerNamespaces).to.deep.equal(["a", "b"]);
  });

  it("reads every flag of the type model", () => {
    // A flag that no code reads would be an option that does nothing.
    const read = new Set<string>();
    const flags = new Proxy<Record<string, string>>({}, { get: (_target, name) => void read.add(String(name)) });
    readSettings({ flags, env: {} });
    expect([...read].sort()).to.deep.equal(FLAGS.map(({ name }) => name).sort());
  });

  const bad: readonly (readonly [Partial<SettingsSource>, string])[] = [
    [{ flags: { debug: "yes" } }, '--debug: "yes" is not a valid value of debug: use true or false'],
    [{ env: { FLIPOP_DRY_RUN: "" } }, 'FLIPOP_DRY_RUN: "" is not a valid value of dry-run: use true or false'],
    [
      { flags: { "drift-interval": "5" } },
      "--drift-interval 5: each record set is read that often, which the provider's limits do not allow: use at least 30",
    ],
    [
      { flags: { "witness-bind-addr": ":8082", "node-name": "node-1" } },
      '--witness-bind-addr ":8082": other replicas ask at this address: give it the IP address of the pod, as in "[10.0.0.1]:8082"',
    ],
    [
      { flags: { "witness-bind-addr": "[10.0.0.1]:8082" } },
      '--witness-bind-addr "[10.0.0.1]:8082": the node of a witness must be known: give --node-name, too',
    ],
    [
      { flags: { resync: "1m" } },
      '--resync: "1m" is not a valid value of resync: give a number of seconds above 0, such as 60',
    ],
    [
      { env: { FLIPOP_RESYNC: "-1" } },
      'FLIPOP_RESYNC: "-1" is not a valid value of resync: give a number of seconds above 0, such as 60',
    ],
    [
      { flags: { "max-moves-per-minute": "0.5" } },
      '--max-moves-per-minute: "0.5" is not a valid value of max-moves-per-minute: give a whole number, such as 10',
    ],
    [
      { flags: { features: "pools,dsn" } },
      '--features: "dsn" is not a valid value of features: use pools, dns, routedip, jobs, healthchecks, externaldns, publish',
    ],
    [
      { flags: { features: "" } },
      '--features: "" is not a valid value of features: use pools, dns, routedip, jobs, healthchecks, externaldns, publish',
    ],
    [{ flags: { features: "jobs" } }, "--features: jobs has no effect without routedip: add it, or remove jobs"],
    [
      { flags: { features: "healthchecks" } },
      "--features: healthchecks has no effect without pools or dns or routedip: add it, or remove healthchecks",
    ],
    [
      { flags: { "health-bind-addr": ":8080" } },
      '--metrics-bind-addr and --health-bind-addr are both ":8080": give each a port of its own',
    ],
    [
      { flags: { "log-format": "xml" } },
      '--log-format: "xml" is not a valid value of log-format: use auto, text, json',
    ],
    [
      { env: { DIGITALOCEAN_API_URL: "digitalocean" } },
      'DIGITALOCEAN_API_URL: "digitalocean" is not an http or https URL: correct it, as in https://example.com, or unset it',
    ],
    [{ env: { FLIPOP_RESYNK: "3" } }, "there is no variable FLIPOP_RESYNK: did you mean FLIPOP_RESYNC?"],
    [
      { env: { FLIPOP_METRICS_BIND_ADDR: ":99999" } },
      'FLIPOP_METRICS_BIND_ADDR: ":99999" is not an address to listen at: use ":8080", "127.0.0.1:8080", "[::1]:8080", or ""',
    ],
    [
      { flags: { namespace: "-a" } },
      '--namespace: "-a" is not the name of a namespace: use lower-case letters, digits and -, at most 63',
    ],
    // What the others are compared with was not understood.
    [
      { flags: { "leader-elect-lease-duration": "5", "leader-elect-renew-deadline": "x" } },
      '--leader-elect-renew-deadline: "x" is not a valid value of leader-elect-renew-deadline: give a number of seconds above 0, such as 10',
    ],
    [
      { flags: { "leader-elect-lease-duration": "10" } },
      "--leader-elect-lease-duration 10, --leader-elect-renew-deadline 10 and --leader-elect-retry-period 2: each must be greater than the next",
    ],
    [
      { flags: { "job-namespaces": "jobs,flipop-system" }, podNamespace: "flipop-system" },
      '--job-namespaces lists "flipop-system", where the operator itself runs: give Jobs a namespace of their own',
    ],
  ];
  for (const [source, message] of bad) {
    it(`refuses ${JSON.stringify(source)}`, () => {
      expect(problems(source)).to.deep.equal([message]);
    });
  }

  it("reports all problems at once", () => {
    expect(problems({ flags: { debug: "x", resync: "x" } })).to.have.length(2);
  });
});
