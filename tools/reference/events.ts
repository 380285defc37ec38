import { CONTROLLER_NAME, EVENTS } from "cdk8s-flipop/api";
import { code, generatedFrom, table } from "./text.js";

/** The page on Events. */
export function eventsPage(): string {
  const rows = Object.entries(EVENTS).map(([reason, { type, meaning, remedy }]) => {
    return [code(reason), type, meaning, remedy || "Nothing."];
  });
  return [
    "# Events",
    "",
    generatedFrom("constructs/src/api/events.ts"),
    "",
    `Events are on the resource itself, written by \`${CONTROLLER_NAME}\`. Repeated ones are counted, not written anew. In a`,
    "namespace that is being deleted they are refused, and go to the Namespace object, in namespace `default`.",
    "",
    "```sh",
    "kubectl events --for fip/NAME",
    `kubectl get events -A --field-selector reportingComponent=${CONTROLLER_NAME}`,
    "```",
    "",
    ...table(["reason", "type", "meaning", "what to do"], rows),
    "",
    "A condition that turns bad is told by an Event of type Warning, too, with the condition's reason: what those mean and",
    "what to do about them is in [conditions.md](conditions.md). One cause is told once, though it turns several conditions;",
    "of a pool, the failure of an action has an Event of its own only where no condition tells it.",
    "",
  ].join("\n");
}
