import type { Site } from "./draft";

/** What a region is called is the provider's business; but white space is in no such name, only in those of maps. */
export function checkRegion(region: string | undefined, site: Site): void {
  if (typeof region !== "string" || !/\s/.test(region)) return;
  const slug = region.replaceAll(/\s/g, "").toLowerCase();
  const fix = slug === "" ? 'give one such as "nyc3"' : `write "${slug}"`;
  site.refuse(`${JSON.stringify(region)} has white space, as no region's name has: ${fix}`);
}
