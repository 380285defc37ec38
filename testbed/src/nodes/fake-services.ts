import type { Client } from "../client/client.js";
import type { KubeObject } from "../client/resource-path.js";

/** Properties of a service. */
export interface FakeServiceSpec {
  readonly namespace: string;
  readonly name: string;
  /** With a controller manager, EndpointSlices follow the ready pods that it selects. */
  readonly selector?: Readonly<Record<string, string>>;
  /** @default 80 */
  readonly port?: number;
  /** Further fields of the service's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Creates a Service. */
export function createService(client: Client, options: FakeServiceSpec): Promise<KubeObject> {
  const { namespace, name, selector, port = 80, spec } = options;
  const body = { metadata: { name }, spec: { selector, ports: [{ name: "main", port }], ...spec } };
  return client.must.create(`/api/v1/namespaces/${namespace}/services`, body);
}

/** One endpoint of a slice. */
export interface FakeEndpoint {
  readonly ip: string;
  readonly nodeName?: string;
  /** @default true */
  readonly ready?: boolean;
}

/** Properties of an EndpointSlice. */
export interface FakeEndpointSliceSpec {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly endpoints: readonly FakeEndpoint[];
  /** @default 80 */
  readonly port?: number;
}

/** Creates an EndpointSlice, for control planes without a controller manager. */
export function createEndpointSlice(client: Client, options: FakeEndpointSliceSpec): Promise<KubeObject> {
  const { namespace, name, service, endpoints, port = 80 } = options;
  return client.must.create(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, {
    metadata: { name, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    ports: [{ name: "main", port, protocol: "TCP" }],
    endpoints: endpoints.map(({ ip, nodeName, ready = true }) => ({
      addresses: [ip],
      nodeName,
      conditions: { ready, serving: ready, terminating: false },
    })),
  });
}
