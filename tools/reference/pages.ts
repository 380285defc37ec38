import { resourcesPage } from "./resources.js";

/** The generated pages by file name. */
export function referencePages(): Readonly<Record<string, string>> {
  return { "resources.md": resourcesPage() };
}
