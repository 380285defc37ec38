/**
 * `tsx tools/image/main.ts [--arch amd64|arm64]... [--out DIR]` packs the bundle, Node and its libraries into an OCI image
 * without a container engine and without root. In DIR (operator/dist/image): `oci`, an image layout for skopeo, podman and
 * buildah; `flipop.oci.tar`, the same in one file; `rootfs/ARCH` for the Containerfile. `SOURCE_DATE_EPOCH` is the time of
 * all files (1970). `npm run image`
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildImage } from "./build.js";
import { layoutDigest } from "./oci.js";
import { ARCHITECTURES, type Architecture } from "./pinned-packages.js";
import { IMAGE_NAME } from "./settings.js";
import { tarOf } from "./tar.js";
import { writeEntries } from "./write.js";

const BUNDLE = resolve(import.meta.dirname, "../../operator/dist");

const { values } = parseArgs({
  options: { arch: { type: "string", multiple: true }, out: { type: "string", default: join(BUNDLE, "image") } },
});
const out = resolve(values.out);
const { layout, images, layers } = await buildImage({
  architectures: chosen(values.arch),
  bundle: BUNDLE,
  epochSeconds: epoch(process.env["SOURCE_DATE_EPOCH"] ?? "0"),
});
writeEntries(join(out, "oci"), layout);
writeFileSync(join(out, "flipop.oci.tar"), tarOf(layout, 0));
for (const [architecture, all] of layers) {
  writeEntries(
    join(out, "rootfs", architecture),
    all.flatMap(({ entries }) => entries),
  );
}
for (const { architecture, compressedBytes } of images) {
  console.log(`linux/${architecture}: ${(compressedBytes / 1e6).toFixed(1)} MB compressed`);
}
console.log(`${IMAGE_NAME} ${layoutDigest(layout)}\n${join(out, "oci")}`);

function chosen(names: readonly string[] | undefined): readonly Architecture[] {
  const unknown = names?.find((name) => !ARCHITECTURES.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--arch ${unknown}: use ${ARCHITECTURES.join(" or ")}`);
  return ARCHITECTURES.filter((name) => names === undefined || names.includes(name));
}

function epoch(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds < 8 ** 11) return seconds;
  throw new Error(`SOURCE_DATE_EPOCH "${text}" is not a time: give whole seconds since 1970`);
}
