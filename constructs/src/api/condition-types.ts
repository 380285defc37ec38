/** Condition types. The value of each entry is the meaning of True. */
export const CONDITION_TYPES = {
  Ready:
    "The resource serves as requested: the conditions that its kind requires are True, and the operator is not stopped.",
  Reconciling:
    "The resource does not serve as requested yet. The operator works on it, or waits for something that can change without a person, such as a node.",
  Stalled: "The resource does not serve as requested, and a person must remove the obstacle that the message names.",
  Accepted:
    "The spec is valid, and no failure of the provider is known. Of a RoutedIP also: neither its machine nor its ports nor its firewall keep the operator from serving the address.",
  Fulfilled:
    "The number of active addresses equals the number of desired ones, and nodes have the labels and taints that the spec asks for.",
  DNSReady: "The record set has the desired content.",
  Published: "The objects of publishTo show the active addresses.",
  Conflict: "Bad: another resource claims an address or DNS name of this resource, or a foreign writer changes it.",
  ProviderReachable:
    "The provider answered the last call. False after all attempts of a call failed. If the provider does not answer, that takes two attempts, about 30 s. One slow answer does not change the condition.",
  Assigned: "The address is on a node that serves the Service.",
  FirewallReady: "The firewall allows traffic to the Service's ports on the node.",
  ProbesDoubted: "Bad: the operator doubts failed probes and moves no address for them, or cannot probe a holder.",
  MassFailure:
    "Bad: most holders of the cluster or of a zone failed within a few minutes, and not every failure is confirmed. The operator moves no address off a failed node there, and removes no such node from a DNS name, until the window ends. Only feature healthchecks sets this condition.",
} as const;

/** Type of a condition. */
export type ConditionType = keyof typeof CONDITION_TYPES;

/** Condition types whose bad status is True. The bad status of all others is False. */
export const BAD_WHEN_TRUE: readonly ConditionType[] = [
  "Conflict",
  "Reconciling",
  "Stalled",
  "ProbesDoubted",
  "MassFailure",
];

/** Condition types that the operator computes from the other conditions of the resource. */
export const SUMMARY_TYPES = ["Ready", "Reconciling", "Stalled"] as const satisfies readonly ConditionType[];
