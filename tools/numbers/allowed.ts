/** Exceptions that the restructuring of the operator removes. Remove an entry when it no longer applies; add none. */

/** Groups of files that import each other. */
export const ALLOWED_CYCLES: readonly (readonly string[])[] = [];

/** Folders with more than 20 files. */
export const ALLOWED_FOLDERS: readonly string[] = [
  "constructs/src",
  "constructs/src/api",
  "constructs/src/operator",
  "sandbox/src/digitalocean",
  "sandbox/src/story",
  "testbed/src",
];
