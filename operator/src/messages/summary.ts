/** What the summary of a resource says when no other condition says it. */

import { note, topic } from "./message.js";

export const summaryMessages = topic("summary", {
  serves: note({ reason: "Observed", text: () => "the resource serves as requested" }),
  nothingToDo: note({ reason: "Observed", text: () => "the resource serves as requested; nothing is left to do" }),
  waitsForPerson: note({
    reason: "Observed",
    text: () => "the operator cannot proceed until a person removes the obstacle that condition Stalled names",
  }),
  notStalled: note({
    reason: "Observed",
    text: () =>
      "the operator proceeds as soon as it can; condition Reconciling shows what it waits for, and who can help",
  }),
});
