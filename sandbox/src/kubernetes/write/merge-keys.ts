/**
 * Which lists of the built-in kinds are merged by a strategic merge patch, and by what: the `patchMergeKey` of the
 * types in k8s.io/api. Lists that are not here are replaced. Found by the name of the field, with the name of the
 * field above it where that is not enough.
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  "status.conditions": "type",
  "status.addresses": "type",
  "status.podIPs": "ip",
  "status.hostIPs": "ip",
  "metadata.ownerReferences": "uid",
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  "containers.ports": "containerPort",
  "initContainers.ports": "containerPort",
  "spec.ports": "port",
  volumes: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  env: "name",
  imagePullSecrets: "name",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
  secrets: "name",
};

/** Lists of single values that are merged as sets. */
const MERGED_SETS = new Set(["metadata.finalizers", "spec.podCIDRs"]);

/** The key that identifies the items of a list; undefined: the list is replaced. */
export function mergeKeyOf(parent: string, field: string): string | undefined {
  return MERGE_KEYS[`${parent}.${field}`] ?? MERGE_KEYS[field];
}

/** Whether a list of single values is merged. */
export function isMergedSet(parent: string, field: string): boolean {
  return MERGED_SETS.has(`${parent}.${field}`);
}
