import { ApiObject, type Chart, Duration } from "cdk8s";
import * as kplus from "cdk8s-plus-28";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  ClassImplementation,
  ClusterRoutedIPClass,
  Credentials,
  DnsRecord,
  FlipopCrds,
  FlipopOperator,
  FloatingIPPool,
  IpProvider,
  LabelQuery,
  NodeDNSRecordSet,
  NodeMatch,
  PodMatch,
  PortRange,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  RoutedIPJob,
  SecretRef,
  ServiceRef,
  TaintEffect,
  Toleration,
} from "../src";
import { newChart, refusals } from "./support/charts";

/** Values that the compiler would refuse: JavaScript, tsx and casts do not check types. */
function untyped(value: unknown): never {
  return value as never;
}

type Make = (chart: Chart) => unknown;

const JOB = RoutedIPJob.container({ image: "registry.example/update:1" });
const NO_PROP = "is given, but there is no such prop:";
const ALL_RESOURCE_PROPS =
  "the props are pods, nodes, tolerations, region, provider, desiredIps, ips, ipFamily, assignmentCoolOff, gracePeriod, nodePreference, reclaimPolicy, dnsRecord, paused, metadata, cluster";

function pool(props: object): Make {
  return (chart) => new FloatingIPPool(chart, "bad", untyped({ ips: ["192.0.2.1"], ...props }));
}

function operator(props: object): Make {
  return (chart) => new FlipopOperator(chart, "bad", untyped(props));
}

function issuer(props: object): Make {
  return (chart) => new RoutedIPIssuer(chart, "bad", untyped(props));
}

function clusterClass(props: object): Make {
  const implementation = ClassImplementation.jobs(JOB, JOB);
  return (chart) => new ClusterRoutedIPClass(chart, "bad", untyped({ implementation, ...props }));
}

function job(make: () => RoutedIPJob): Make {
  return (chart) => clusterClass({ implementation: ClassImplementation.jobs(make(), JOB) })(chart);
}

function routedIp(props: (chart: Chart) => object): Make {
  return (chart) => {
    const implementation = RoutedIPImplementation.issuer(RoutedIPIssuer.fromRoutedIPIssuerName(chart, "do", "do"));
    new RoutedIP(chart, "bad", untyped({ implementation, service: ServiceRef.named("web"), ...props(chart) }));
  };
}

const UPDATE = "implementation.updateRoutedIP";

