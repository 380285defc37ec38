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

/** Time for the pod of a Job to start, in seconds, if the class sets none. */
export const JOB_START_SECONDS = 60;

/** Variables that the operator sets in each container of `updateRoutedIP`, with their meanings. */
export const ASSIGN_VARIABLES: Readonly<Record<string, string>> = {
  ROUTED_IP: "the address to assign; empty: create one and report it",
  ROUTED_IP_NAME: "name of the RoutedIP",
  ROUTED_IP_NAMESPACE: "its namespace",
  NODE_NAME: "node that gets the address",
  NODE_PROVIDER_ID: "its `spec.providerID`",
  PREVIOUS_NODE_NAME: "node that had the address; empty: none",
  PREVIOUS_NODE_PROVIDER_ID: "its `spec.providerID`",
  REGION: "label topology.kubernetes.io/region of the node that gets the address; empty: none",
};

/** Variables that the operator sets in each container of `updateFirewall`, with their meanings. */
export const FIREWALL_VARIABLES: Readonly<Record<string, string>> = {
  FIREWALL_RULES:
    'all rules of the class as JSON, such as [{"protocol":"tcp","port":443,"nodes":[{"name":"node-1","providerID":"mycloud://m-1"}]}]; [] closes everything',
};

/** Variables that the operator sets in the containers of Jobs. */
export const JOB_VARIABLES: readonly string[] = [...Object.keys(ASSIGN_VARIABLES), ...Object.keys(FIREWALL_VARIABLES)];

/** What a Job that creates an address writes to its termination message. */
export const JOB_REPORT = '{"routedIP": "192.0.2.20"}';
