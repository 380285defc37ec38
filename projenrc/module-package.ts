import { type Project, typescript } from "projen";
import { SHARED_OPTIONS, STRICT } from "./shared-options.js";
import { RELEASE, VERSIONS } from "./versions.js";

export interface ModuleOptions {
  /** Also the name of the folder; the package is `flipop-NAME`. */
  readonly name: string;
  readonly description: string;
  /** TypeScript files beside those in `src`. */
  readonly include: string[];
  readonly deps: string[];
  readonly devDeps: string[];
  readonly exports: Readonly<Record<string, unknown>>;
  readonly entrypoint?: string;
}

/** A private ESM workspace, whose sources tsx runs in development. */
export class ModulePackage extends typescript.TypeScriptProject {
  constructor(parent: Project, { name, description, include, deps, devDeps, ...options }: ModuleOptions) {
    const { exports, entrypoint } = options;
    super({
      ...SHARED_OPTIONS,
      parent,
      outdir: name,
      name: `flipop-${name}`,
      description,
      repositoryDirectory: name,
      projenDevDependency: false,
      typescriptVersion: VERSIONS.typescript,
      package: false,
      npmignoreEnabled: false,
      autoDetectBin: false,
      ...(entrypoint === undefined ? {} : { entrypoint, entrypointTypes: entrypoint }),
      tsconfig: {
        include,
        compilerOptions: {
          ...STRICT,
          rootDir: ".",
          noEmit: true,
          module: "nodenext" as never,
          types: ["node", "mocha"],
        },
      },
      disableTsconfigDev: true,
      deps,
      devDeps,
    });
    this.package.addVersion(RELEASE);
    this.package.addField("private", true);
    this.package.addField("type", "module");
    this.package.addField("exports", exports);
  }
}
