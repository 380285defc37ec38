/** Exceptions that the restructuring of the operator removes. Remove an entry when it no longer applies; add none. */

/** Groups of files that import each other. */
export const ALLOWED_CYCLES: readonly (readonly string[])[] = [
  [
    "operator/src/controllers/node-dns-record-set/conditions.ts",
    "operator/src/controllers/node-dns-record-set/plan.ts",
  ],
  [
    "operator/src/controllers/routed-ip/action-table.ts",
    "operator/src/controllers/routed-ip/address-calls.ts",
    "operator/src/controllers/routed-ip/firewall-calls.ts",
    "operator/src/controllers/routed-ip/gather-firewall.ts",
    "operator/src/controllers/routed-ip/gather.ts",
    "operator/src/controllers/routed-ip/jobs/calls.ts",
    "operator/src/controllers/routed-ip/jobs/gather.ts",
    "operator/src/controllers/routed-ip/memory.ts",
    "operator/src/controllers/routed-ip/object-calls.ts",
    "operator/src/controllers/routed-ip/routed-creation.ts",
    "operator/src/controllers/routed-ip/routed-state.ts",
    "operator/src/controllers/routed-ip/sequences.ts",
    "operator/src/controllers/routed-ip/set-taints.ts",
  ],
  [
    "operator/src/controllers/routed-ip/jobs/conditions.ts",
    "operator/src/controllers/routed-ip/jobs/election.ts",
    "operator/src/controllers/routed-ip/jobs/plan.ts",
    "operator/src/controllers/routed-ip/jobs/status.ts",
  ],
];

/** Folders with more than 20 files. */
export const ALLOWED_FOLDERS: readonly string[] = [
  "constructs/src",
  "constructs/src/api",
  "constructs/src/operator",
  "operator/src/controllers/routed-ip",
  "operator/src/providers",
  "sandbox/src/digitalocean",
  "sandbox/src/story",
  "testbed/src",
];
