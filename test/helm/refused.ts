const TOKEN = `dop_v1_${"0a".repeat(32)}`;

/** About 900 bytes for each namespace. */
function limitsOf(namespaces: number) {
  return {
    namespaces: Array.from({ length: namespaces }, (_, index) => ({
      names: [`team-${index}`],
      allowedNames: Array.from({ length: 30 }, (_, name) => `host-${name}.team-${index}.example.com`),
    })),
  };
}

/** What a template refuses, in the words of the construct. */
export const PROBLEMS: Readonly<Record<string, readonly [values: object, message: string]>> = {
  "namespaces of issuers without their feature": [
    { features: ["dns"], issuerNamespaces: ["a"] },
    "issuerNamespaces: has no effect without feature routedip: add it to features, or remove the value",
  ],
  "namespaces of Jobs without their feature": [
    { features: ["dns"], jobNamespaces: ["b"] },
    "jobNamespaces: has no effect without feature jobs: add it to features, or remove the value",
  ],
  "Jobs without RoutedIPs": [{ features: ["dns", "jobs"] }, "features: jobs has no effect without routedip"],
  "ports of a NetworkPolicy that is off": [
    { networkPolicyPorts: [8443], networkPolicyDnsPorts: [5353] },
    "networkPolicyPorts: has no effect without networkPolicy: set networkPolicy to true, or remove the value\nnetworkPolicyDnsPorts: has no effect",
  ],
  "labels of monitoring without an object that gets them": [
    { monitoringLabels: { release: "x" } },
    "monitoringLabels: has no effect without scrape, alertRules or dashboard: add one of them, or remove the value",
  ],
  "Jobs in the operator's own namespace": [
    { features: ["routedip", "jobs"], jobNamespaces: ["work", "default"], createNamespaces: false },
    'jobNamespaces: "default" is the operator\'s own namespace, which contains its credentials: run Jobs in another one',
  ],
  "creating a namespace of Kubernetes for Jobs": [
    { features: ["routedip", "jobs"], jobNamespaces: ["work", "kube-system"] },
    'jobNamespaces[1]: "kube-system" belongs to Kubernetes, and this chart would create it with Pod Security labels',
  ],
  "limits of tenants that are too long": [
    { tenantLimits: limitsOf(128) },
    "but the API server accepts at most 100000: give namespaces with the same limits one entry",
  ],
  "limits of tenants that are too long for a flag": [
    { tenantLimits: limitsOf(200), admissionPolicy: false },
    "but Linux accepts for a flag at most 131055: give namespaces with the same limits one entry",
  ],
  "a range of addresses with too long a prefix": [
    { tenantLimits: { namespaces: [{ names: ["a"], allowedAddresses: ["Created", "10.0.0.0/33"] }] } },
    'tenantLimits.namespaces[0].allowedAddresses[1]: "10.0.0.0/33" is neither Created nor an address range: give a range in CIDR',
  ],
  "a range without an address": [
    { tenantLimits: { namespaces: [{ names: ["a"] }, { names: ["b"], allowedAddresses: ["999.1.1.1/8"] }] } },
    'tenantLimits.namespaces[1].allowedAddresses[0]: "999.1.1.1/8" is neither Created nor an address range',
  ],
  "a pattern of names with another placeholder": [
    { tenantLimits: { namespaces: [{ names: ["a"], allowedNames: ["*.{ns}.example.com"] }] } },
    'tenantLimits.namespaces[0].allowedNames[0]: "*.{ns}.example.com" is not a pattern of DNS names: give a full name in lower case',
  ],
  "a pattern of names with a final dot": [
    { tenantLimits: { namespaces: [{ names: ["a"], allowedNames: ["www.example.com."] }] } },
    'tenantLimits.namespaces[0].allowedNames[0]: "www.example.com." is not a pattern of DNS names',
  ],
  "limits of a namespace that an earlier pattern covers": [
    { tenantLimits: { namespaces: [{ names: ["b", "team-*"] }, { names: ["a", "team-*-x"] }] } },
    'tenantLimits.namespaces[1].names[1]: "team-*-x" never applies: namespaces[0] names it, too, and the first entry counts: move this entry before that one, or remove the name',
  ],
  "an existing ServiceAccount without a name": [
    { serviceAccount: { create: false } },
    'serviceAccount.name: is empty, so that "default" would get the permissions',
  ],
  "a request of CPU above its limit": [
    { resources: { requests: { cpu: "1" }, limits: { cpu: "900m" } } },
    'resources.requests.cpu: "1" exceeds the limit "900m": lower it, or raise resources.limits.cpu',
  ],
  "no memory": [{ resources: { limits: { memory: 0 } } }, 'resources.requests.memory: "128Mi" exceeds the limit "0"'],
  "a limit below the default request": [
    { resources: { limits: { memory: "100M" } } },
    'resources.requests.memory: "128Mi" exceeds the limit "100M"',
  ],
  "the key of an annotation with a space": [
    { podAnnotations: { "a b": "x" } },
    'podAnnotations: "a b" is not an annotation key: write [prefix/]name',
  ],
  "the key of a label that is none": [
    { podLabels: { "a//b": "x" } },
    'podLabels: "a//b" is not a label key: write [prefix/]name',
  ],
  "the label of a selector on the pods": [
    { podLabels: { "app.kubernetes.io/instance": "x" } },
    'podLabels: only the chart sets labels of app.kubernetes.io: remove "app.kubernetes.io/instance"',
  ],
  "a label that is always there": [
    { monitoringLabels: { "app.kubernetes.io/name": "x" }, dashboard: true },
    'monitoringLabels: only the chart sets labels of app.kubernetes.io: remove "app.kubernetes.io/name"',
  ],
  "nodes with another system": [
    { nodeSelector: { "kubernetes.io/os": "windows" } },
    'because the image is for Linux: remove "kubernetes.io/os: windows"',
  ],
  "a token in its own variable": [
    { extraEnv: [{ name: "DIGITALOCEAN_ACCESS_TOKEN", value: "x" }] },
    "extraEnv[0]: DIGITALOCEAN_ACCESS_TOKEN: the values must not contain a token: put it into the Secret of value digitalOcean",
  ],
  "a token in another variable": [
    { extraEnv: [{ name: "MY_TOKEN", value: TOKEN }] },
    "extraEnv: contains what looks like an API token (not shown here): put it into a Secret, and name that in digitalOcean or cloudflare",
  ],
  "a token as a key": [
    { podLabels: { [TOKEN]: "x" } },
    "podLabels: contains what looks like an API token (not shown here)",
  ],
  "a token in a label": [
    { podAnnotations: { a: `Bearer ${"aB3_".repeat(10)}.` } },
    "podAnnotations: contains what looks",
  ],
  "a variable that the operator does not know": [
    {
      extraEnv: [
        { name: "A", value: "b" },
        { name: "FLIPOP_NOPE", value: "x" },
      ],
    },
    "extraEnv[1]: FLIPOP_NOPE is not a variable of the operator: correct its name, or remove it",
  ],
  "a variable that the chart sets": [
    { extraEnv: [{ name: "FLIPOP_RESYNC", value: "6" }] },
    "extraEnv[0]: FLIPOP_RESYNC: the chart sets this variable: use value resync",
  ],
  "a variable with a value of another type": [
    { extraEnv: [{ name: "FLIPOP_DRIFT_INTERVAL", value: "often" }] },
    'extraEnv[0]: FLIPOP_DRIFT_INTERVAL: "often" is not a valid value of drift-interval: give a number of seconds above 0, such as ',
  ],
  "an API at what is no URL": [
    { extraEnv: [{ name: "DIGITALOCEAN_API_URL", value: "notaurl" }] },
    "extraEnv[0]: the value of DIGITALOCEAN_API_URL is not an http or https URL",
  ],
  "a proxy of another protocol": [
    { extraEnv: [{ name: "https_proxy", value: "socks5://a:b@c.example" }] },
    "extraEnv[0]: the value of https_proxy is not an http or https URL",
  ],
  "two pods without leader election": [
    { extraArgs: ["--leader-elect=false"] },
    "replicas: 2 pods would all act at once without leader election",
  ],
  "three pods without leader election by a variable": [
    { replicas: 3, extraEnv: [{ name: "FLIPOP_LEADER_ELECT", value: "F" }] },
    "replicas: 3 pods would all act at once without leader election",
  ],
  "a flag that has a value of its own": [
    { extraArgs: ["--debug", "--metrics-bind-addr=:1"] },
    'extraArgs[0]: "--debug" is set by the chart: use value debug\nextraArgs[1]: "--metrics-bind-addr" is set by the chart: use the default: ',
  ],
  "an unknown flag": [
    { extraArgs: ["--drift=60"] },
    'extraArgs[0]: "--drift" is not a flag of the operator: the flags without a value of their own are --kubeconfig, ',
  ],
  "what is no flag": [
    { extraArgs: ["drift-interval", "60"] },
    'extraArgs[0]: "drift-interval" is not a flag: write each as "--flag=value"\nextraArgs[1]: "60" is not a flag',
  ],
  "a flag without a value": [
    { extraArgs: ["--drift-interval"] },
    'extraArgs[0]: "--drift-interval" has no value: write it as --drift-interval=value',
  ],
  "a flag with a value of another type": [
    { extraArgs: ["--drift-interval=0"] },
    'extraArgs[0]: "0" is not a valid value of drift-interval: give a number of seconds above 0, such as ',
  ],
  "a flag with a value that is no choice": [
    { extraArgs: ["--log-format=xml"] },
    'extraArgs[0]: "xml" is not a valid value of log-format: use ',
  ],
  "a flag that is listed twice": [
    { extraArgs: ["--log-format=json", "--leader-elect", "--leader-elect=true"] },
    "extraArgs[2]: --leader-elect is listed twice: remove one",
  ],
  "a Lease shorter than its renewal": [
    { extraArgs: ["--leader-elect-lease-duration=5"] },
    "extraArgs: --leader-elect-lease-duration 5, --leader-elect-renew-deadline 10 and --leader-elect-retry-period 2: each must be greater than the next",
  ],
  "a drift interval that the limits do not allow": [
    { extraEnv: [{ name: "FLIPOP_DRIFT_INTERVAL", value: "6s" }] },
    "extraArgs: --drift-interval 6s: each record set is read that often, which the provider's limits do not allow: use at least 30",
  ],
};