/** A mistake, and the lines of the error of construct `test/bad`. */
const CASES: readonly (readonly [title: string, make: Make, ...says: string[]])[] = [
  // null
  ["null for a number", pool({ desiredIps: null }), "desiredIps: is null: remove it, or give a value"],
  ["null for a list", pool({ ips: null, region: "nyc3" }), "ips: is null: remove it, or give a list"],
  [
    "null for a part",
    pool({ nodes: null }),
    "nodes: is null: remove it, or give NodeMatch.labels(...) or NodeMatch.doksNodePool(...)",
  ],
  ["null for metadata", pool({ metadata: null }), "metadata: is null: remove it, or give an object"],
  ["null for a name", pool({ metadata: { name: null } }), "metadata.name: is null: remove it, or give a string"],
  [
    "null for props",
    (chart) => new FloatingIPPool(chart, "bad", untyped(null)),
    "null is not an object: write { prop: value }",
  ],
  [
    "null for an operator's props",
    (chart) => new FlipopOperator(chart, "bad", untyped(null)),
    "null is not an object: write { prop: value }",
  ],
  [
    "null for a boolean",
    operator({ createNamespaces: null }),
    "createNamespaces: is null: remove it, or give true or false",
  ],
  ["null in a map", operator({ env: { A: null } }), 'env.A: null is not a string: write "..."'],
  [
    "null for credentials",
    operator({ digitalOcean: null }),
    "digitalOcean: is null: remove it, or give Credentials.fromSecretName(...)",
  ],
  [
    "null for options",
    pool({ pods: PodMatch.labels({ a: "b" }, untyped(null)) }),
    "pods: null is not an object: write { prop: value }",
  ],
  [
    "null in a Job's spec",
    job(() => RoutedIPJob.spec({ template: { spec: { containers: [{ name: "a", image: "a", command: null }] } } })),
    `${UPDATE}.template.spec.containers[0].command: is null: remove it, or give a value`,
  ],
  // Unknown and misspelt keys
  ["an unknown prop", pool({ ports: [80] }), `ports: a list ${NO_PROP} ${ALL_RESOURCE_PROPS}`],
  [
    "a similar prop beside the right one",
    pool({ region: "nyc3", regions: ["ams3"] }),
    `regions: a list ${NO_PROP} use region`,
  ],
  [
    "the names of other types in metadata",
    pool({ metadata: { label: { a: "b" } } }),
    `metadata.label: an object ${NO_PROP} use labels`,
  ],
  [
    "an unknown key in metadata",
    pool({ metadata: { deletionTimestamp: "x" } }),
    `metadata.deletionTimestamp: "x" ${NO_PROP} the props are name, namespace, labels, annotations, finalizers, ownerReferences`,
  ],
  [
    "a misspelt option of a record",
    pool({ dnsRecord: DnsRecord.digitalOcean("www", "example.com", untyped({ tll: Duration.minutes(1) })) }),
    `dnsRecord.tll: an object ${NO_PROP} use ttl`,
  ],
  [
    "a misspelt option of pods",
    pool({ pods: PodMatch.selector("a=b", untyped({ nameSpace: "web" })) }),
    `pods.nameSpace: "web" ${NO_PROP} use namespace`,
  ],
  [
    "a misspelt key of a taint",
    clusterClass({ electedNodeTaint: { efect: TaintEffect.NO_SCHEDULE } }),
    `electedNodeTaint.efect: "NoSchedule" ${NO_PROP} use effect`,
  ],
  [
    "a misspelt key of a container",
    job(() => RoutedIPJob.container(untyped({ image: "a", argz: ["x"] }))),
    `${UPDATE}.argz: a list ${NO_PROP} use args`,
  ],
  [
    "an unknown key of a container",
    job(() => RoutedIPJob.container(untyped({ image: "a", resources: {} }))),
    `${UPDATE}.resources: an object ${NO_PROP} the props are image, command, args, env, serviceAccountName, mountToken, userId, timeout`,
  ],
  [
    "a misspelt field of a Job",
    job(() =>
      RoutedIPJob.spec({ activeDeadlineSecond: 5, template: { spec: { containers: [{ name: "a", image: "a" }] } } }),
    ),
    `${UPDATE}.activeDeadlineSecond: 5 is given, but there is no such field: use activeDeadlineSeconds`,
  ],
  [
    "a misspelt field of a Job's pod",
    job(() => RoutedIPJob.spec({ template: { spec: { volume: [], containers: [{ name: "a", image: "a" }] } } })),
    `${UPDATE}.template.spec.volume: a list is given, but there is no such field: use volumes`,
  ],
  [
    "a misspelt field of a Job's container",
    job(() => RoutedIPJob.spec({ template: { spec: { containers: [{ name: "a", image: "a", comand: ["x"] }] } } })),
    `${UPDATE}.template.spec.containers[0].comand: a list is given, but there is no such field: use command`,
  ],
  [
    "an unknown prop of an operator",
    operator({ serviceMonitor: true }),
    `serviceMonitor: true ${NO_PROP} the props are name, namespace, createNamespaces, features, watchNamespaces, podNamespaces, issuerNamespaces, jobNamespaces, digitalOcean, cloudflare, image, imagePullSecrets, replicas, serviceAccountName, nodeSelector, tolerations, priorityClassName, cpuRequest, cpuLimit, memoryRequest, memoryLimit, env, extraArgs, debug, dryRun, resync, shutdownTimeout, admissionPolicy, networkPolicy, scrape, alertRules, dashboard, monitoringLabels, cluster`,
  ],
  [
    "a prop of CustomResourceDefinitions",
    (chart) => new FlipopCrds(chart, "bad", untyped({ clusters: "prod" })),
    `clusters: "prod" ${NO_PROP} use cluster`,
  ],
  // Wrong types in nested structs and arguments
  [
    "text for labels",
    pool({ metadata: { labels: "a=b" } }),
    'metadata.labels: "a=b" is not a plain object: write { key: value }',
  ],
  [
    "a number for a label",
    pool({ metadata: { labels: { tier: 1 } } }),
    'metadata.labels.tier: 1 is not a string: write "1"',
  ],
  ["a number for a name", pool({ metadata: { name: 5 } }), 'metadata.name: 5 is not a string: write "5"'],
  [
    "a number for a label of nodes",
    pool({ nodes: NodeMatch.labels(untyped({ rack: 7 })) }),
    'nodes.labels.rack: 7 is not a string: write "7"',
  ],
  [
    "text for a set of values",
    pool({ nodes: NodeMatch.query(LabelQuery.in("zone", untyped("abc"))) }),
    'nodes.values: "abc" is not a list: write ["abc"]',
  ],
  [
    "text for a compared number",
    pool({ nodes: NodeMatch.query(LabelQuery.gt("cpus", untyped("4"))) }),
    'nodes.value: "4" is not a number: write 4',
  ],
  [
    "a list of queries for one query",
    pool({ nodes: NodeMatch.query(untyped([LabelQuery.exists("a")])) }),
    "nodes.queries[0]: a list is not a LabelQuery: write LabelQuery.is(...)",
  ],
  [
    "text for a query",
    pool({ pods: PodMatch.query(untyped(["app=web"])) }),
    'pods.queries[0]: "app=web" is not a LabelQuery: write LabelQuery.is(...)',
  ],
  [
    "a namespace for the options of pods",
    pool({ pods: PodMatch.labels({ app: "web" }, untyped("web")) }),
    'pods: "web" is not an object: write { prop: value }',
  ],
  [
    "a number for the namespace of pods",
    pool({ pods: PodMatch.inNamespace(untyped(7)) }),
    'pods.namespace: 7 is not a string: write "7"',
  ],
  [
    "a number for a pool of nodes",
    pool({ nodes: NodeMatch.doksNodePool(untyped(3)) }),
    'nodes.name: 3 is not a string: write "3"',
  ],
  [
    "a boolean for a toleration's value",
    pool({ tolerations: [Toleration.keyValue("spot", untyped(true))] }),
    'tolerations[0].value: true is not a string: write "true"',
  ],
  [
    "a number for a zone",
    pool({ dnsRecord: DnsRecord.cloudflare("www", untyped(5)) }),
    'dnsRecord.zone: 5 is not a string: write "5"',
  ],
  [
    "a number for a Secret",
    issuer({ credentials: Credentials.fromSecretName(untyped(5)) }),
    'credentials.name: 5 is not a string: write "5"',
  ],
  [
    "a number for a Secret's key",
    operator({ cloudflare: Credentials.fromSecretName("cf", untyped(5)) }),
    'cloudflare.key: 5 is not a string: write "5"',
  ],
  [
    "text for ports",
    clusterClass({ nodePorts: PortRange.of(untyped("30000"), 32767) }),
    'nodePorts.first: "30000" is not a number: write 30000',
  ],
  [
    "text for the key of a taint",
    clusterClass({ electedNodeTaint: "flipop" }),
    'electedNodeTaint: "flipop" is not an object: write { key: ..., value: ... }',
  ],
  [
    "a number for a Job's variable",
    job(() => RoutedIPJob.container(untyped({ image: "a", env: { RETRIES: 3 } }))),
    `${UPDATE}.env.RETRIES: 3 is not a string: write "3"`,
  ],
  [
    "text for a Job's arguments",
    job(() => RoutedIPJob.container(untyped({ image: "a", args: "assign" }))),
    `${UPDATE}.args: "assign" is not a list: write ["assign"]`,
  ],
  [
    "seconds for a Job's timeout",
    job(() => RoutedIPJob.container(untyped({ image: "a", timeout: 30 }))),
    `${UPDATE}.timeout: 30 is not a Duration: write Duration.seconds(30)`,
  ],
  [
    "text for a Job",
    job(() => untyped("registry.example/update:1")),
    `${UPDATE}: "registry.example/update:1" is not a RoutedIPJob: write RoutedIPJob.container(...) or RoutedIPJob.spec(...)`,
  ],
  [
    "a list for a Job's spec",
    job(() => RoutedIPJob.spec(untyped([]))),
    `${UPDATE}.jobSpec: a list is not a plain object: write { key: value }`,
  ],
  [
    "a number for a Service",
    routedIp(() => ({ service: ServiceRef.named(untyped(80)) })),
    'service.name: 80 is not a string: write "80"',
  ],
  // Names of YAML fields
  [
    "match of YAML",
    pool({ match: { podLabel: "app=web" } }),
    `match: an object ${NO_PROP} use pods, nodes, tolerations`,
  ],
  ["podLabel of YAML", pool({ podLabel: "app=web" }), `podLabel: "app=web" ${NO_PROP} use pods`],
  ["nodeLabel of YAML", pool({ nodeLabel: "a=b" }), `nodeLabel: "a=b" ${NO_PROP} use nodes`],
  ["dnsRecordSet of YAML", pool({ dnsRecordSet: {} }), `dnsRecordSet: an object ${NO_PROP} use dnsRecord`],
  ["seconds of YAML", pool({ gracePeriodSeconds: 30 }), `gracePeriodSeconds: 30 ${NO_PROP} use gracePeriod`],
  ["spec of YAML", pool({ spec: {} }), `spec: an object ${NO_PROP} give the fields of the spec as props`],
  ["a name outside of metadata", pool({ name: "web" }), `name: "web" ${NO_PROP} use metadata`],
  [
    "a field of an issuer",
    issuer({ credentialsSecretRef: { name: "do" } }),
    `credentialsSecretRef: an object ${NO_PROP} use credentials`,
  ],
  [
    "fields of a RoutedIP",
    routedIp(() => ({ serviceRef: {}, routedIP: "192.0.2.1" })),
    `serviceRef: an object ${NO_PROP} use service`,
    `routedIP: "192.0.2.1" ${NO_PROP} use address`,
  ],
  // Parts and references of another kind
  [
    "a NodeMatch for pods",
    pool({ pods: NodeMatch.labels({ a: "b" }) }),
    "pods: an object is not a PodMatch: write PodMatch.of(...) or PodMatch.labels(...)",
  ],
  [
    "a PodMatch for nodes",
    pool({ nodes: PodMatch.labels({ a: "b" }) }),
    "nodes: an object is not a NodeMatch: write NodeMatch.labels(...) or NodeMatch.doksNodePool(...)",
  ],
  [
    "a SecretRef for credentials",
    issuer({ credentials: SecretRef.named("do") }),
    "credentials: an object is not Credentials: write Credentials.fromSecretName(...)",
  ],
  [
    "an object with a name for a provider",
    pool({ provider: { name: "digitalocean" } }),
    "provider: an object is not an IpProvider: write IpProvider.DIGITALOCEAN or IpProvider.of(...)",
  ],
  [
    "an object with a text for ports",
    clusterClass({ nodePorts: { text: "1-2" } }),
    "nodePorts: an object is not a PortRange: write PortRange.of(30000, 32767)",
  ],
  [
    "a class for an issuer",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.issuer(
        untyped(ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "c", "c")),
      ),
    })),
    'implementation: construct "test/c" is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
  [
    "an issuer for a class",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.clusterClass(untyped(new RoutedIPIssuer(chart, "i"))),
    })),
    'implementation: construct "test/i" of kind RoutedIPIssuer is not a ClusterRoutedIPClass: give a ClusterRoutedIPClass, or use ClusterRoutedIPClass.fromClusterRoutedIPClassName',
  ],
  [
    "a pool for the issuer of a class",
    (chart) =>
      clusterClass({
        implementation: ClassImplementation.issuer(untyped(new FloatingIPPool(chart, "p", { ips: ["192.0.2.9"] }))),
      })(chart),
    'implementation: construct "test/p" of kind FloatingIPPool is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
  [
    "a Deployment for an issuer",
    routedIp((chart) => ({
      implementation: RoutedIPImplementation.issuer(
        untyped(new kplus.Deployment(chart, "d", { containers: [{ image: "a" }] })),
      ),
    })),
    'implementation: construct "test/d" of kind Deployment is not a RoutedIPIssuer: give a RoutedIPIssuer, or use RoutedIPIssuer.fromRoutedIPIssuerName',
  ],
];

