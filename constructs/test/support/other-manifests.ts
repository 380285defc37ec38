import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

/** A manifest, with the name of the file that contains it. */
export interface FoundManifest {
  readonly file: string;
  readonly manifest: { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec: unknown };
}

/**
 * Manifests of our group in text files outside the repo, such as those of an existing installation: in the folder that
 * `FLIPOP_SEEDS` names, otherwise in `shared/seeds` beside the repo.
 */
export function otherManifests(): readonly FoundManifest[] {
  const folder = process.env["FLIPOP_SEEDS"] ?? resolve(__dirname, "../../../../shared/seeds");
  if (!existsSync(folder)) {
    process.stderr.write(
      `no folder ${folder}: the tests use only the manifests of this repo (FLIPOP_SEEDS names another folder)\n`,
    );
    return [];
  }
  return readdirSync(folder).flatMap((file) => {
    const blocks = yamlBlocks(readFileSync(join(folder, file), "utf8"));
    return blocks.map((text) => ({ file, manifest: parse(text) as FoundManifest["manifest"] }));
  });
}

/** Blocks of lines that start with `apiVersion:` and continue with indented lines or top-level keys. */
function yamlBlocks(text: string): readonly string[] {
  const blocks: string[][] = [];
  let current: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith("apiVersion:")) {
      current = [line];
      blocks.push(current);
    } else if (/^(\s+\S|kind:|metadata:|spec:)/.test(line)) current?.push(line);
    else current = undefined;
  }
  return blocks.map((lines) => lines.join("\n")).filter((block) => block.includes("flipop.digitalocean.com/"));
}
