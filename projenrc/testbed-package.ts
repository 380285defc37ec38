import { type Project, typescript } from "projen";
import { Mocha } from "./mocha.js";
import { SHARED_OPTIONS, STRICT, TEST_DEPS } from "./shared-options.js";
import { RELEASE, VERSIONS } from "./versions.js";

/** `flipop-testbed`: a real control plane for the tests of all packages. Private; tsx runs its sources directly. */
export class TestbedPackage extends typescript.TypeScriptProject {
  constructor(parent: Project) {
    super({
      ...SHARED_OPTIONS,
      parent,
      outdir: "testbed",
      name: "flipop-testbed",
      description: "Starts etcd and kube-apiserver, fake nodes and pods, and a kubelet stand-in for tests",
      repositoryDirectory: "testbed",
      projenDevDependency: false,
      typescriptVersion: VERSIONS.typescript,
      package: false,
      npmignoreEnabled: false,
      tsconfig: {
        include: ["test/**/*.ts"],
        compilerOptions: {
          ...STRICT,
          rootDir: ".",
          noEmit: true,
          module: "nodenext" as never,
          types: ["node", "mocha"],
        },
      },
      disableTsconfigDev: true,
      deps: [`yaml@${VERSIONS.yaml}`],
      devDeps: TEST_DEPS,
    });
    this.package.addVersion(RELEASE);
    this.package.addField("private", true);
    this.package.addField("type", "module");
    this.package.addField("exports", { ".": "./src/index.ts" });
    new Mocha(this);
  }
}
