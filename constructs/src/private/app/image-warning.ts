/** The warning about an image whose content may change; undefined for one with a tag or a digest. */
export function imageWarning(image: unknown): string | undefined {
  if (typeof image !== "string" || image === "" || image.includes("@")) return undefined;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag !== undefined && tag !== "latest") return undefined;
  const seen = tag === undefined ? "has no tag, which means latest" : "has the tag latest";
  return `"${image}" ${seen}: each new pod may run another version, so give a version or a digest`;
}
