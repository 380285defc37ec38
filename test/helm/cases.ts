import { Duration } from "cdk8s";
import {
  Credentials,
  type FlipopOperatorProps,
  MetricsScrape,
  OperatorFeature,
  TaintEffect,
  Toleration,
} from "cdk8s-flipop";

const { POOLS, DNS, ROUTED_IP, JOBS, HEALTH_CHECKS } = OperatorFeature;

/** Props of the construct and the equivalent values of the chart. */
export interface Case {
  readonly title: string;
  readonly props: FlipopOperatorProps;
  readonly values: Readonly<Record<string, unknown>>;
  /** Helm's namespace. */
  readonly namespace?: string;
}

const LIMITS = {
  maxCreatedAddresses: 20,
  namespaces: [
    { names: ["ingress"] },
    {
      names: ["team-*"],
      allowedNames: ["*.{namespace}.example.com"],
      allowedAddresses: ["Created", "2001:db8::/64"],
      allowedZones: ["example.com"],
      maxCreatedAddresses: 3,
    },
  ],
};

/** A term of each kind, which replaces the default. */
const AFFINITY = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "flipop" } } },
    ],
  },
  nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] },
};

export const CASES: readonly Case[] = [
  { title: "without any value", props: {}, values: {} },
  {
    title: "with as little as possible",
    props: {
      name: "small",
      namespace: "edge",
      createNamespaces: false,
      features: [DNS],
      replicas: 1,
      serviceAccountName: "robot",
      admissionPolicy: false,
    },
    namespace: "edge",
    values: {
      fullnameOverride: "small",
      createNamespaces: false,
      features: ["dns"],
      replicas: 1,
      serviceAccount: { create: false, name: "robot" },
      admissionPolicy: false,
    },
  },
  {
    title: "with everything",
    props: {
      name: "full",
      features: [POOLS, DNS, ROUTED_IP, JOBS],
      watchNamespaces: ["team-a", "team-b"],
      podNamespaces: ["team-a", "web"],
      issuerNamespaces: ["team-b"],
      jobNamespaces: ["work", "play"],
      digitalOcean: Credentials.fromSecretName("do", "token"),
      cloudflare: Credentials.fromSecretName("cf", "token"),
      image: "registry.example.com:5000/flipop:1",
      imagePullSecrets: ["pull", "pull-2"],
      replicas: 3,
      nodeSelector: { pool: "infra", "example.com/zone": "1" },
      tolerations: [Toleration.keyValue("pool", "infra", TaintEffect.NO_SCHEDULE), Toleration.all()],
      priorityClassName: "high",
      podAnnotations: { "example.com/team": "edge" },
      affinity: AFFINITY,
      tokenFiles: true,
      cpuRequest: "0.1",
      cpuLimit: "1",
      memoryRequest: "256Mi",
      memoryLimit: "1Gi",
      env: { HTTPS_PROXY: "http://egress.example:8080", NO_PROXY: '"quoted", {{ braces }}' },
      extraArgs: ["--log-format=json", "--leader-elect-lease-duration=30"],
      debug: true,
      dryRun: true,
      resync: Duration.minutes(5),
      shutdownTimeout: Duration.seconds(45),
      networkPolicy: true,
      scrape: MetricsScrape.SERVICE_MONITOR,
      alertRules: true,
      dashboard: true,
      monitoringLabels: { release: "prometheus" },
      tenantLimits: LIMITS,
    },
    values: {
      fullnameOverride: "full",
      features: ["pools", "dns", "routedip", "jobs"],
      watchNamespaces: ["team-a", "team-b"],
      podNamespaces: ["team-a", "web"],
      issuerNamespaces: ["team-b"],
      jobNamespaces: ["work", "play"],
      digitalOcean: { secretName: "do", key: "token" },
      cloudflare: { secretName: "cf", key: "token" },
      image: { repository: "registry.example.com:5000/flipop", tag: "1" },
      imagePullSecrets: [{ name: "pull" }, { name: "pull-2" }],
      replicas: 3,
      nodeSelector: { pool: "infra", "example.com/zone": "1" },
      tolerations: [{ key: "pool", operator: "Equal", value: "infra", effect: "NoSchedule" }, { operator: "Exists" }],
      priorityClassName: "high",
      podAnnotations: { "example.com/team": "edge" },
      affinity: AFFINITY,
      tokenFiles: true,
      resources: { requests: { cpu: "0.1", memory: "256Mi" }, limits: { memory: "1Gi", cpu: "1" } },
      extraEnv: [
        { name: "HTTPS_PROXY", value: "http://egress.example:8080" },
        { name: "NO_PROXY", value: '"quoted", {{ braces }}' },
      ],
      extraArgs: ["--log-format=json", "--leader-elect-lease-duration=30"],
      debug: true,
      dryRun: true,
      resync: 300,
      shutdownTimeout: 45,
      networkPolicy: true,
      scrape: "ServiceMonitor",
      alertRules: true,
      dashboard: true,
      monitoringLabels: { release: "prometheus" },
      tenantLimits: LIMITS,
    },
  },
  {
    title: "with health checks, fast failover and a NetworkPolicy",
    props: { features: [POOLS, HEALTH_CHECKS], fastFailover: true, networkPolicy: true },
    values: { features: ["pools", "healthchecks"], fastFailover: true, networkPolicy: true },
  },
  {
    title: "with a NetworkPolicy, a proxy, APIs and an API server at ports of their own",
    props: {
      networkPolicy: true,
      networkPolicyPorts: [8443, 6443],
      env: {
        HTTPS_PROXY: "http://user:1234@proxy.example:3128/",
        http_proxy: "proxy.example",
        DIGITALOCEAN_API_URL: "https://[2001:db8::1]:9443/api?x=:1",
        CLOUDFLARE_API_URL: "http://cf.example",
        KUBERNETES_SERVICE_PORT: "16443",
        NO_PROXY: "a.example:1",
      },
    },
    values: {
      networkPolicy: true,
      networkPolicyPorts: [8443, 6443],
      extraEnv: [
        { name: "HTTPS_PROXY", value: "http://user:1234@proxy.example:3128/" },
        { name: "http_proxy", value: "proxy.example" },
        { name: "DIGITALOCEAN_API_URL", value: "https://[2001:db8::1]:9443/api?x=:1" },
        { name: "CLOUDFLARE_API_URL", value: "http://cf.example" },
        { name: "KUBERNETES_SERVICE_PORT", value: "16443" },
        { name: "NO_PROXY", value: "a.example:1" },
      ],
    },
  },
  {
    title: "with a NetworkPolicy, and an API server at what is no port",
    props: { networkPolicy: true, env: { KUBERNETES_SERVICE_PORT: "65536" } },
    values: { networkPolicy: true, extraEnv: [{ name: "KUBERNETES_SERVICE_PORT", value: "65536" }] },
  },
  {
    title: "with a NetworkPolicy, and URLs whose ports only Kubernetes knows",
    props: {
      networkPolicy: true,
      networkPolicyPorts: [9443],
      env: {
        HTTPS_PROXY: "http://$(HOST):$(PORT)",
        HTTP_PROXY: "http://$(HOST):3128",
        KUBERNETES_SERVICE_PORT: "$(PORT)",
      },
    },
    values: {
      networkPolicy: true,
      networkPolicyPorts: [9443],
      extraEnv: [
        { name: "HTTPS_PROXY", value: "http://$(HOST):$(PORT)" },
        { name: "HTTP_PROXY", value: "http://$(HOST):3128" },
        { name: "KUBERNETES_SERVICE_PORT", value: "$(PORT)" },
      ],
    },
  },
  {
    title: "with a NetworkPolicy and ports of DNS of their own",
    props: { networkPolicy: true, networkPolicyDnsPorts: [443, 5353, 5353], networkPolicyPorts: [53, 5353] },
    values: { networkPolicy: true, networkPolicyDnsPorts: [443, 5353, 5353], networkPolicyPorts: [53, 5353] },
  },
  {
    title: "with a maximum for all namespaces, which needs no policy",
    props: { tenantLimits: { maxCreatedAddresses: 3 } },
    values: { tenantLimits: { maxCreatedAddresses: 3 } },
  },
  {
    title: "with the limits of an earlier release removed, as --set tenantLimits=null does",
    props: {},
    values: { tenantLimits: null },
  },
  {
    title: "with token files in Secrets of their own, and the default affinity",
    props: { tokenFiles: true, digitalOcean: Credentials.fromSecretName("do", "token") },
    values: { tokenFiles: true, digitalOcean: { secretName: "do", key: "token" } },
  },
  {
    title: "with watched namespaces, and issuers in its own",
    props: { features: [ROUTED_IP], watchNamespaces: ["team-a", "team-b"] },
    values: { features: ["routedip"], watchNamespaces: ["team-a", "team-b"] },
  },
  {
    title: "with watched namespaces, and no admission policy",
    props: { watchNamespaces: ["team-a"], admissionPolicy: false },
    values: { watchNamespaces: ["team-a"], admissionPolicy: false },
  },
  {
    title: "with a PodMonitor, a long name, a namespace that looks like a number, and RoutedIPs with Jobs",
    props: {
      name: "n".repeat(45),
      namespace: "007",
      features: [ROUTED_IP, JOBS],
      podNamespaces: ["web"],
      scrape: MetricsScrape.POD_MONITOR,
      dashboard: true,
    },
    namespace: "007",
    values: {
      fullnameOverride: "n".repeat(45),
      features: ["routedip", "jobs"],
      podNamespaces: ["web"],
      scrape: "PodMonitor",
      dashboard: true,
    },
  },
  {
    title: "with long times, and a feature that is listed twice",
    props: { features: [POOLS, DNS, DNS], resync: Duration.days(30), shutdownTimeout: Duration.days(30) },
    values: { features: ["pools", "dns", "dns"], resync: 2_592_000, shutdownTimeout: 2_592_000 },
  },
];
