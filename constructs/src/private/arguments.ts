import type { Site } from "./draft";
import { misfits, type Shapes } from "./props";

/** The end of writing a part of a spec whose arguments are unusable. The draft already contains the refusals. */
export class UnusableArguments extends Error {}

/** Checks the arguments of a part, such as of `PodMatch.labels`, before it is written. */
export function checkArguments(site: Site, values: object, shapes: Shapes): void {
  const found = misfits(values, shapes);
  for (const { prop, message } of found) site.below(prop === "" ? "" : `.${prop}`).refuse(message);
  if (found.length > 0) throw new UnusableArguments("unusable arguments");
}
