/** Fields that the operator sets in every Job of a class, whatever the class contains. */
export const FORCED_JOB_FIELDS = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 0,
  ttlSecondsAfterFinished: 3600,
} as const;

/** Fields that the operator sets in the pod of every Job. */
export const FORCED_POD_FIELDS = { restartPolicy: "Never" } as const;

/** Maximum duration of a Job, in seconds. */
export const MAX_JOB_SECONDS = 600;

/** Variables that the operator sets in each container of a Job. */
export const JOB_VARIABLES: readonly string[] = [
  "ROUTED_IP",
  "ROUTED_IP_NAME",
  "ROUTED_IP_NAMESPACE",
  "NODE_NAME",
  "NODE_PROVIDER_ID",
  "PREVIOUS_NODE_NAME",
  "PREVIOUS_NODE_PROVIDER_ID",
  "REGION",
  "FIREWALL_RULES",
];
