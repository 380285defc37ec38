import { Component, JsonFile, type javascript, TextFile } from "projen";
import { VERSIONS } from "./versions.js";

const LINE_WIDTH = 120;

/** biome: format and fast lint for the whole repo, and the same settings for editors. */
export class Formatting extends Component {
  constructor(project: javascript.NodeProject) {
    super(project);
    new JsonFile(project, "biome.json", {
      marker: false,
      obj: {
        $schema: "./node_modules/@biomejs/biome/configuration_schema.json",
        vcs: { enabled: true, clientKind: "git", useIgnoreFile: true },
        files: { includes: ["**", ...GENERATED.map((file) => `!**/${file}`)] },
        formatter: { indentStyle: "space", indentWidth: 2, lineWidth: LINE_WIDTH },
        linter: { rules: LINT_RULES },
      },
    });
    new TextFile(project, ".editorconfig", { lines: EDITORCONFIG });
    project.addDevDeps(`@biomejs/biome@${VERSIONS.biome}`);
  }
}

/** Other tools write these files, in their own format. */
const GENERATED = [
  "package.json",
  "tsconfig.json",
  ".mocharc.json",
  ".c8rc.json",
  "biome.json",
  ".vscode",
  ".projen",
  "dist",
  "baseline",
];

const LINT_RULES = {
  preset: "recommended",
  complexity: { useLiteralKeys: "off" },
  style: { useNodejsImportProtocol: "error", noNonNullAssertion: "error", useImportType: "error" },
  suspicious: { noExplicitAny: "error" },
};

const EDITORCONFIG = [
  "root = true",
  "",
  "[*]",
  "charset = utf-8",
  "end_of_line = lf",
  "indent_style = space",
  "indent_size = 2",
  "insert_final_newline = true",
  "trim_trailing_whitespace = true",
  `max_line_length = ${LINE_WIDTH}`,
  "",
  "[*.go]",
  "indent_style = tab",
  "",
];
