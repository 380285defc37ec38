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
        include: ["bundle.ts", "bundling.ts", "bench/**/*.ts", "test/**/*.ts"],
        compilerOptions: {
          ...STRICT,
          rootDir: ".",
          noEmit: true,
          // Incremental: a check after a small change takes a tenth of the first one.
          incremental: true,
          tsBuildInfoFile: "operator.tsbuildinfo",
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
    this.addTasks();
  }

  private addTasks(): void {
    this.addTask("bundle", { description: "Bundles the operator into dist/", exec: "tsx bundle.ts" });
    this.addTask("bench", {
      description: "Measures the operator, compared with the library's informer, and on a real kube-apiserver",
      exec: "tsx bench/main.ts",
      receiveArgs: true,
    });
    new Mocha(this, { faults: "*{faults,storm,simulation}*.test.ts", apart: ["operator", "e2e"], jobs: 2 });
    this.addTask("test:process", {
      description: "The whole operator in the test's process, on the Kubernetes emulator and simulated clouds",
      exec: "mocha 'test/operator/**/*.test.ts'",
      receiveArgs: true,
    });
    this.addTask("test:e2e", {
      description: "The operator as a separate process, on a real kube-apiserver and simulated clouds",
      exec: "mocha 'test/e2e/**/*.test.ts'",
      receiveArgs: true,
    });
    this.addTask("test:long", {
      description: "The complete tests of which test:faults and test:server run a part: about an hour",
      env: { FLIPOP_LONG: "1" },
      exec: "mocha test/runtime/leader-simulation.test.ts test/server/kube/endurance.test.ts 'test/server/example/*.test.ts' --timeout 120000",
      receiveArgs: true,
    });
    this.addTask("test:kills", {
      description: "A test of test:e2e that kills the operator 200 times",
      env: { FLIPOP_LONG: "1" },
      exec: "mocha test/e2e/kills.test.ts",
      receiveArgs: true,
    });
  }
}

/** Modules that the sandbox and its tests import: the assembled operator, and small modules that both programs use. */
const EXPORTS = {
  "./broken-pipe": "./src/broken-pipe.ts",
  "./bundling": "./bundling.ts",
  "./clock": "./src/clock.ts",
  "./command-line": "./src/command-line.ts",
  "./config": "./src/config.ts",
  "./create-logger": "./src/create-logger.ts",
  "./exit-codes": "./src/exit-codes.ts",
  "./logging": "./src/logging.ts",
  "./manager": "./src/runtime/manager.ts",
  "./operator": "./src/operator.ts",
  "./redactor": "./src/redactor.ts",
  "./transport": "./src/kube/transport/transport.ts",
  "./testing/fake-clock": "./test/support/fake-clock.ts",
  "./testing/scaled-clock": "./test/support/scaled-clock.ts",
  "./testing/until": "./test/support/until.ts",
};

const DEV_DEPENDENCIES = [
  ...TEST_DEPS,
  `cdk8s@${VERSIONS.cdk8s}`,
  `constructs@${VERSIONS.constructs}`,
  `esbuild@${VERSIONS.esbuild}`,
  `fast-check@${VERSIONS.fastCheck}`,
  `flipop-sandbox@${RELEASE}`,
  `flipop-testbed@${RELEASE}`,
];

/** docs/adr/0002-repo-layout.md gives the reason for each. */
const DEPENDENCIES = [
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
