import type { Project } from "projen";
import { Mocha } from "./mocha.js";
import { ModulePackage } from "./module-package.js";
import { TEST_DEPS } from "./shared-options.js";
import { RELEASE, VERSIONS } from "./versions.js";

/**
 * `flipop-sandbox`: simulated APIs and the story that plays on them. ESM, run by tsx in development. tools/packs makes the
 * package for npm.
 */
export class SandboxPackage extends ModulePackage {
  constructor(parent: Project) {
    super(parent, {
      name: "sandbox",
      description:
        "Kubernetes, DigitalOcean and Cloudflare simulated in one process, and scenarios with the real operator",
      include: ["bundle.ts", "test/**/*.ts"],
      deps: DEPENDENCIES,
      devDeps: DEV_DEPENDENCIES,
      exports: EXPORTS,
      entrypoint: "",
    });
    this.package.addBin({ "flipop-sandbox": "./bin/flipop-sandbox.mjs" });
    this.addBundle("Bundles the sandbox into dist/");
    new Mocha(this, { jobs: 2 });
  }
}

/**
 * The package's exports. `.` is the bundle, because plain Node loads it; the others are for tests and tools, which tsx
 * runs.
 */
const EXPORTS = {
  ".": { types: "./src/cli.ts", default: "./dist/cli.mjs" },
  "./cloudflare": "./src/cloudflare/index.ts",
  "./digitalocean": "./src/digitalocean/index.ts",
  "./http": "./src/http/index.ts",
  "./kubernetes": "./src/kubernetes/index.ts",
  "./nodes": "./src/nodes.ts",
  "./story": "./src/story/index.ts",
  "./story-calls": "./src/story/pending-requests.ts",
  "./story-clock": "./src/story/clock.ts",
  "./testing": "./src/simulate/index.ts",
  "./testing/answer-check": "./test/support/answer-check.ts",
  "./testing/cloudflare-openapi": "./test/support/cloudflare-openapi.ts",
  "./testing/cloudflare-rig": "./test/support/cloudflare-rig.ts",
  "./testing/digitalocean-openapi": "./test/support/digitalocean-openapi.ts",
};

/** docs/adr/0002-repo-layout.md gives the reason for each. */
const DEPENDENCIES = [
  `@bufbuild/cel@${VERSIONS.cel}`,
  `cdk8s-flipop@${RELEASE}`,
  `commander@${VERSIONS.commander}`,
  `flipop-operator@${RELEASE}`,
  `yaml@${VERSIONS.yaml}`,
];

const DEV_DEPENDENCIES = [
  ...TEST_DEPS,
  `ajv@${VERSIONS.ajv}`,
  `ajv-formats@${VERSIONS.ajvFormats}`,
  `esbuild@${VERSIONS.esbuild}`,
  `flipop-testbed@${RELEASE}`,
  `undici@${VERSIONS.undici}`,
];
