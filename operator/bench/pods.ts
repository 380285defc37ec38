/** Pods as a cluster has them: two containers, probes, volumes, managed fields, conditions. */

const APPS = 400;
const PODS_ON_A_NODE = 25;
const NAMESPACES = 30;
/** Names the places of a template that differ from pod to pod. */
const SLOT = /@(\w+)@/;

export interface PodValues {
  readonly index: number;
  readonly version: number;
  readonly phase: "Running" | "Pending";
  /** Annotation `bench/sent`; empty for none of interest. */
  readonly sent: string;
}

export type PodWriter = (values: PodValues) => string;

/** @param bytes length of each pod's JSON, about. */
export function podWriter(bytes: number): PodWriter {
  const pad = bytes - JSON.stringify(template("")).length;
  if (pad < 0) throw new Error(`a pod of ${bytes} bytes is not realistic: the smallest here has ${bytes - pad}`);
  const parts = JSON.stringify(template("x".repeat(pad))).split(new RegExp(SLOT, "g"));
  return (values) => {
    const slots = slotsOf(values);
    return parts.map((part, index) => (index % 2 === 0 ? part : slots[part])).join("");
  };
}

/** The same pod with one container and without what only a server sets: for creation. */
export function newPod(write: PodWriter, index: number): { metadata: Record<string, unknown>; spec: unknown } {
  const pod = JSON.parse(write({ index, version: 0, phase: "Running", sent: "" }));
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...metadata } = pod.metadata;
  const { managedFields: _fields, ownerReferences: _owners, namespace: _namespace, ...rest } = metadata;
  return { metadata: rest, spec: { ...pod.spec, containers: pod.spec.containers.slice(0, 1) } };
}

function slotsOf({ index, version, phase, sent }: PodValues): Readonly<Record<string, string>> {
  const app = String(index % APPS);
  return {
    name: `app-${app}-6d4cf56db6-${index.toString(36).padStart(5, "0")}`,
    uid: `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`,
    namespace: `team-${index % NAMESPACES}`,
    app,
    node: `node-${Math.floor(index / PODS_ON_A_NODE)}`,
    ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    version: String(version),
    phase,
    ready: phase === "Running" ? "True" : "False",
    sent,
  };
}

function template(pad: string) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata(pad),
    spec: {
      nodeName: "@node@",
      serviceAccountName: "app-@app@",
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      containers: ["web", "sidecar"].map(container),
      volumes: [
        { name: "config", configMap: { name: "app-@app@", defaultMode: 420 } },
        { name: "tmp", emptyDir: {} },
      ],
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: "@phase@",
      podIP: "@ip@",
      podIPs: [{ ip: "@ip@" }],
      hostIP: "192.0.2.1",
      qosClass: "Burstable",
      startTime: "2025-01-01T00:00:00Z",
      conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
        condition,
      ),
      containerStatuses: ["web", "sidecar"].map(containerStatus),
    },
  };
}

function metadata(pad: string) {
  return {
    name: "@name@",
    namespace: "@namespace@",
    uid: "@uid@",
    resourceVersion: "@version@",
    creationTimestamp: "2025-01-01T00:00:00Z",
    labels: {
      "app.kubernetes.io/name": "app-@app@",
      "app.kubernetes.io/part-of": "shop",
      "pod-template-hash": "6d4cf56db6",
    },
    annotations: { "bench/sent": "@sent@", "checksum/config": "0123456789abcdef".repeat(4), pad },
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "app-@app@-6d4cf56db6", uid: "@uid@", controller: true },
    ],
    managedFields: [
      managed("kube-controller-manager", ["f:labels", "f:ownerReferences", "f:containers", "f:volumes"]),
      managed("kubelet", ["f:conditions", "f:containerStatuses", "f:podIPs", "f:startTime"]),
    ],
  };
}

function container(name: string) {
  const probe = { httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 };
  return {
    name,
    image: `registry.example.com/shop/${name}:1.2.3`,
    env: Array.from({ length: 8 }, (_, index) => ({ name: `SETTING_${index}`, value: `value of setting ${index}` })),
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    volumeMounts: ["config", "tmp"].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
    livenessProbe: probe,
    readinessProbe: probe,
    securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
}

function condition(type: string) {
  return { type, status: "@ready@", lastProbeTime: null, lastTransitionTime: "2025-01-01T00:00:00Z" };
}

function containerStatus(name: string) {
  return {
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: `registry.example.com/shop/${name}:1.2.3`,
    imageID: `registry.example.com/shop/${name}@sha256:${"0123456789abcdef".repeat(4)}`,
    containerID: `containerd://${"0123456789abcdef".repeat(4)}`,
    state: { running: { startedAt: "2025-01-01T00:00:00Z" } },
  };
}

function managed(manager: string, fields: readonly string[]) {
  const leaves = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`f:field${index}`, {}]));
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2025-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: Object.fromEntries(fields.map((field) => [field, { ".": {}, ...leaves }])),
  };
}
