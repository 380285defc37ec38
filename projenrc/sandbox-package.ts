import { type Project, typescript } from "projen";
import { Mocha } from "./mocha.js";
import { SHARED_OPTIONS, STRICT, TEST_DEPS } from "./shared-options.js";
import { RELEASE, VERSIONS } from "./versions.js";

/** `flipop-sandbox`: simulated APIs and the story that plays on them. ESM, run by tsx in development. Private. */
export class SandboxPackage extends typescript.TypeScriptProject {
  constructor(parent: Project) {
    super({
      ...SHARED_OPTIONS,
      parent,
      outdir: "sandbox",
      name: "flipop-sandbox",
      description:
        "Kubernetes, DigitalOcean and Cloudflare simulated in one process, and a story with the real operator",
      repositoryDirectory: "sandbox",
      projenDevDependency: false,
      typescriptVersion: VERSIONS.typescript,
      package: false,
      npmignoreEnabled: false,
      entrypoint: "",
      entrypointTypes: "",
      tsconfig: {
        include: ["bundle.ts", "test/**/*.ts"],
        compilerOptions: {
          ...STRICT,
          rootDir: ".",
          noEmit: true,
          // Incremental: a check after a small change takes a tenth of the first one.
          incremental: true,
          tsBuildInfoFile: "sandbox.tsbuildinfo",
          module: "nodenext" as never,
          types: ["node", "mocha"],
        },
      },
      disableTsconfigDev: true,
      deps: DEPENDENCIES,
      devDeps: DEV_DEPENDENCIES,
    });
    this.package.addVersion(RELEASE);
    this.package.addField("private", true);
    this.package.addField("type", "module");
    this.package.addField("exports", EXPORTS);
    this.package.addBin({ "flipop-sandbox": "./bin/flipop-sandbox.mjs" });
    this.addTask("bundle", { description: "Bundles the sandbox into dist/", exec: "tsx bundle.ts" });
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
  "./story-clock": "./src/story/clock.ts",
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
