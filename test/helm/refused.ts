/** What a template refuses, in the words of the construct. */
export const IDLE: Readonly<Record<string, readonly [values: object, message: string]>> = {
  "namespaces of issuers without their feature": [
    { features: ["dns"], issuerNamespaces: ["a"] },
    "issuerNamespaces: has no effect without feature routedip: add it to features, or remove the value",
  ],
  "namespaces of Jobs without their feature": [
    { features: ["dns"], jobNamespaces: ["b"] },
    "jobNamespaces: has no effect without feature jobs: add it to features, or remove the value",
  ],
  "Jobs without RoutedIPs": [{ features: ["dns", "jobs"] }, "features: jobs has no effect without routedip"],
};

/** Values that the schema must reject, and a part of Helm's message. */
export const REFUSED: Readonly<Record<string, readonly [values: object, message: string]>> = {
  "a misspelt value": [{ replica: 2 }, "additional properties 'replica' not allowed"],
  "replicas in words": [{ replicas: "two" }, "/replicas"],
  "an unknown feature": [{ features: ["pool"] }, "/features/0"],
  "no feature": [{ features: [] }, "/features"],
  "features that were removed": [{ features: null }, "missing property 'features'"],
  "a name with capitals": [{ fullnameOverride: "Flipop" }, "/fullnameOverride"],
  "a token in the environment": [{ extraEnv: [{ name: "DIGITALOCEAN_ACCESS_TOKEN", value: "x" }] }, "/extraEnv/0/name"],
  "a token in another variable": [
    { extraEnv: [{ name: "MY_TOKEN", value: `dop_v1_${"0a".repeat(32)}` }] },
    "/extraEnv/0/value",
  ],
  "an existing ServiceAccount without a name": [{ serviceAccount: { create: false } }, "/serviceAccount"],
  "an image with its tag in the repository": [{ image: { repository: "a.example/b:1" } }, "/image/repository"],
  "an unknown pull policy": [{ image: { pullPolicy: "Sometimes" } }, "/image/pullPolicy"],
  "a misspelt kind of resources": [{ resources: { limit: {} } }, "'limit'"],
  "a flag that has a value of its own": [{ extraArgs: ["--resync=1"] }, "/extraArgs/0"],
  "a port that is none": [{ networkPolicyPorts: [65_536] }, "/networkPolicyPorts/0"],
  "a port of DNS that is none": [{ networkPolicyDnsPorts: [0] }, "/networkPolicyDnsPorts/0"],
  "a port of DNS in quotes": [{ networkPolicyDnsPorts: ["53"] }, "/networkPolicyDnsPorts/0"],
  "no port of DNS": [{ networkPolicyDnsPorts: [] }, "/networkPolicyDnsPorts"],
  "a misspelt affinity": [{ affinity: { nodeAfinity: {} } }, "'nodeAfinity'"],
  "token files in words": [{ tokenFiles: "yes" }, "/tokenFiles"],
  "a quantity in words": [{ resources: { limits: { memory: "much" } } }, "/resources/limits/memory"],
  "credentials without a key": [{ digitalOcean: { key: null } }, "/digitalOcean"],
  "a scrape object of another kind": [{ scrape: "Probe" }, "/scrape"],
  "creating a namespace of Kubernetes for Jobs": [{ jobNamespaces: ["work", "default"] }, "/jobNamespaces/1"],
  "the label of a selector on the pods": [
    { podLabels: { "app.kubernetes.io/instance": "x" } },
    "app.kubernetes.io/instance",
  ],
  "a label that is always there": [{ monitoringLabels: { "app.kubernetes.io/name": "x" } }, "app.kubernetes.io/name"],
};
