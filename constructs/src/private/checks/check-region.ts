import type { Site } from "../refusal-collector";

/** Only the provider knows its regions, but no region's id contains white space. */
export function checkRegion(region: unknown, site: Site): void {
  if (typeof region !== "string" || !/\s/.test(region)) return;
  const slug = region.replaceAll(/\s/g, "").toLowerCase();
  const fix = !/^[a-z0-9-]+$/.test(slug) ? 'give one such as "nyc3"' : `write "${slug}"`;
  site.refuse(`${JSON.stringify(region)} contains white space, unlike any region's name: ${fix}`);
}
