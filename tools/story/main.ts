/** `tsx tools/story/main.ts`: updates the sandbox's own story after a change of the scenario or of an example. */

import { writeFileSync } from "node:fs";
import { EMBEDDED, embeddedStory } from "./embed.js";

writeFileSync(EMBEDDED, embeddedStory());
