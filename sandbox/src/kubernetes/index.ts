/**
 * A Kubernetes API in this process: no more than the operator, kubectl's everyday commands and the tests rely on.
 * The contract suite in test/contract holds it against the real kube-apiserver; where they differ, it is wrong.
 */

export { ApiStatus } from "./api-status.js";
export type { AllowRule } from "./authorization.js";
export { eventFrame, inEnvelope, listBytes, objectBytes, type TypeMeta } from "./built-in/write-protobuf.js";
export { Emulator, type EmulatorOptions, type ObjectRef, startEmulator } from "./emulator.js";
export type { Fault, FaultHook, FaultRequest } from "./faults.js";
export type { JsonObject } from "./json.js";
export type { ApiObject, Metadata } from "./objects.js";
