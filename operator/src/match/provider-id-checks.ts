/** Pure: whether a node's `spec.providerID` names a machine of a provider. */

import type { MachineIds, ProviderId } from "../providers/types.js";

export function isForeignMachine(machine: ProviderId, { providerIdScheme }: MachineIds): boolean {
  return !machine.startsWith(`${providerIdScheme}://`);
}

/** The scheme is the provider's, and what follows names no machine. */
export function isInvalidMachine(machine: ProviderId, ids: MachineIds): boolean {
  if (ids.machineId === undefined || isForeignMachine(machine, ids)) return false;
  return !ids.machineId.pattern.test(machine.slice(`${ids.providerIdScheme}://`.length));
}
