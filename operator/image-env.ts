/** What the image sets for Node. The tests and benches of the bundle run it with the same settings. */
export const IMAGE_ENV = {
  // With Node's default of 16 MB, garbage is up to a quarter of the operator's memory; 1 MB costs CPU time.
  NODE_OPTIONS: "--max-semi-space-size=2",
  // The few threads beside the main one share its memory instead of an arena each.
  MALLOC_ARENA_MAX: "1",
} as const;
