import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import type { Entry } from "../../tools/image/entries.js";
import { ociLayout, platformImage } from "../../tools/image/oci.js";
import { ARCHITECTURES, type Architecture } from "../../tools/image/pinned-packages.js";
import { layersOf } from "../../tools/image/root-file-system.js";
import { CONTAINER } from "../../tools/image/settings.js";
import type { Parts } from "../../tools/image/unpack.js";

const TIME = 1_700_000_000;
const COMMIT = "0a".repeat(20);

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** An image with two small files for each platform. */
async function tinyLayout(time = TIME): Promise<readonly Entry[]> {
  const images = ARCHITECTURES.map((architecture) => {
    const entries = [{ path: "etc/platform", content: Buffer.from(architecture) }];
    return platformImage(
      architecture,
      [
        { name: "libraries", entries },
        { name: "flipop", entries: [] },
      ],
      { epochSeconds: time, commit: COMMIT },
    );
  });
  return ociLayout(await Promise.all(images));
}

function reader(layout: readonly Entry[]) {
  const content = (path: string) => Buffer.from(layout.find((entry) => entry.path === path)?.content ?? "");
  const blob = ({ digest }: Descriptor) => content(`blobs/${digest.replace(":", "/")}`);
  const json = (descriptor: Descriptor) => JSON.parse(blob(descriptor).toString()) as Record<string, unknown>;
  return { content, blob, json };
}

describe("the OCI layout of the image", () => {
  it("links the tag to the platforms and their layers, with each blob under its digest", async () => {
    const { content, blob, json } = reader(await tinyLayout());
    const top = JSON.parse(content("index.json").toString()) as { manifests: [Descriptor] };
    expect(top.manifests[0].annotations).to.deep.equal({
      "io.containerd.image.name": `ghcr.io/flipop/flipop:${RELEASE}`,
      "org.opencontainers.image.ref.name": RELEASE,
    });
    const { manifests } = json(top.manifests[0]) as { manifests: Descriptor[] };
    expect(manifests.map(({ platform }) => platform)).to.deep.equal([
      { architecture: "amd64", os: "linux" },
      { architecture: "arm64", os: "linux" },
    ]);
    for (const manifest of manifests) {
      const { config, layers } = json(manifest) as { config: Descriptor; layers: Descriptor[] };
      const { rootfs } = json(config) as { rootfs: { diff_ids: string[] } };
      expect(layers.map((layer) => sha256(gunzipSync(blob(layer))))).to.deep.equal(rootfs.diff_ids);
      for (const one of [manifest, config, ...layers]) {
        expect({ digest: sha256(blob(one)), size: blob(one).length }).to.deep.equal({
          digest: one.digest,
          size: one.size,
        });
      }
    }
  });

  it("has the same bytes for the same input, and other bytes for another time", async () => {
    const texts = (layout: readonly Entry[]) => layout.map(({ path }) => path);
    expect(texts(await tinyLayout())).to.deep.equal(texts(await tinyLayout()));
    expect(texts(await tinyLayout(TIME + 1))).not.to.deep.equal(texts(await tinyLayout()));
  });

  it("names the commit of its sources", async () => {
    const { blobs } = await platformImage("arm64", [], { epochSeconds: TIME, commit: COMMIT });
    const texts = [...blobs.values()].map((blob) => Buffer.from(blob).toString());
    expect(texts.join("\n")).to.include(`"org.opencontainers.image.revision":"${COMMIT}"`);
  });

  it("runs the operator as an unprivileged user", async () => {
    const { blobs, manifest } = await platformImage("arm64", [], { epochSeconds: TIME, commit: "" });
    const json = (digest: string) => JSON.parse(Buffer.from(blobs.get(digest) ?? "").toString()) as unknown;
    const { config } = json(manifest.digest) as { config: Descriptor };
    expect(json(config.digest)).to.deep.include({ architecture: "arm64", os: "linux", config: CONTAINER });
    expect(CONTAINER).to.deep.include({ User: "65532:65532", StopSignal: "SIGTERM" });
  });
});

describe("the root file system of the image", () => {
  for (const architecture of ARCHITECTURES) {
    it(`has for ${architecture} the entrypoint's files, the loader, and only the files that Node needs`, () => {
      const entries = layersOf(architecture, fakeParts(architecture), fakeApp()).flatMap((layer) => layer.entries);
      const paths = entries.map(({ path }) => `/${path}`);
      expect(paths).to.include.members([...CONTAINER.Entrypoint]);
      const loader = entries.find(({ link }) => link !== undefined);
      expect(paths).to.include(loader?.link);
      for (const { path, content, mode = 0o644 } of entries) {
        const executable = content !== undefined && (mode & 0o111) !== 0;
        expect(executable, path).to.equal(path === "usr/bin/node" || `/${path}` === loader?.link);
        expect(mode & 0o6000, `${path} is not setuid`).to.equal(0);
      }
    });
  }

  it("has a separate layer for the files that change with each release", () => {
    const [libraries, node, flipop] = layersOf("amd64", fakeParts("amd64"), fakeApp());
    expect(node?.entries.map(({ path }) => path)).to.deep.equal(["usr/bin/node", "usr/share/doc/node/LICENSE"]);
    expect(flipop?.entries.map(({ path }) => path)).to.include("usr/lib/flipop/flipop.mjs");
    expect(libraries?.entries.map(({ path }) => path)).not.to.include("usr/lib/flipop/flipop.mjs");
  });
});

function fakeParts(architecture: Architecture): Parts {
  const some = Buffer.from("some");
  const loader = architecture === "amd64" ? "ld-linux-x86-64.so.2" : "ld-linux-aarch64.so.1";
  return {
    node: some,
    nodeLicense: some,
    libraries: { [loader]: some, "libc.so.6": some },
    copyrights: { libc6: some },
    controls: { libc6: some },
  };
}

function fakeApp() {
  return { files: { "flipop.mjs": Buffer.from("//") }, license: Buffer.from("Apache"), sbom: "{}" };
}

function sha256(content: Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
