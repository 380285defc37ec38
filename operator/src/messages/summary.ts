/** What the summary of a resource says when no other condition says it, and what a deletion waits for. */

import { listed, listedClauses } from "../values.js";
import { note, type Problem, problem, topic } from "./message.js";

export const summaryMessages = topic("summary", {
  serves: note({ reason: "Observed", text: () => "the resource serves as requested" }),
  nothingToDo: note({ reason: "Observed", text: () => "the resource serves as requested; nothing is left to do" }),
  waitsForPerson: note({
    reason: "Observed",
    text: () => "the operator cannot proceed until a person removes the obstacle that condition Stalled names",
  }),
  partOfMatchIgnored: problem({
    reason: "Invalid",
    by: "author",
    text: ({ ignored, cause }: { readonly ignored: readonly string[]; readonly cause: Problem }) =>
      `the operator ignores a part of the spec, which may be what keeps nodes away: ${listedClauses(ignored)}; correct or remove this part first; until then, ${cause.message}`,
    remedyInText: true,
    example: {
      ignored: ['spec.match.tolerations[1]: operator is "exists", not Exists or Equal'],
      cause: { reason: "NoCandidate", message: "0 of 9 nodes match, 9 are tainted" },
    },
  }),
  notStalled: note({
    reason: "Observed",
    text: () =>
      "the operator proceeds as soon as it can; condition Reconciling shows what it waits for, and who can help",
  }),
});

interface Waiting {
  /** What the operator still has to remove, in words. */
  readonly left: readonly string[];
  /** Why the operator cannot remove it. */
  readonly cause: Problem;
  readonly finalizer: string;
}

interface WaitingForUsers {
  /** RoutedIPs, as `namespace/name`. */
  readonly users: readonly string[];
  readonly cause: Problem;
}

const EXAMPLE_CAUSE: Problem = {
  reason: "Unauthorized",
  message:
    "digitalocean: list reserved IPs: answer 401; have the owner of the account create a valid token; the operator reads the token from entry token of Secret web/cloud",
};

export const deletionMessages = topic("deletion", {
  cleanupFails: problem({
    reason: ({ cause }: Waiting) => cause.reason,
    by: "cause",
    text: ({ left, cause, finalizer }: Waiting) =>
      `the deletion waits until the operator has removed ${listed(left)}, or has tried for an hour: ${cause.message}; if that is impossible, for example because the namespace is being deleted and takes no new objects, remove ${left.length > 1 ? "these" : "this"} at the provider by hand, and then the finalizer ${finalizer} of this resource`,
    remedyInText: true,
    example: {
      left: ["address 203.0.113.7", "rule tcp 443 in firewall ingress"],
      cause: EXAMPLE_CAUSE,
      finalizer: "flipop.digitalocean.com/cleanup",
    },
  }),
  usersStay: problem({
    reason: ({ cause }: WaitingForUsers) => cause.reason,
    by: "cause",
    text: ({ users, cause }: WaitingForUsers) =>
      `the deletion waits until no RoutedIP uses the issuer (${listed(users)}); with its credentials, the operator cannot clean up after them: ${cause.message}; condition Ready of a RoutedIP that is being deleted says how to end that without the operator`,
    remedyInText: true,
    example: { users: ["web/shop"], cause: EXAMPLE_CAUSE },
  }),
});
