/** Random objects that an API server accepts, or nearly always does. */
import { API_GROUP } from "cdk8s-flipop/api";
import fc from "fast-check";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 20 }).map((text) => `a${text}`);
const labelValue = fc.oneof(word, fc.constant(""));
const key = fc.oneof(
  word,
  fc.tuple(word, word).map(([domain, name]) => `${domain}.example.com/${name}`),
);
const labels = fc.dictionary(key, labelValue, { maxKeys: 6, noNullPrototype: true });
const anyText = fc.string({ unit: "grapheme", maxLength: 60 });
const own = word.map((name) => `${API_GROUP}/${name}`);
const annotations = fc.dictionary(fc.oneof(key, own), anyText, { maxKeys: 6, noNullPrototype: true });
const metadata = fc.record({ labels: maybe(labels), annotations: maybe(annotations) });
/** From before the epoch to far ahead. */
const time = fc
  .integer({ min: Date.UTC(1900, 0), max: Date.UTC(9999, 11) })
  .map((ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`);
const port = fc.integer({ min: 1, max: 65_535 });
const protocol = maybe(fc.constantFrom("TCP", "UDP", "SCTP"));
const condition = (types: readonly string[]) =>
  fc.uniqueArray(
    fc.record({
      type: fc.constantFrom(...types),
      status: fc.constantFrom("True", "False", "Unknown"),
      reason: maybe(word),
      message: maybe(anyText),
      lastTransitionTime: maybe(time),
    }),
    { selector: ({ type }) => type, maxLength: types.length },
  );

const taint = fc.record({
  key: word,
  value: maybe(labelValue),
  effect: fc.constantFrom("NoSchedule", "PreferNoSchedule"),
  timeAdded: maybe(time),
});
const nodeAddress = fc.record({
  type: fc.constantFrom("InternalIP", "ExternalIP", "Hostname"),
  address: fc.oneof(fc.ipV4(), fc.ipV6(), word),
});

export const nodes: fc.Arbitrary<object> = fc.record({
  metadata,
  spec: fc.record({
    providerID: maybe(fc.nat().map((id) => `digitalocean://${id}`)),
    unschedulable: maybe(fc.boolean()),
    taints: maybe(fc.uniqueArray(taint, { selector: ({ key, effect }) => key + effect, maxLength: 4 })),
  }),
  status: fc.record({
    addresses: maybe(fc.uniqueArray(nodeAddress, { selector: ({ type, address }) => type + address, maxLength: 5 })),
    conditions: maybe(condition(["Ready", "MemoryPressure", "DiskPressure", "NetworkUnavailable"])),
    nodeInfo: maybe(fc.record({ kubeletVersion: labelValue, osImage: anyText })),
  }),
});

const environment = fc.uniqueArray(fc.record({ name: word, value: anyText }), {
  selector: ({ name }) => name,
  maxLength: 4,
});
const containerPort = fc.record({ containerPort: port, protocol, name: maybe(word.map((name) => name.slice(0, 15))) });
const container = fc.record({
  image: fc.constant("x"),
  env: maybe(environment),
  ports: maybe(fc.uniqueArray(containerPort, { selector: ({ containerPort }) => containerPort, maxLength: 3 })),
});
const containers = (prefix: string, minLength: number) =>
  fc
    .array(container, { minLength, maxLength: 3 })
    .map((list) => list.map((one, at) => ({ ...one, name: `${prefix}-${at}` })));

/** A pod with the network of its node has the ports of its containers open there. */
export const pods: fc.Arbitrary<object> = fc
  .record({
    metadata,
    spec: fc.record({
      containers: containers("c", 1),
      initContainers: maybe(containers("i", 0)),
      nodeName: maybe(word),
      hostNetwork: maybe(fc.boolean()),
    }),
    status: fc.record({
      phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
      conditions: maybe(condition(["Ready", "PodScheduled", "Initialized", "ContainersReady"])),
      message: maybe(anyText),
    }),
    hostPort: maybe(port),
  })
  .map(({ hostPort, ...pod }) => withHostPort(pod, hostPort));

function withHostPort<P extends { spec: { hostNetwork?: boolean | undefined; containers: { ports?: unknown }[] } }>(
  pod: P,
  hostPort: number | undefined,
): P {
  const [first, ...rest] = pod.spec.containers;
  if (hostPort === undefined || pod.spec.hostNetwork === true || first === undefined) return pod;
  const opened = { ...first, ports: [{ containerPort: hostPort, hostPort }] };
  return { ...pod, spec: { ...pod.spec, containers: [opened, ...rest] } };
}

const servicePort = fc.record({
  port,
  protocol,
  targetPort: maybe(
    fc.oneof(
      port,
      word.map((name) => name.slice(0, 15)),
    ),
  ),
});

interface RandomService {
  readonly type: string;
  readonly ports: readonly object[];
  readonly ranges: readonly string[];
  readonly loadBalancerClass: string;
  readonly ingress: readonly string[];
}

/** Only a Service of type LoadBalancer has fields for one. */
function serviceOf({ ranges, ports, loadBalancerClass, ...spec }: RandomService) {
  return {
    ...spec,
    ports: ports.map((one, index) => ({ ...one, name: `p${index}` })),
    ...(spec.type === "LoadBalancer" ? { loadBalancerSourceRanges: ranges, loadBalancerClass } : {}),
  };
}

export const services: fc.Arbitrary<object> = fc
  .record({
    metadata,
    spec: fc
      .record({
        type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer"),
        selector: maybe(labels),
        ports: fc.uniqueArray(servicePort, { selector: ({ port }) => port, minLength: 1, maxLength: 4 }),
        externalIPs: maybe(fc.uniqueArray(fc.constantFrom("198.51.100.1", "203.0.113.9"), { minLength: 1 })),
        ranges: fc.array(
          fc.ipV4().map((ip) => `${ip}/32`),
          { minLength: 1, maxLength: 3 },
        ),
        loadBalancerClass: fc.constantFrom("example.com/a", "flipop.digitalocean.com/reserved-ip"),
        ingress: fc.array(
          fc.ipV4().filter((ip) => !/^(0|127|169|22[4-9]|2[3-5]\d)\./.test(ip)),
          { maxLength: 2 },
        ),
      })
      .map(serviceOf),
  })
  .map(({ metadata: meta, spec: { ingress, ...spec } }) => ({
    ...{ metadata: meta, spec },
    ...(spec.type === "LoadBalancer" ? { status: { loadBalancer: { ingress: ingress.map((ip) => ({ ip })) } } } : {}),
  }));

const endpoint = fc.record({
  addresses: fc.uniqueArray(
    fc.ipV4().filter((ip) => !/^(0|127|169|22[4-9]|2[3-5]\d)\./.test(ip)),
    { minLength: 1, maxLength: 2 },
  ),
  nodeName: maybe(word),
  conditions: fc.record({ ready: maybe(fc.boolean()), serving: maybe(fc.boolean()), terminating: maybe(fc.boolean()) }),
});

export const endpointSlices: fc.Arbitrary<object> = fc.record({
  metadata: metadata.map((one) => ({ ...one, labels: { ...one.labels, "kubernetes.io/service-name": "s" } })),
  addressType: fc.constant("IPv4"),
  endpoints: fc.array(endpoint, { maxLength: 5 }),
});
