import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { skip } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import type { BuiltImage } from "../../tools/image/build.js";
import type { Entry } from "../../tools/image/entries.js";
import { ARCHITECTURES, type Architecture, LIBRARY_FOLDERS, LOADERS } from "../../tools/image/pinned-packages.js";
import { APP_FOLDER, CONTAINER, NODE_PATH, USER } from "../../tools/image/settings.js";
import { writeEntries } from "../../tools/image/write.js";
import { bundleInto, HERE, imageOf } from "../support/image.js";
import { Processes } from "../support/process.js";

const BUILD_TIMEOUT_MS = 15 * 60_000;
const MOST_BYTES = 55e6;
/** `e_machine` of the ELF header, by platform. */
const MACHINES = { amd64: 62, arm64: 183 } as const;

describe("the released image", function () {
  this.timeout(BUILD_TIMEOUT_MS);
  const processes = new Processes();
  let folder: string;
  let bundle: string;
  let built: BuiltImage;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "flipop-image-"));
    bundle = bundleInto(folder);
    built = await imageOf(bundle);
  });

  after(async () => {
    await processes.endAll();
    rmSync(folder, { recursive: true });
  });

  function entriesOf(architecture: Architecture): readonly Entry[] {
    return (built.layers.get(architecture) ?? []).flatMap(({ entries }) => entries);
  }

  /**
   * Starts Node in the root file system: as the image's user if this process may, otherwise with the image's loader.
   */
  function startInside(root: string, architecture: Architecture, args: readonly string[]) {
    if (process.getuid?.() === 0) {
      const command = [`--userspec=${USER}:${USER}`, root, ...CONTAINER.Entrypoint, ...args];
      return processes.start("chroot", command, { cwd: folder });
    }
    const libraries = join(root, LIBRARY_FOLDERS[architecture]);
    const command = ["--library-path", libraries, join(root, NODE_PATH), join(root, APP_FOLDER, "flipop.mjs"), ...args];
    return processes.start(join(libraries, LOADERS[architecture].name), command, { cwd: folder });
  }

  for (const architecture of ARCHITECTURES) {
    it(`is under ${MOST_BYTES / 1e6} MB for ${architecture}`, () => {
      const image = built.images.find((one) => one.architecture === architecture);
      expect(image?.compressedBytes).to.be.below(MOST_BYTES).and.above(1e6);
    });

    it(`has executables and libraries of ${architecture}, and no source maps`, () => {
      const binaries = entriesOf(architecture).filter(({ content }) => isElf(content));
      expect(binaries.map(({ path }) => path))
        .to.have.lengthOf(8)
        .and.to.include(NODE_PATH);
      for (const { path, content } of binaries) {
        expect(Buffer.from(content ?? "").readUInt16LE(18), path).to.equal(MACHINES[architecture]);
      }
      expect(entriesOf(architecture).filter(({ path }) => path.endsWith(".map"))).to.deep.equal([]);
    });
  }

  it("starts from its root file system", async function () {
    if (HERE === undefined) {
      skip(this, `no image for ${process.arch}: it cannot start here`);
    }
    const root = join(folder, "root");
    writeEntries(root, entriesOf(HERE));
    const { code, out, err } = await startInside(root, HERE, ["--version"]).ended();
    expect({ code, out, err }).to.deep.equal({ code: 0, out: `${RELEASE}\n`, err: "" });
  });

  it("is the same in another build from the same bundle", async () => {
    const [first] = ARCHITECTURES;
    const again = await imageOf(bundle, [first]);
    expect(again.images.map(({ manifest }) => manifest)).to.deep.equal([built.images[0]?.manifest]);
  });
});

function isElf(content: Uint8Array | undefined): boolean {
  return Buffer.from(content ?? "")
    .subarray(0, 4)
    .equals(Buffer.from("\x7fELF"));
}
