import { customResourceDefinitions } from "../custom/definition.js";
import { endpointSlices } from "./endpoint-slice.js";
import { coreEvents, modernEvents } from "./event.js";
import { jobs } from "./job.js";
import { leases } from "./lease.js";
import { namespaces } from "./namespace.js";
import { nodes } from "./node.js";
import { pods } from "./pod.js";
import type { ResourceType } from "./resource-type.js";
import { configMaps, secrets, serviceAccounts } from "./secret.js";
import { services } from "./service.js";
import { storedOnly } from "./stored-only.js";
import { workloads } from "./workload.js";

/** All built-in resources, in the order of discovery. */
export const BUILTIN_RESOURCES: readonly ResourceType[] = [
  configMaps,
  coreEvents,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  services,
  ...workloads,
  ...storedOnly,
  modernEvents,
  jobs,
  leases,
  endpointSlices,
  customResourceDefinitions,
];
