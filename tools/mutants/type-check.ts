/** Whether a mutant compiles: one that does not is no question for tests. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { Mutant } from "./sample.js";
import { mutatedText } from "./working-copy.js";

const PROJECTS = { operator: "operator/tsconfig.json", constructs: "constructs/test/tsconfig.json" };
/** Code that a mutant makes unreachable or a variable that it leaves unused is no error here. */
const RELAXED: ts.CompilerOptions = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true };

/** Checks mutants by the types of a working copy. It keeps the program of each workspace between two mutants. */
export class TypeCheck {
  private readonly services = new Map<string, ts.LanguageService>();
  private readonly changed = new Map<string, { readonly text: string; readonly version: number }>();
  private checks = 0;

  constructor(private readonly root: string) {}

  compiles(mutant: Mutant): boolean {
    const path = join(this.root, mutant.file);
    const text = readFileSync(path, "utf8");
    const service = this.serviceOf(mutant.file, path);
    this.change(path, mutatedText(text, mutant));
    const problems = [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)];
    this.change(path, text);
    return problems.length === 0;
  }

  private change(path: string, text: string): void {
    this.changed.set(path, { text, version: ++this.checks });
  }

  private serviceOf(file: string, path: string): ts.LanguageService {
    const workspace = file.startsWith("operator/") ? "operator" : "constructs";
    if (!this.changed.has(path)) this.change(path, readFileSync(path, "utf8"));
    const service = this.services.get(workspace) ?? ts.createLanguageService(this.host(workspace));
    this.services.set(workspace, service);
    return service;
  }

  private host(workspace: keyof typeof PROJECTS): ts.LanguageServiceHost {
    const config = join(this.root, PROJECTS[workspace]);
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(config, ts.sys.readFile).config,
      ts.sys,
      join(config, ".."),
    );
    return {
      getCompilationSettings: () => ({ ...options, ...RELAXED, incremental: false }),
      getScriptFileNames: () => [...this.changed.keys()].filter((path) => path.startsWith(join(this.root, workspace))),
      getScriptVersion: (path) => String(this.changed.get(path)?.version ?? 0),
      getScriptSnapshot: (path) => {
        const text = this.changed.get(path)?.text ?? ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => join(this.root, workspace),
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: ts.sys.fileExists,
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      ...(ts.sys.realpath && { realpath: ts.sys.realpath }),
    };
  }
}
