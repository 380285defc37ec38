import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleFiles, readMetafile } from "./bundle.js";
import type { Entry } from "./entries.js";
import { ociLayout, type PlatformImage, platformImage } from "./oci.js";
import type { Architecture } from "./pinned-packages.js";
import { type Layer, layersOf } from "./root-file-system.js";
import { npmParts, sbom, systemParts } from "./sbom.js";
import { readParts } from "./unpack.js";

const ROOT = resolve(import.meta.dirname, "../..");

/** The inputs of the image. */
export interface BuildOptions {
  readonly architectures: readonly Architecture[];
  /** Folder of the bundle. */
  readonly bundle: string;
  /** Time of all files and of the image, in seconds since 1970. */
  readonly epochSeconds: number;
}

/** The image of all platforms, in memory. */
export interface BuiltImage {
  readonly layout: readonly Entry[];
  readonly images: readonly PlatformImage[];
  readonly layers: ReadonlyMap<Architecture, readonly Layer[]>;
}

/** Builds the image. It downloads Node and the libraries if the cache lacks them. */
export async function buildImage({ architectures, bundle, epochSeconds }: BuildOptions): Promise<BuiltImage> {
  const metafile = readMetafile(bundle);
  const files = bundleFiles(bundle, metafile);
  const packages = npmParts(metafile, join(ROOT, "operator"));
  const license = readFileSync(join(ROOT, "LICENSE"));
  const layers = new Map(
    architectures.map((architecture) => {
      const app = { files, license, sbom: sbom([...systemParts(architecture), ...packages], epochSeconds) };
      return [architecture, layersOf(architecture, readParts(architecture), app)] as const;
    }),
  );
  const images = await Promise.all(
    [...layers].map(([architecture, packed]) =>
      platformImage(architecture, packed, { epochSeconds, commit: metafile.commit }),
    ),
  );
  return { layout: ociLayout(images), images, layers };
}