describe("a mistake without a type check", () => {
  it("has at least 40 cases", () => expect(CASES.length).to.be.above(40));

  for (const [title, make, ...says] of CASES) {
    it(`is refused with its path, the value and the fix: ${title}`, () => {
      const chart = newChart();
      make(chart);
      expect(refusals(chart)).to.deep.equal(says.map((line) => `[test/bad] ${line}`));
    });
  }

  it("is not found in a Job's spec with fields of a newer Kubernetes", () => {
    const chart = newChart();
    job(() =>
      RoutedIPJob.spec({
        newPolicy: {},
        template: { spec: { containers: [{ name: "a", image: "a", hibernate: 1 }] } },
      }),
    )(chart);
    expect(refusals(chart)).to.deep.equal([]);
  });
});

describe("references of the wrong kind", () => {
  /** Never called: the compiler checks it. An error that does not occur fails the type check. */
  function wrong(chart: Chart): void {
    const issuerOfApp = new RoutedIPIssuer(chart, "issuer");
    const classOfApp = ClusterRoutedIPClass.fromClusterRoutedIPClassName(chart, "class", "class");
    const object = new ApiObject(chart, "o", { apiVersion: "v1", kind: "Secret" });
    // @ts-expect-error a class is not an issuer
    RoutedIPImplementation.issuer(classOfApp);
    // @ts-expect-error an issuer is not a class
    RoutedIPImplementation.clusterClass(issuerOfApp);
    // @ts-expect-error an ApiObject is not an issuer
    ClassImplementation.issuer(object);
    // @ts-expect-error an object with a name is not a provider
    new FloatingIPPool(chart, "a", { provider: { name: "digitalocean" } });
    // @ts-expect-error an issuer has a name, but is not a provider
    new FloatingIPPool(chart, "b", { provider: issuerOfApp });
    const implementation = ClassImplementation.jobs(JOB, JOB);
    // @ts-expect-error an object with a text is not a range
    new ClusterRoutedIPClass(chart, "c", { implementation, nodePorts: { text: "1-2" } });
    // @ts-expect-error a NodeMatch is not a PodMatch
    new NodeDNSRecordSet(chart, "d", { dnsRecord: DnsRecord.of("a", "b", "c"), pods: NodeMatch.labels({}) });
    // @ts-expect-error a SecretRef is not Credentials
    new RoutedIPIssuer(chart, "e", { credentials: SecretRef.named("a"), provider: IpProvider.DIGITALOCEAN });
  }

  it("do not compile", () => expect(wrong).to.be.a("function"));
});
