import { Duration } from "cdk8s";
import { FlipopOperator, OperatorFeature } from "../../../src";
import { type Make, many, type PropClaim } from "./claim";

const operator =
  (props: object): Make =>
  (chart) =>
    new FlipopOperator(chart, "it", props);
const limits = (tenantLimits: object): Make => operator({ tenantLimits });
const namespaceLimits = (entry: object): Make => limits({ namespaces: [{ names: ["team-*"], ...entry }] });

/** So many different patterns, of about 200 characters each. */
const manyNames = (entries: number): object[] =>
  Array.from({ length: entries }, (_, entry) => ({
    names: [`team-${entry}`],
    allowedNames: [`${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${entry}.example.com`],
  }));

/** Of the operator and its limits of tenants. */
export const OPERATOR_CLAIMS: readonly PropClaim[] = [
  [
    "FlipopOperatorProps.tenantLimits",
    "at most 100000 bytes as JSON",
    [limits({ namespaces: manyNames(256) })],
    [
      limits({
        namespaces: manyNames(256).map((entry, index) => ({
          ...entry,
          allowedZones: [`${"d".repeat(200)}-${index}.example.com`],
        })),
      }),
    ],
  ],
  [
    "FlipopOperatorProps.features",
    "at least one",
    [operator({ features: [OperatorFeature.DNS] })],
    [operator({ features: [] })],
  ],
  [
    "FlipopOperatorProps.extraArgs",
    "Flags that have a prop are refused",
    [operator({ extraArgs: ["--log-format=json"] })],
    [operator({ extraArgs: ["--debug=true"] })],
  ],
  [
    "FlipopOperatorProps.issuerNamespaces",
    "Allowed only with feature routedip",
    [operator({ issuerNamespaces: ["a"] })],
    [operator({ issuerNamespaces: ["a"], features: [OperatorFeature.POOLS] })],
  ],
  [
    "FlipopOperatorProps.jobNamespaces",
    "The operator's own namespace is refused",
    [operator({ features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS], jobNamespaces: ["jobs"] })],
    [
      operator({ features: [OperatorFeature.ROUTED_IP, OperatorFeature.JOBS], jobNamespaces: ["flipop"] }),
      operator({ jobNamespaces: ["jobs"] }),
    ],
  ],
  [
    "FlipopOperatorProps.monitoringLabels",
    "Refused if none of the three is created",
    [operator({ monitoringLabels: { a: "b" }, dashboard: true })],
    [operator({ monitoringLabels: { a: "b" } })],
  ],
  [
    "FlipopOperatorProps.name",
    "at most 55 characters that begins with a letter",
    [operator({ name: "a".repeat(55) })],
    [operator({ name: "a".repeat(56) }), operator({ name: "1a" })],
  ],
  [
    "FlipopOperatorProps.podNamespaces",
    "an empty list is refused",
    [operator({ podNamespaces: ["a"] })],
    [operator({ podNamespaces: [] })],
  ],
  [
    "FlipopOperatorProps.watchNamespaces",
    "an empty list is refused",
    [operator({ watchNamespaces: ["a"] })],
    [operator({ watchNamespaces: [] })],
  ],
  [
    "TenantLimits.maxCreatedAddresses",
    "0 to 10000",
    [limits({ maxCreatedAddresses: 0 }), limits({ maxCreatedAddresses: 10_000 })],
    [limits({ maxCreatedAddresses: -1 }), limits({ maxCreatedAddresses: 10_001 })],
  ],
  [
    "TenantLimits.namespaces",
    "256 entries at most",
    [limits({ namespaces: many(256, (i) => ({ names: [`n-${i}`] })) })],
    [limits({ namespaces: many(257, (i) => ({ names: [`n-${i}`] })) })],
  ],
  [
    "NamespaceLimits.maxCreatedAddresses",
    "0 to 10000",
    [namespaceLimits({ maxCreatedAddresses: 0 }), namespaceLimits({ maxCreatedAddresses: 10_000 })],
    [namespaceLimits({ maxCreatedAddresses: -1 }), namespaceLimits({ maxCreatedAddresses: 10_001 })],
  ],
  ["FlipopOperatorProps.replicas", "0 or more", [operator({ replicas: 0 })], [operator({ replicas: -1 })]],
  [
    "FlipopOperatorProps.resync",
    "more than 0",
    [operator({ resync: Duration.seconds(1) })],
    [operator({ resync: Duration.seconds(0) })],
  ],
  [
    "FlipopOperatorProps.shutdownTimeout",
    "in whole seconds",
    [operator({ shutdownTimeout: Duration.seconds(5) })],
    [operator({ shutdownTimeout: Duration.millis(1500) })],
  ],
  [
    "FlipopOperatorProps.createNamespaces",
    "`default` and `kube-*` are refused unless this is false",
    [operator({ namespace: "default", createNamespaces: false })],
    [operator({ namespace: "default" })],
  ],
  [
    "FlipopOperatorProps.env",
    "Tokens are refused",
    [operator({ env: { HTTPS_PROXY: "http://egress.example:8080" } })],
    [operator({ env: { DIGITALOCEAN_ACCESS_TOKEN: "a" } }), operator({ env: { A: `dop_v1_${"0a".repeat(32)}` } })],
  ],
];
