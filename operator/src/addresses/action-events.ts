/** Events of the actions that pools and RoutedIPs report in the same words. */

import { creationEnded, eventMessages, forgotten } from "../messages/events.js";
import type { EventMessage } from "../messages/message.js";
import { recordsRecorded, recordsWritten } from "../records/record-events.js";
import type { Action } from "./actions.js";
import { entryRemoved } from "./release.js";

const IN_COMMON = [
  "settle-creation",
  "release",
  "apply-records",
  "record-dns",
  "annotate-pool",
  "forget-created",
] as const;

interface SomeAction {
  readonly do: string;
}

type ActionInCommon = Extract<Action, { readonly do: (typeof IN_COMMON)[number] }>;

/** @returns `undefined`: nothing worth an Event, or the kind has words of its own. */
export function eventInCommon(action: SomeAction): EventMessage | undefined {
  return isInCommon(action) ? eventOf(action) : undefined;
}

function isInCommon(action: SomeAction): action is ActionInCommon {
  return IN_COMMON.some((name) => name === action.do);
}

function eventOf(action: ActionInCommon): EventMessage | undefined {
  switch (action.do) {
    case "settle-creation":
      return creationEnded(action);
    case "release":
      return eventMessages.released(action);
    case "apply-records":
      return recordsWritten(action);
    case "record-dns":
      return recordsRecorded(action);
    case "annotate-pool":
      return forgotten(action.forgotten);
    case "forget-created":
      return entryRemoved(action);
  }
}
