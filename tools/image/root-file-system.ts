import { type Entry, textFile } from "./entries.js";
import { type Architecture, DEBIAN, LIBRARY_FOLDERS, LOADERS } from "./pinned-packages.js";
import { APP_FOLDER, NODE_PATH, USER } from "./settings.js";
import type { Parts } from "./unpack.js";

/** A layer of the image. Rarely changed layers come first, so that an upgrade downloads only the last one. */
export interface Layer {
  readonly name: "libraries" | "node" | "flipop";
  readonly entries: readonly Entry[];
}

/** The operator's files. */
export interface App {
  /** Files of the bundle by their path in its folder. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly license: Uint8Array;
  /** SPDX 2.3, JSON. */
  readonly sbom: string;
}

const EXECUTABLE = 0o755;
/** Sticky and writable for all users, for containers with a writable root file system and no mount at this path. */
const SHARED_FOLDER = 0o1777;

/** All files of the image: only files that Node reads, and licences. It contains no shell and no package manager. */
export function layersOf(architecture: Architecture, parts: Parts, app: App): readonly Layer[] {
  const { path, name } = LOADERS[architecture];
  const folder = LIBRARY_FOLDERS[architecture];
  const libraries = Object.entries(parts.libraries).map(([file, content]) => {
    return { path: `${folder}/${file}`, content, mode: file === name ? EXECUTABLE : 0o644 };
  });
  return [
    {
      name: "libraries",
      entries: [...system(), ...libraries, { path, link: `/${folder}/${name}` }, ...notices(parts)],
    },
    {
      name: "node",
      entries: [
        { path: NODE_PATH, content: parts.node, mode: EXECUTABLE },
        { path: "usr/share/doc/node/LICENSE", content: parts.nodeLicense },
      ],
    },
    { name: "flipop", entries: appEntries(app) },
  ];
}

function appEntries({ files, license, sbom }: App): readonly Entry[] {
  const bundle = Object.entries(files).map(([file, content]) => ({ path: `${APP_FOLDER}/${file}`, content }));
  return [
    ...bundle,
    { path: "usr/share/doc/flipop/LICENSE", content: license },
    textFile("usr/share/doc/flipop/sbom.spdx.json", [sbom]),
  ];
}

/** Files that the C library and Node read. Node itself contains the CA certificates. */
function system(): readonly Entry[] {
  return [
    textFile("etc/passwd", ["root:x:0:0:root:/:/sbin/nologin", `flipop:x:${USER}:${USER}:flipop:/tmp:/sbin/nologin`]),
    textFile("etc/group", ["root:x:0:", `flipop:x:${USER}:`]),
    textFile("etc/nsswitch.conf", ["passwd: files", "group: files", "hosts: files dns"]),
    { path: "tmp", mode: SHARED_FOLDER },
    textFile("etc/os-release", [
      'PRETTY_NAME="flipop, on libraries of Debian"',
      'NAME="Debian GNU/Linux"',
      "ID=debian",
      `VERSION_ID="${DEBIAN.version}"`,
      `VERSION_CODENAME=${DEBIAN.codename}`,
    ]),
  ];
}

/** Licences, and the list of packages for vulnerability scanners in the format of distroless images. */
function notices({ copyrights, controls }: Parts): readonly Entry[] {
  return [
    ...Object.entries(copyrights).map(([name, content]) => ({ path: `usr/share/doc/${name}/copyright`, content })),
    ...Object.entries(controls).map(([name, content]) => ({ path: `var/lib/dpkg/status.d/${name}`, content })),
  ];
}
