import { javascript } from "projen";
import { AUTHOR, MIN_NODE, REPOSITORY, VERSIONS } from "./versions.js";

/** Common options of all Node projects of the repo: npm, Apache-2.0, and none of projen's unused defaults. */
export const SHARED_OPTIONS = {
  packageManager: javascript.NodePackageManager.NPM,
  addPackageManagerToDevEngines: false,
  minNodeVersion: MIN_NODE,
  projenVersion: VERSIONS.projen,
  authorName: AUTHOR.name,
  authorEmail: AUTHOR.email,
  authorOrganization: true,
  repository: REPOSITORY,
  license: "Apache-2.0",
  defaultReleaseBranch: "main",
  jest: false,
  eslint: false,
  prettier: false,
  github: false,
  release: false,
  depsUpgrade: false,
  buildWorkflow: false,
  sampleCode: false,
} as const;

/** Test tools of a workspace; all workspaces have the same versions, so npm installs each once. */
export const TEST_DEPS = [
  `@types/chai@${VERSIONS.typesChai}`,
  `@types/mocha@${VERSIONS.typesMocha}`,
  `@types/node@${VERSIONS.typesNode}`,
  `chai@${VERSIONS.chai}`,
  `mocha@${VERSIONS.mocha}`,
  `tsx@${VERSIONS.tsx}`,
  `typescript@${VERSIONS.typescript}`,
];

/** The compiler's strictest set; every tsconfig of the repo spreads it. */
export const STRICT = {
  target: "ES2022",
  lib: ["ES2023"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  forceConsistentCasingInFileNames: true,
  isolatedModules: true,
  skipLibCheck: true,
};
