import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const DOCS = resolve(import.meta.dirname, "../../docs");

/** Pages that people follow, by path under docs. */
export function pages(): readonly string[] {
  const folders = ["how-to", "reference", "tutorials"];
  return folders.flatMap((folder) =>
    readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
}

export function pageText(page: string): string {
  return readFileSync(join(DOCS, page), "utf8");
}

/** The lines of all sh blocks of a page, without comments. */
export function shellLines(page: string): readonly string[] {
  const blocks = [...pageText(page).matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.split("\n"));
  return lines.map((line) => line.replace(/ +# .*$/, "").trim()).filter((line) => line !== "");
}