/** Values that the schema must reject, and a part of Helm's message. */
export const REFUSED: Readonly<Record<string, readonly [values: object, message: string]>> = {
  "a misspelt value": [{ replica: 2 }, "additional properties 'replica' not allowed"],
  "replicas in words": [{ replicas: "two" }, "/replicas"],
  "an unknown feature": [{ features: ["pool"] }, "/features/0"],
  "no feature": [{ features: [] }, "/features"],
  "features that were removed": [{ features: null }, "missing property 'features'"],
  "a name with capitals": [{ fullnameOverride: "Flipop" }, "/fullnameOverride"],
  "an image with its tag in the repository": [{ image: { repository: "a.example/b:1" } }, "/image/repository"],
  "an unknown pull policy": [{ image: { pullPolicy: "Sometimes" } }, "/image/pullPolicy"],
  "a misspelt kind of resources": [{ resources: { limit: {} } }, "'limit'"],
  "a port that is none": [{ networkPolicyPorts: [65_536] }, "/networkPolicyPorts/0"],
  "a port of DNS that is none": [{ networkPolicyDnsPorts: [0] }, "/networkPolicyDnsPorts/0"],
  "a port of DNS in quotes": [{ networkPolicyDnsPorts: ["53"] }, "/networkPolicyDnsPorts/0"],
  "no port of DNS": [{ networkPolicyDnsPorts: [] }, "/networkPolicyDnsPorts"],
  "a misspelt affinity": [{ affinity: { nodeAfinity: {} } }, "'nodeAfinity'"],
  "token files in words": [{ tokenFiles: "yes" }, "/tokenFiles"],
  "a quantity in words": [{ resources: { limits: { memory: "much" } } }, "/resources/limits/memory"],
  "credentials without a key": [{ digitalOcean: { key: null } }, "/digitalOcean"],
  "a scrape object of another kind": [{ scrape: "Probe" }, "/scrape"],
  "an unknown field of a toleration": [{ tolerations: [{ foo: "x" }] }, "/tolerations/0"],
  "an unknown source of a variable": [{ extraEnv: [{ name: "A", valueFrom: { foo: {} } }] }, "/extraEnv/0/valueFrom"],
  "a label that ends with a dash": [{ podLabels: { a: "b-" } }, "/podLabels/a"],
};

