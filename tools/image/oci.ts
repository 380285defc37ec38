import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Entry } from "./entries.js";
import type { Architecture } from "./pinned-packages.js";
import type { Layer } from "./root-file-system.js";
import { CONTAINER, IMAGE_NAME, REVISION_LABEL } from "./settings.js";
import { tarOf } from "./tar.js";

const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;
const BEST = 9;

/** A descriptor of a blob, by the OCI image specification. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** The image of one platform. */
export interface PlatformImage {
  readonly architecture: Architecture;
  readonly manifest: Descriptor;
  readonly blobs: Blobs;
  /** Bytes that a node downloads. */
  readonly compressedBytes: number;
}

/** Contents by digest. */
type Blobs = ReadonlyMap<string, Uint8Array>;

/** What the configuration of an image says about its sources. */
export interface Origin {
  /** Time of all files and of the image, in seconds since 1970. */
  readonly epochSeconds: number;
  /** Empty: unknown. */
  readonly commit: string;
}

/** Packs the layers. With the same release of Node, the same layers and time result in the same bytes. */
export async function platformImage(
  architecture: Architecture,
  layers: readonly Layer[],
  { epochSeconds, commit }: Origin,
): Promise<PlatformImage> {
  const packed = await Promise.all(
    layers.map(async ({ name, entries }) => {
      const tar = tarOf(entries, epochSeconds);
      return { name, diffId: digestOf(tar), content: await promisify(gzip)(tar, { level: BEST }) };
    }),
  );
  const created = new Date(epochSeconds * 1000).toISOString();
  const config = jsonOf({
    created,
    architecture,
    os: "linux",
    config: { ...CONTAINER, Labels: { ...CONTAINER.Labels, ...(commit && { [REVISION_LABEL]: commit }) } },
    rootfs: { type: "layers", diff_ids: packed.map(({ diffId }) => diffId) },
    history: packed.map(({ name }) => ({ created, created_by: `npm run image: ${name}` })),
  });
  const manifest = jsonOf({
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config: descriptor(TYPES.config, config),
    layers: packed.map(({ content }) => descriptor(TYPES.layer, content)),
  });
  const contents = [...packed.map(({ content }) => content), config, manifest];
  return {
    architecture,
    manifest: descriptor(TYPES.manifest, manifest),
    blobs: new Map(contents.map((content) => [digestOf(content), content])),
    compressedBytes: packed.reduce((sum, { content }) => sum + content.length, 0),
  };
}

/** An OCI image layout with one image for all platforms, with its name and its tag. */
export function ociLayout(images: readonly PlatformImage[]): readonly Entry[] {
  const index = jsonOf({
    schemaVersion: 2,
    mediaType: TYPES.index,
    manifests: images.map(({ architecture, manifest }) => ({ ...manifest, platform: { architecture, os: "linux" } })),
  });
  const annotations = {
    "io.containerd.image.name": IMAGE_NAME,
    "org.opencontainers.image.ref.name": IMAGE_NAME.slice(IMAGE_NAME.lastIndexOf(":") + 1),
  };
  const top = { schemaVersion: 2, mediaType: TYPES.index };
  const blobs = new Map([...images.flatMap((image) => [...image.blobs]), [digestOf(index), index] as const]);
  return [
    { path: "oci-layout", content: jsonOf({ imageLayoutVersion: "1.0.0" }) },
    {
      path: "index.json",
      content: jsonOf({ ...top, manifests: [{ ...descriptor(TYPES.index, index), annotations }] }),
    },
    ...[...blobs].map(([digest, content]) => ({ path: `blobs/${digest.replace(":", "/")}`, content })),
  ];
}

/** Digest of the whole image, which a registry shows for the tag. */
export function layoutDigest(layout: readonly Entry[]): string {
  const top = layout.find(({ path }) => path === "index.json")?.content ?? Buffer.from("{}");
  const { manifests } = JSON.parse(Buffer.from(top).toString()) as { manifests: readonly Descriptor[] };
  return manifests.map(({ digest }) => digest).join();
}

function descriptor(mediaType: string, content: Uint8Array): Descriptor {
  return { mediaType, digest: digestOf(content), size: content.length };
}

function digestOf(content: Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
