import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The repository. */
export const ROOT = resolve(import.meta.dirname, "../..");

/** The construct library. */
export const CONSTRUCTS = join(ROOT, "constructs");

/** The packed libraries, in a folder for each language. */
export const PACKS = join(CONSTRUCTS, "dist");

/** Cache of downloads between runs; it may be deleted at any time. */
export const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "flipop", "packs");

/** A separate local repository for Maven, because a new package of the same version must replace the old one. */
export const MAVEN_REPOSITORY = join(CACHE, "maven");