/** Values that look like refused ones. */
export const ACCEPTED: Readonly<Record<string, object>> = {
  "limits of tenants that only the API server would find too long": {
    tenantLimits: limitsOf(128),
    ...{ admissionPolicy: false, networkPolicy: true, dashboard: true },
  },
  "limits of tenants in every form": {
    tenantLimits: {
      namespaces: [
        { names: ["team-a", "team-b-*"] },
        {
          ...{ names: ["team-*"], allowedZones: ["example.com"], allowedNames: ["*.{namespace}.example.com", "_a.b"] },
          allowedAddresses: [
            "Created",
            "203.0.113.0/24",
            "0.0.0.0/0",
            "2001:db8::/32",
            "::1/128",
            "1:2:3:4:5:6:7:8/64",
          ],
        },
      ],
    },
  },
  "a pod alone without leader election": { replicas: 1, extraArgs: ["--leader-elect=false"] },
  "no leader election in a dry run": { dryRun: true, extraArgs: ["--leader-elect=false"] },
  "leader election by a flag against a variable": {
    extraArgs: ["--leader-elect"],
    extraEnv: [{ name: "FLIPOP_LEADER_ELECT", value: "false" }],
  },
  "a short Lease with the times that fit it, as fast failover sets them": {
    fastFailover: true,
    extraArgs: ["--leader-elect-lease-duration=4s"],
    extraEnv: [{ name: "FLIPOP_LEADER_ELECT_LEASE_DURATION", value: "1" }],
  },
  "quantities in other units": {
    resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: 0.5, memory: "1024Mi" } },
  },
  "ordinary values that resemble tokens": {
    extraEnv: [
      { name: "COMMIT", value: "0123456789abcdef0123456789abcdef01234567" },
      { name: "PATH_LIKE", value: "/usr/local/bin:/usr/bin" },
    ],
    image: { digest: `sha256:${"0a".repeat(32)}` },
  },
  "a proxy without a scheme, and an empty URL": {
    extraEnv: [
      { name: "HTTPS_PROXY", value: "proxy.example:3128" },
      { name: "CLOUDFLARE_API_URL", value: "" },
    ],
  },
};
