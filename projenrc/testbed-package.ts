import type { Project } from "projen";
import { Mocha } from "./mocha.js";
import { ModulePackage } from "./module-package.js";
import { TEST_DEPS } from "./shared-options.js";
import { VERSIONS } from "./versions.js";

/** `flipop-testbed`: a real control plane for the tests of all packages. Private; tsx runs its sources directly. */
export class TestbedPackage extends ModulePackage {
  constructor(parent: Project) {
    super(parent, {
      name: "testbed",
      description: "Starts etcd and kube-apiserver, fake nodes and pods, and a kubelet stand-in for tests",
      include: ["test/**/*.ts"],
      deps: [`yaml@${VERSIONS.yaml}`],
      devDeps: TEST_DEPS,
      exports: { ".": "./src/index.ts" },
    });
    new Mocha(this);
  }
}
