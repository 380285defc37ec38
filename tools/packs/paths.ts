import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The repository. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** The construct library. */
export const CONSTRUCTS = join(ROOT, "constructs");

/** Where the packed libraries are: a folder for each language. */
export const PACKS = join(CONSTRUCTS, "dist");

/** What downloads are kept in between runs; may be lost at any time. */
export const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "flipop", "packs");

/** Maven's local repository: one of our own, because packing the same version again must replace what is there. */
export const MAVEN_REPOSITORY = join(CACHE, "maven");
