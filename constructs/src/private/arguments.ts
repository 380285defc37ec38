import { isObject } from "../api/schema/schema";
import { misfits, type Shapes } from "./prop-shapes";
import { type Site, UnusableArguments } from "./refusal-collector";

/**
 * The arguments of a part, such as of `PodMatch.labels`, without tokens.
 *
 * @throws UnusableArguments if they have a wrong type
 */
export function checkArguments<T extends object>(site: Site, values: T, shapes: Shapes): T {
  const given = isObject(values)
    ? Object.fromEntries(Object.keys({ ...values, ...shapes }).map((key) => [key, resolvedAt(site, values, key)]))
    : values;
  // A Lazy value has no type before synthesis.
  const found = site.isRaw ? [] : misfits(given, shapes);
  for (const { prop, message } of found) site.below(prop === "" ? "" : `.${prop}`).refuse(message);
  if (found.length > 0) throw new UnusableArguments("unusable arguments");
  return given as T;
}

function resolvedAt(site: Site, values: object, key: string): unknown {
  return site.below(`.${key}`).resolved(Reflect.get(values, key) as unknown);
}
