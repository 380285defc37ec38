/** Answers of a cloud that the operator does not use: lists that it cannot read whole, and creations that contradict the list. */

import { counted, type FailureText, TRIES_AGAIN } from "../failed-calls.js";

const NO_PROXY = "have the cluster's administrator check that no proxy answers in the API's place";

/** What was wrong with a list in one reading. */
export type ListFault =
  | { readonly is: "changed" }
  | { readonly is: "repeats"; readonly page: number }
  | { readonly is: "miscounted"; readonly items: number; readonly total: number };

export const unusableAnswers = {
  listChanged: (attempts: number, changes: string): FailureText => ({
    seen: `the list changed while it was read, ${attempts} times`,
    remedy: { operator: TRIES_AGAIN, person: `if this lasts, look for another program that ${changes} at a high rate` },
  }),
  /** The same in each reading, so it is no change. */
  listContradictory: (attempts: number, fault: Exclude<ListFault, { readonly is: "changed" }>): FailureText => ({
    seen: `the list contradicts itself: ${faultText(fault)}, and ${attempts} readings showed the same`,
    remedy: { operator: TRIES_AGAIN, person: `if this lasts, ${NO_PROXY}, and report it to the provider` },
  }),
  /** @param unit such as `pages` */
  listTooLong: (unit: string, count: number, most: number): FailureText => ({
    seen: `the list is too long: it has at least ${counted(count)} ${unit}, more than the limit of ${counted(most)} ${unit}`,
    remedy: {
      operator: "the operator changed nothing and tries again",
      person: `have the owner of the account delete what is not used, and ${NO_PROXY}`,
    },
  }),
  createdBefore: (ip: string): FailureText => ({
    seen: `malformed answer: it names ${ip}, which the account had before the creation`,
    remedy: {
      operator: "the operator finds out from later lists what the creation did",
      person: `if this lasts, ${NO_PROXY}`,
    },
  }),
} as const;

function faultText(fault: Exclude<ListFault, { readonly is: "changed" }>): string {
  if (fault.is === "repeats") return `page ${fault.page} is not the last and has nothing that earlier pages lack`;
  return `its pages have ${counted(fault.items)} items, while the API counts ${counted(fault.total)}`;
}
