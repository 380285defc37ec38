import { commandsPage } from "./commands.js";
import { conditionsPage } from "./conditions.js";
import { eventsPage } from "./events.js";
import { flagsPage } from "./flags.js";
import { messagesPage } from "./messages.js";
import { metricsPage } from "./metrics.js";
import { resourcesPage } from "./resources.js";
import { rightsPage } from "./rights.js";

/** The generated pages by file name. */
export function referencePages(): Readonly<Record<string, string>> {
  return {
    "command-line.md": commandsPage(),
    "conditions.md": conditionsPage(),
    "events.md": eventsPage(),
    "flags.md": flagsPage(),
    "messages.md": messagesPage(),
    "metrics.md": metricsPage(),
    "resources.md": resourcesPage(),
    "rights.md": rightsPage(),
  };
}
