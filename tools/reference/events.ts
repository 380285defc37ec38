import { CONTROLLER_NAME, EVENTS } from "cdk8s-flipop/api";
import { code, generatedFrom, table } from "./markdown.js";

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
    `\`${CONTROLLER_NAME}\` emits Events for the resource itself. It counts repeated Events instead of emitting new ones. In a`,
    "namespace that is being deleted, the API server rejects Events; these go to the Namespace object, in namespace `default`.",
    "",
    "For each object, the operator emits up to 25 different Events of type Normal and 25 of type Warning at once, and one more of each type",
    "every 30 seconds. Beyond 10 different notes for one reason, further ones count as one Event. What exceeds the limits",
    'increases `flipop_events_dropped_total{cause="spam"}`; the log has the text of each dropped Warning.',
    "",
    "```sh",
    "kubectl events --for fip/NAME",
    `kubectl get events -A --field-selector reportingComponent=${CONTROLLER_NAME}`,
    "```",
    "",
    ...table(["reason", "type", "meaning", "what to do"], rows),
    "",
    "When a condition becomes bad, the operator also emits an Event of type Warning with the condition's reason, which",
    "[conditions.md](conditions.md) explains. One cause results in one Event, even if several conditions become bad. The",
    "failed action of a pool has a separate Event only if no condition shows the failure; that of a RoutedIP has one in any case.",
    "Reason `Paused` has an Event, too: of type Normal when the pause begins, and of type Warning when the resource does not serve",
    "because of it.",
    "",
  ].join("\n");
}
