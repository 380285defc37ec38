import { type Project, typescript } from "projen";
import { Mocha } from "./mocha.js";
import { SHARED_OPTIONS, STRICT, TEST_DEPS } from "./shared-options.js";
import { RELEASE, VERSIONS } from "./versions.js";

/** `flipop-operator`: the controller. ESM, run by tsx in development, bundled for the image. */
export class OperatorPackage extends typescript.TypeScriptProject {
  constructor(parent: Project) {
    super({
      ...SHARED_OPTIONS,
      parent,
      outdir: "operator",
      name: "flipop-operator",
      description: "The operator that keeps public addresses, DNS records and firewalls on healthy nodes",
      repositoryDirectory: "operator",
      projenDevDependency: false,
      typescriptVersion: VERSIONS.typescript,
      package: false,
      npmignoreEnabled: false,
      tsconfig: {
        include: ["bundle.ts", "bench/**/*.ts", "test/**/*.ts"],
        compilerOptions: {
          ...STRICT,
          rootDir: ".",
          noEmit: true,
          module: "nodenext" as never,
          types: ["node", "mocha"],
        },
      },
      disableTsconfigDev: true,
      deps: DEPENDENCIES,
      devDeps: [
        ...TEST_DEPS,
        `ajv@${VERSIONS.ajv}`,
        `ajv-formats@${VERSIONS.ajvFormats}`,
        `esbuild@${VERSIONS.esbuild}`,
        `flipop-testbed@${RELEASE}`,
      ],
    });
    this.package.addVersion(RELEASE);
    this.package.addField("private", true);
    this.package.addField("type", "module");
    this.addTask("bundle", { description: "Bundles the operator into dist/", exec: "tsx bundle.ts" });
    new Mocha(this, { faults: "*{faults,storm,simulation}*.test.ts" });
  }
}

/** Why each: docs/adr/0002-repo-layout.md. */
const DEPENDENCIES = [
  `@bufbuild/cel@${VERSIONS.cel}`,
  `@kubernetes/client-node@${VERSIONS.kubernetesClient}`,
  `cdk8s-flipop@${RELEASE}`,
  `cloudflare@${VERSIONS.cloudflare}`,
  `commander@${VERSIONS.commander}`,
  `pino@${VERSIONS.pino}`,
  `pino-pretty@${VERSIONS.pinoPretty}`,
  `prom-client@${VERSIONS.promClient}`,
  `undici@${VERSIONS.undici}`,
  `yaml@${VERSIONS.yaml}`,
];
