import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../packs/run-command.js";
import { debianArchive, nodeArchive } from "./download.js";
import {
  type Architecture,
  DEBIAN_PACKAGES,
  LIBRARIES,
  LIBRARY_FOLDERS,
  LOADERS,
  NODE_PACKAGES,
  NODE_VERSION,
} from "./pinned-packages.js";

/** The content of the files from downloaded packages. */
export interface Parts {
  readonly node: Uint8Array;
  readonly nodeLicense: Uint8Array;
  /** Keys are names; the loader is included. */
  readonly libraries: Readonly<Record<string, Uint8Array>>;
  /** Copyright files and control fields, by Debian package. */
  readonly copyrights: Readonly<Record<string, Uint8Array>>;
  readonly controls: Readonly<Record<string, Uint8Array>>;
}

/** Downloads the missing files into the cache, and reads all of them. */
export function readParts(architecture: Architecture): Parts {
  const folder = mkdtempSync(join(tmpdir(), "flipop-image-"));
  try {
    const npm = join(folder, "npm");
    mkdirSync(npm);
    run("tar", ["-xzf", nodeArchive(NODE_PACKAGES[architecture]), "-C", npm, "package/bin/node", "package/LICENSE"]);
    const debian = join(folder, "debian");
    const controls = DEBIAN_PACKAGES[architecture].map((wanted) => {
      const archive = debianArchive(wanted, architecture);
      run("dpkg-deb", ["--extract", archive, debian]);
      return [wanted.name, Buffer.from(run("dpkg-deb", ["--field", archive]))] as const;
    });
    return {
      node: readFileSync(join(npm, "package/bin/node")),
      nodeLicense: readFileSync(join(npm, "package/LICENSE")),
      libraries: readLibraries(debian, architecture),
      copyrights: readCopyrights(debian, architecture),
      controls: Object.fromEntries(controls),
    };
  } catch (error) {
    throw new Error(`cannot get the parts of the image for ${architecture}, Node ${NODE_VERSION}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Debian has them in /lib and /usr/lib; the image has them in one folder. */
function readLibraries(folder: string, architecture: Architecture): Readonly<Record<string, Uint8Array>> {
  const lib = join(folder, LIBRARY_FOLDERS[architecture]);
  const usrLib = join(folder, "usr", LIBRARY_FOLDERS[architecture]);
  const names: readonly (readonly [string, string])[] = [
    ...[LOADERS[architecture].name, ...LIBRARIES.libc6, ...LIBRARIES["libgcc-s1"]].map((name) => [name, lib] as const),
    ...LIBRARIES["libstdc++6"].map((name) => [name, usrLib] as const),
  ];
  return Object.fromEntries(names.map(([name, where]) => [name, readFileSync(join(where, name))]));
}

/** The folders of some packages are links to those of others. */
function readCopyrights(folder: string, architecture: Architecture): Readonly<Record<string, Uint8Array>> {
  const names = DEBIAN_PACKAGES[architecture].map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, "usr/share/doc", name, "copyright"))]),
  );
}
