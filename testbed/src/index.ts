export {
  type Binaries,
  describeReasons,
  executable,
  type Resolution,
  resolveBinaries,
  STEPS,
  type Step,
  type StepReason,
} from "./binaries/binaries.js";
export type { LookupContext } from "./binaries/lookup-context.js";
export { ETCD_VERSION, KUBERNETES_VERSION, PARTS, type PartName } from "./binaries/versions.js";
export { ApiError } from "./client/api-error.js";
export {
  type Answer,
  Client,
  type ClientOptions,
  type ClientRequest,
  type MustClient,
  PATCH_TYPES,
  type PatchType,
} from "./client/client.js";
export type {
  KubeObject,
  KubeStatus,
  ObjectMeta,
  OwnerReference,
  Query,
  ResourceName,
  ResourceRef,
} from "./client/resource-path.js";
export type { WatchEvent } from "./client/watch.js";
export { ControlPlane, type ControlPlaneOptions } from "./control-plane.js";
export type { Etcd, EtcdState } from "./etcd.js";
export { type HealthAnswer, type HealthQuestion, healthOrSkip, judgeHealth } from "./health/object-health.js";
export { ADMIN, type Identity, SPARE_IDENTITIES } from "./identities.js";
export type { KubectlOptions, KubectlResult } from "./kubectl.js";
export { FakeNode, type FakeNodeSpec, type NodeAddress, type Taint } from "./nodes/fake-nodes.js";
export { FakePod, type FakePodSpec } from "./nodes/fake-pods.js";
export {
  createEndpointSlice,
  createService,
  type FakeEndpoint,
  type FakeEndpointSliceSpec,
  type FakeServiceSpec,
} from "./nodes/fake-services.js";
export { Kubelet, type KubeletOptions } from "./nodes/kubelet.js";
export type { Part } from "./part-process.js";
export { freePort } from "./ports.js";
export {
  controlPlaneOrSkip,
  type SharedOptions,
  type Skippable,
  type SuiteContext,
  skip,
  stopShared,
} from "./shared-control-plane.js";
export { type Exit, type ProcessSpec, type SupervisedProcess, Supervisor } from "./supervisor.js";
export { eventually, inSeconds, type WaitOptions } from "./wait.js";
