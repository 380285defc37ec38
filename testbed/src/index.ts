export { ApiError } from "./api-error.js";
export {
  type Binaries,
  describeReasons,
  executable,
  type Resolution,
  resolveBinaries,
  STEPS,
  type Step,
  type StepReason,
} from "./binaries.js";
export {
  type Answer,
  Client,
  type ClientOptions,
  type ClientRequest,
  type MustClient,
  PATCH_TYPES,
  type PatchType,
} from "./client.js";
export { ControlPlane, type ControlPlaneOptions } from "./control-plane.js";
export type { Etcd, EtcdState } from "./etcd.js";
export { FakeNode, type FakeNodeSpec, type NodeAddress, type Taint } from "./fake-nodes.js";
export { FakePod, type FakePodSpec } from "./fake-pods.js";
export {
  createEndpointSlice,
  createService,
  type FakeEndpoint,
  type FakeEndpointSliceSpec,
  type FakeServiceSpec,
} from "./fake-services.js";
export { ADMIN, type Identity, SPARE_IDENTITIES } from "./identities.js";
export type { KubectlOptions, KubectlResult } from "./kubectl.js";
export { Kubelet, type KubeletOptions } from "./kubelet.js";
export type { LookupContext } from "./lookup.js";
export type { Part } from "./part.js";
export { freePort } from "./ports.js";
export type {
  KubeObject,
  KubeStatus,
  ObjectMeta,
  OwnerReference,
  Query,
  ResourceName,
  ResourceRef,
} from "./resource.js";
export { controlPlaneOrSkip, type SharedOptions, type SuiteContext, stopShared } from "./shared.js";
export { type Exit, type ProcessSpec, type SupervisedProcess, Supervisor } from "./supervisor.js";
export { ETCD_VERSION, KUBERNETES_VERSION, PARTS, type PartName } from "./versions.js";
export { eventually, type WaitOptions } from "./wait.js";
export type { WatchEvent } from "./watch.js";
