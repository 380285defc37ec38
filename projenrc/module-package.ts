import { type Project, type Task, typescript } from "projen";
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
  private readonly build: Task;

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
          // Nothing reads declarations, and an export may have a type that its module does not export.
          declaration: false,
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
    // projen's build runs all tests; this one does for the workspace what the root's does for all.
    this.tasks.removeTask("build");
    this.build = this.addTask("build", {
      description: "Compiles the library, and bundles what the workspace bundles",
      steps: [{ exec: "npm run --silent compile", cwd: ".." }],
    });
  }

  /** The executable, as a part of the build. */
  protected addBundle(description: string): void {
    this.build.spawn(this.addTask("bundle", { description, exec: "tsx bundle.ts" }));
  }
}
