import {
  Credentials,
  DnsRecord,
  LabelQuery,
  NodeMatch,
  PodMatch,
  PortRange,
  RoutedIPJob,
  ServiceRef,
  Toleration,
} from "../../../src";
import { untyped } from "../../support/untyped";
import { clusterClass, issuer, job, type Mistake, operator, pool, routedIp, UPDATE } from "./make";

/** Wrong types in nested structs and arguments. */
export const WRONG_TYPES: readonly Mistake[] = [
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
    pool({ nodes: NodeMatch.query([LabelQuery.in("zone", untyped("abc"))]) }),
    'nodes.values: "abc" is not a list: write ["abc"]',
  ],
  [
    "text for a compared number",
    pool({ nodes: NodeMatch.query([LabelQuery.gt("cpus", untyped("4"))]) }),
    'nodes.value: "4" is not a number: write 4',
  ],
  [
    "a list of queries for one query",
    pool({ nodes: NodeMatch.query([untyped([LabelQuery.exists("a")])]) }),
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
    routedIp(() => ({ service: ServiceRef.fromServiceName(untyped(80)) })),
    'service.name: 80 is not a string: write "80"',
  ],
];
