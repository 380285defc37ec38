import { Duration } from "cdk8s";
import { Credentials, type FlipopOperatorProps, OperatorFeature, Toleration } from "../../src";

const { POOLS, ROUTED_IP, JOBS } = OperatorFeature;
const LABEL_FIX =
  'is not a DNS label: use at most 63 lower-case letters, digits and "-", with a letter or digit at each end, such as "flipop"';
const IMAGE_FIX = "is not an image: write it as registry/name:tag, or remove the prop";
const NAME_FIX =
  'is not the name of an object: use lower-case letters, digits, "-" and ".", with a letter or digit at each end, such as "flipop"';
const USE_SECRET =
  "the value looks like an API token (not shown here): put it into a Secret and use digitalOcean or cloudflare with Credentials.fromSecretName(...)";
// Assembled here, so that nothing in the repo looks like a token.
export const DIGITALOCEAN_TOKEN = `dop_v1_${"0a".repeat(32)}`;
export const CLOUDFLARE_TOKEN = `${"aB3".repeat(13)}x`;

/** Wrong props, and the message of each without the construct path. */
export const CASES: readonly (readonly [title: string, props: FlipopOperatorProps, message: string])[] = [
  ["a name with capitals", { name: "Flipop" }, `name: "Flipop" ${LABEL_FIX}`],
  [
    "a name that leaves no room for others made from it",
    { name: "n".repeat(56) },
    "name: has 56 characters: use at most 55, because other names contain it",
  ],
  [
    "a name that no Service can have",
    { name: "2nd" },
    'name: "2nd" begins with a digit, but the name of a Service must begin with a letter: put a letter first',
  ],
  ["an empty namespace", { namespace: "" }, "namespace: is empty: give a value"],
  ["a namespace with a dot", { watchNamespaces: ["a", "b.c"] }, `watchNamespaces[1]: "b.c" ${LABEL_FIX}`],
  [
    "an empty list of namespaces, which the operator would read as all",
    { watchNamespaces: [] },
    "watchNamespaces: is empty: name a namespace, or remove the prop to use the default",
  ],
  [
    "a namespace that is listed twice",
    { podNamespaces: ["a", "a"] },
    'podNamespaces[1]: "a" is listed twice: remove one',
  ],
  [
    "a feature that needs another one",
    { features: [OperatorFeature.JOBS] },
    "features: jobs has no effect without routedip: add it, or remove jobs",
  ],
  [
    "no feature at all",
    { features: [] },
    "features: is empty, so the operator would do nothing: name a feature, or remove the prop",
  ],
  [
    "an unknown feature",
    { features: ["pool" as OperatorFeature, POOLS] },
    'features[0]: "pool" is not a feature: use pools, dns, routedip, jobs, healthchecks, externaldns, publish',
  ],
  [
    "issuerNamespaces without routedip",
    { features: [POOLS], issuerNamespaces: ["a"] },
    "issuerNamespaces: has no effect without feature routedip: add OperatorFeature.ROUTED_IP, or remove the prop",
  ],
  [
    "jobNamespaces without jobs",
    { jobNamespaces: ["work"] },
    "jobNamespaces: has no effect without feature jobs: add OperatorFeature.JOBS, or remove the prop",
  ],
  [
    "Jobs in the operator's own namespace",
    { namespace: "edge", features: [ROUTED_IP, JOBS], jobNamespaces: ["edge"] },
    'jobNamespaces: "edge" is the operator\'s own namespace, which contains its credentials: run Jobs in another one',
  ],
  [
    "a part of a pod",
    { replicas: 1.5 },
    "replicas: 1.5 is not a valid number of pods: use 2, or another whole number from 0",
  ],
  [
    "fewer than no pods",
    { replicas: -1 },
    "replicas: -1 is not a valid number of pods: use 2, or another whole number from 0",
  ],
  ["an image with two tags", { image: "own:1:2" }, `image: "own:1:2" ${IMAGE_FIX}`],
  ["an image with capitals", { image: "Own:1" }, `image: "Own:1" ${IMAGE_FIX}`],
  ["an empty image", { image: "" }, `image: "" ${IMAGE_FIX}`],
  [
    "the name of a Secret with an underscore",
    { imagePullSecrets: ["pull_me"] },
    `imagePullSecrets[0]: "pull_me" ${NAME_FIX}`,
  ],
  ["an empty serviceAccountName", { serviceAccountName: "" }, "serviceAccountName: is empty: give a value"],
  ["a priorityClassName with capitals", { priorityClassName: "High" }, `priorityClassName: "High" ${NAME_FIX}`],
  ["CPU in words", { cpuRequest: "half" }, 'cpuRequest: "half" is not a quantity: write it as "50m" or "0.5"'],
  ["no CPU", { cpuLimit: "0" }, 'cpuLimit: "0" is not a quantity: write it as "50m" or "0.5"'],
  [
    "memory with a unit that there is not",
    { memoryLimit: "1GB" },
    'memoryLimit: "1GB" is not a quantity: write it as "128Mi" or "1Gi"',
  ],
  [
    "negative memory",
    { memoryRequest: "-1Mi" },
    'memoryRequest: "-1Mi" is not a quantity: write it as "128Mi" or "1Gi"',
  ],
  [
    "more memory than the limit",
    { memoryRequest: "1Gi", memoryLimit: "512Mi" },
    'memoryRequest: "1Gi" exceeds memoryLimit "512Mi": lower it, or raise the limit',
  ],
  [
    "more memory than the default limit",
    { memoryRequest: "600M" },
    'memoryRequest: "600M" exceeds memoryLimit "512Mi": lower it, or raise the limit',
  ],
  [
    "more CPU than the limit",
    { cpuRequest: "0.5", cpuLimit: "400m" },
    'cpuRequest: "0.5" exceeds cpuLimit "400m": lower it, or raise the limit',
  ],
  [
    "two pods without leader election",
    { extraArgs: ["--leader-elect=false"] },
    "replicas: 2 pods would all act at once with --leader-elect=false: remove it, or set replicas to 1",
  ],
  [
    "a Lease that ends before its renewal",
    { extraArgs: ["--log-format=json", "--leader-elect-lease-duration=5"] },
    "extraArgs[1]: --leader-elect-lease-duration 5, --leader-elect-renew-deadline 10 and --leader-elect-retry-period 2: each must be greater than the next",
  ],
  [
    "a renewal that does not fit the Lease of fast failover",
    { fastFailover: true, extraArgs: ["--leader-elect-renew-deadline=6s"] },
    "extraArgs[0]: --leader-elect-lease-duration 5, --leader-elect-renew-deadline 6 and --leader-elect-retry-period 1: each must be greater than the next",
  ],
  [
    "a drift interval that the provider's limits do not allow",
    { extraArgs: ["--drift-interval=6"] },
    "extraArgs[0]: --drift-interval 6: each record set is read that often, which the provider's limits do not allow: use at least 30",
  ],
  [
    "the same by a variable",
    { env: { FLIPOP_DRIFT_INTERVAL: "6" } },
    "env.FLIPOP_DRIFT_INTERVAL: --drift-interval 6: each record set is read that often, which the provider's limits do not allow: use at least 30",
  ],
  [
    "an API at what is no URL",
    { env: { DIGITALOCEAN_API_URL: "notaurl" } },
    'env.DIGITALOCEAN_API_URL: "notaurl" is not an http or https URL: correct it, as in https://example.com, or unset it',
  ],
  [
    "a proxy of another protocol, without showing its password",
    { env: { https_proxy: "socks5://user:secret@proxy.example" } },
    'env.https_proxy: "socks5://***@proxy.example" is not an http or https URL: correct it, as in https://example.com, or unset it',
  ],
  [
    "pods without leader election by a variable",
    { replicas: 3, env: { FLIPOP_LEADER_ELECT: "0" } },
    "replicas: 3 pods would all act at once with FLIPOP_LEADER_ELECT=0: remove it, or set replicas to 1",
  ],
  [
    "a token from a Secret and from a file",
    { digitalOcean: Credentials.fromSecretName("do"), env: { DIGITALOCEAN_ACCESS_TOKEN_FILE: "/token" } },
    "env.DIGITALOCEAN_ACCESS_TOKEN_FILE: has no effect, because the token of prop digitalOcean takes precedence: remove one of the two",
  ],
  [
    "a resync without a pause",
    { resync: Duration.seconds(0) },
    "resync: is 0 seconds, so the operator would never pause: use a longer time, such as Duration.seconds(60)",
  ],
  [
    "a shutdownTimeout with a fraction",
    { shutdownTimeout: Duration.millis(1500) },
    "shutdownTimeout: 1.5 seconds is not a whole number of seconds: round it, as in Duration.seconds(2)",
  ],
  [
    "a label value with a space",
    { nodeSelector: { pool: "a b" } },
    'nodeSelector: "a b" is not a label value: use at most 63 letters, digits, "-", "_" and "."',
  ],
  [
    "another operating system",
    { nodeSelector: { "kubernetes.io/os": "windows" } },
    'nodeSelector: "kubernetes.io/os: windows" selects nodes that cannot run the image, which is for Linux: remove it',
  ],
  [
    "monitoringLabels with nothing to put them on",
    { monitoringLabels: { release: "prometheus" } },
    "monitoringLabels: has no effect without scrape, alertRules or dashboard: add one of them, or remove the prop",
  ],
  [
    "a port for a NetworkPolicy that does not exist",
    { networkPolicyPorts: [8443] },
    "networkPolicyPorts: has no effect without networkPolicy: set networkPolicy to true, or remove the prop",
  ],
  [
    "a port that is none",
    { networkPolicy: true, networkPolicyPorts: [8443, 0] },
    "networkPolicyPorts[1]: 0 is not a port: use a whole number from 1 to 65535",
  ],
  [
    "a port for DNS, of a NetworkPolicy that does not exist",
    { networkPolicyDnsPorts: [5353] },
    "networkPolicyDnsPorts: has no effect without networkPolicy: set networkPolicy to true, or remove the prop",
  ],
  [
    "a port for DNS that is none",
    { networkPolicy: true, networkPolicyDnsPorts: [53, 65_536] },
    "networkPolicyDnsPorts[1]: 65536 is not a port: use a whole number from 1 to 65535",
  ],
  [
    "no port for DNS",
    { networkPolicy: true, networkPolicyDnsPorts: [] },
    "networkPolicyDnsPorts: is empty, so the operator could resolve no name: add a port, or remove the prop to use 53",
  ],
  [
    "a toleration with an empty key",
    { tolerations: [Toleration.all(), Toleration.key("")] },
    "tolerations[1].key: an empty key tolerates every taint: use Toleration.all()",
  ],
  [
    "a token in the variable that is for it",
    { env: { DIGITALOCEAN_ACCESS_TOKEN: "anything" } },
    "env.DIGITALOCEAN_ACCESS_TOKEN: a manifest must not contain a token: use prop digitalOcean with Credentials.fromSecretName(...)",
  ],
  [
    "a token in the variable of Cloudflare",
    { env: { CLOUDFLARE_TOKEN: "anything" } },
    "env.CLOUDFLARE_TOKEN: a manifest must not contain a token: use prop cloudflare with Credentials.fromSecretName(...)",
  ],
  ["a token in another variable", { env: { MY_TOKEN: DIGITALOCEAN_TOKEN } }, `env.MY_TOKEN: ${USE_SECRET}`],
  ["a token of Cloudflare's form", { env: { MY_TOKEN: CLOUDFLARE_TOKEN } }, `env.MY_TOKEN: ${USE_SECRET}`],
  ["a token on the command line", { extraArgs: [`--kubeconfig=${DIGITALOCEAN_TOKEN}`] }, `extraArgs[0]: ${USE_SECRET}`],
  [
    "a variable that no container can have",
    { env: { "MY-NAME": "x" } },
    'env.MY-NAME: "MY-NAME" is not a variable name: use letters, digits and "_"',
  ],
  [
    "a variable of a flag that has a prop",
    { env: { FLIPOP_FEATURES: "dns" } },
    'env.FLIPOP_FEATURES: "FLIPOP_FEATURES" is set by this construct: use prop features',
  ],
  [
    "a misspelt variable of the operator",
    { env: { FLIPOP_LOGFORMAT: "json" } },
    'env.FLIPOP_LOGFORMAT: "FLIPOP_LOGFORMAT" is not a variable of the operator: correct its name, or remove it',
  ],
  [
    "a variable with a value that its flag does not take",
    { env: { FLIPOP_LOG_FORMAT: "xml" } },
    'env.FLIPOP_LOG_FORMAT: "xml" is not a valid value of log-format: use auto, text, json',
  ],
  [
    "a flag and its value apart",
    { extraArgs: ["--log-format", "json"] },
    'extraArgs[1]: "json" is not a flag: write each as "--flag=value"',
  ],
  [
    "an unknown flag",
    { extraArgs: ["--colour=blue"] },
    'extraArgs[0]: "--colour" is not a flag of the operator: the flags without a prop are --kubeconfig, --drift-interval, --max-moves-per-minute, --leader-elect, --leader-elect-lease-duration, --leader-elect-renew-deadline, --leader-elect-retry-period, --log-format',
  ],
  [
    "a misspelt flag",
    { extraArgs: ["--log-formt=json"] },
    'extraArgs[0]: "--log-formt" is not a flag of the operator: did you mean --log-format?',
  ],
  [
    "a flag that has a prop",
    { extraArgs: ["--resync=10"] },
    'extraArgs[0]: "--resync" is set by this construct: use prop resync',
  ],
  [
    "a flag that would move the metrics away from their Service",
    { extraArgs: ["--metrics-bind-addr=:9090"] },
    'extraArgs[0]: "--metrics-bind-addr" is set by this construct: use the default: the metrics Service points at it',
  ],
  [
    "a flag that is listed twice",
    { extraArgs: ["--leader-elect", "--leader-elect=false"] },
    "extraArgs[1]: --leader-elect is listed twice: remove one",
  ],
  [
    "seconds in words",
    { extraArgs: ["--leader-elect-retry-period=2 seconds"] },
    'extraArgs[0]: "2 seconds" is not a valid value of leader-elect-retry-period: give a number of seconds above 0, such as 2',
  ],
  [
    "a choice without a value",
    { extraArgs: ["--log-format"] },
    'extraArgs[0]: "--log-format" has no value: write it as --log-format=value',
  ],
  [
    "a switch that is neither on nor off",
    { extraArgs: ["--leader-elect=yes"] },
    'extraArgs[0]: "yes" is not a valid value of leader-elect: use true or false',
  ],
];
