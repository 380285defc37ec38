/** What action sequences of a RoutedIP lock, and by what their failures count. */

/** The one sequence that brings address, firewall and taint where they belong. */
export const UPDATE = "update";
/** The Job that moves the address. */
export const JOB_KEY = "job";
export const TAINTS = "taints";
export const FINALIZER = "finalizer";

export function firewallKey(name: string): string {
  return `firewall ${name}`;
}

export function pollKey(ip: string): string {
  return `poll ${ip}`;
}
