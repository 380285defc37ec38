import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, stopShared } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { packedFile } from "../../tools/packs/pack.js";
import { CONSTRUCTS, ROOT } from "../../tools/packs/paths.js";
import { run } from "../../tools/packs/run-command.js";
import type { Language } from "../../tools/packs/toolchains.js";
import { packOrSkip } from "../support/packs.js";
import { readmeBlock, readmeCommands } from "../support/readme.js";

/** The quick starts in the library's README. */
const WAYS: readonly Way[] = [
  { app: "The app", block: "ts", file: "main.ts", run: "Run it with Node", pack: "js", ending: ".tgz" },
  {
    app: "The app in Python",
    block: "python",
    file: "main.py",
    run: "Run it with Python",
    pack: "python",
    ending: ".whl",
  },
];

interface Way {
  /** Heading of the app. */
  readonly app: string;
  /** Language of the app's block. */
  readonly block: string;
  /** Path of the app in the README. */
  readonly file: string;
  /** Heading of the commands. */
  readonly run: string;
  readonly pack: Language;
  /** Ending of the packed library's name. */
  readonly ending: string;
}

for (const way of WAYS) {
  describe(`a new user who follows the library's README, "${way.run}"`, () => {
    let plane: ControlPlane;
    let folder: string;

    before(async function () {
      packOrSkip(this, way.pack);
      plane = await controlPlaneOrSkip(this);
      folder = mkdtempSync(join(tmpdir(), "flipop-first-use-"));
    });

    after(async () => {
      if (folder) rmSync(folder, { recursive: true });
      await stopShared();
    });

    if (way.pack === "js") {
      it("finds the API reference in four languages in the package", () => {
        const files = run("tar", ["-tzf", packedFile("js", ".tgz")]).split("\n");
        const pages = ["API.md", "API.python.md", "API.java.md", "API.go.md"];
        expect(files).to.include.members(pages.map((page) => `package/${page}`));
        const python = readFileSync(join(CONSTRUCTS, "API.python.md"), "utf8");
        expect(python).to.include("PodMatch.in_namespace").and.include("desired_ips=");
        // The snippets are translated with their types.
        expect(python).not.to.include("non-compiling source");
      });

      it("finds the packed library with the name in the README", () => {
        const [, name = ""] = /`(constructs\/dist\/js\/[^`]*)`/.exec(README) ?? [];
        const [before, after, ...more] = join(ROOT, name).split("*");
        expect(more).to.deep.equal([]);
        const file = packedFile("js", ".tgz");
        expect([file.startsWith(before ?? "?"), file.endsWith(after ?? "?")]).to.deep.equal([true, true]);
      });
    }

    it("has a pool in the cluster at the first try", async () => {
      writeFileSync(join(folder, way.file), readmeBlock(way.app, way.block));
      for (const command of readmeCommands(way.run)) shell(unpublished(command, way), folder);
      for (const command of readmeCommands("Into the cluster")) await kubectl(plane, command, folder);
      const pool = await plane.client().must.get(POOL);
      expect(pool["spec"]).to.deep.include({ desiredIPs: 2, region: "nyc3", gracePeriodSeconds: 30 });
    }).timeout(300_000);
  });
}

const README = readFileSync(join(CONSTRUCTS, "README.md"), "utf8");
const POOL = "/apis/flipop.digitalocean.com/v1alpha1/namespaces/default/floatingippools/web";

/** The command with the packed library instead of the published one, which does not exist yet. */
function unpublished(command: string, { pack, ending }: Way): string {
  return / install /.test(command) ? command.replace(/(?<= )cdk8s-flipop(?= |$)/, packedFile(pack, ending)) : command;
}

function shell(command: string, folder: string): void {
  // The cache contains the earlier downloads.
  run("sh", ["-c", command], { cwd: folder, env: { npm_config_prefer_offline: "true", npm_config_audit: "false" } });
}

async function kubectl(plane: ControlPlane, command: string, folder: string): Promise<void> {
  const [program, ...args] = command.split(" ").map((word) => word.replace(/^dist\//, `${folder}/dist/`));
  expect(program, `a command of ${CONSTRUCTS}/README.md`).to.equal("kubectl");
  const { code, stderr } = await plane.kubectl(args);
  expect({ command, code, stderr }).to.deep.equal({ command, code: 0, stderr: "" });
}
