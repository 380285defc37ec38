/**
 * The source of the repo's generated configuration. It generates package.json, tsconfig.json, biome.json and others:
 * change it, run `npx projen`, and commit both.
 */
import { ConstructsPackage } from "./projenrc/constructs-package.js";
import { OperatorPackage } from "./projenrc/operator-package.js";
import { RootProject } from "./projenrc/root-project.js";
import { SandboxPackage } from "./projenrc/sandbox-package.js";
import { TestbedPackage } from "./projenrc/testbed-package.js";

const root = new RootProject();
// The order is the build order: the operator compiles against the library's type model.
root.addWorkspace(new ConstructsPackage(root));
root.addWorkspace(new OperatorPackage(root));
root.addWorkspace(new SandboxPackage(root));
root.addWorkspace(new TestbedPackage(root));
root.synth();
