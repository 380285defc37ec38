import { type Entry, textFile } from "./entries.js";
import { APP_FOLDER, NODE_PATH, USER } from "./settings.js";
import { type Architecture, DEBIAN, LIBRARY_FOLDERS, LOADERS } from "./sources.js";
import type { Parts } from "./unpack.js";

/** A layer of the image: what changes least often comes first, so that an upgrade fetches the last one only. */
export interface Layer {
  readonly name: "libraries" | "node" | "flipop";
  readonly entries: readonly Entry[];
}

/** What the operator adds. */
export interface App {
  /** Files of the bundle by their path in its folder. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly license: Uint8Array;
  /** SPDX 2.3, JSON. */
  readonly sbom: string;
}

const EXECUTABLE = 0o755;
/** Anybody may write, nobody may delete another's files: for those who mount nothing there and run it writable. */
const SHARED_FOLDER = 0o1777;

/** Everything in the image: no shell, no package manager, nothing that is not read by Node or a licence. */
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

/** What the C library and Node look for. Certificates of authorities are inside Node. */
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

/** Licences, and for scanners of vulnerabilities the packages in the form in which distroless images keep them. */
function notices({ copyrights, controls }: Parts): readonly Entry[] {
  return [
    ...Object.entries(copyrights).map(([name, content]) => ({ path: `usr/share/doc/${name}/copyright`, content })),
    ...Object.entries(controls).map(([name, content]) => ({ path: `var/lib/dpkg/status.d/${name}`, content })),
  ];
}
