import type { Project } from "projen";
import { Mocha } from "./mocha.js";
import { ModulePackage } from "./module-package.js";
import { TEST_DEPS } from "./shared-options.js";
import { IMAGE_NODE, RELEASE, VERSIONS } from "./versions.js";

/** `flipop-operator`: the controller. ESM, run by tsx in development, bundled for the image. */
export class OperatorPackage extends ModulePackage {
  constructor(parent: Project) {
    super(parent, {
      name: "operator",
      description: "The operator that keeps public addresses, DNS records and firewalls on healthy nodes",
      include: ["bundle.ts", "bundling.ts", "bench/**/*.ts", "test/**/*.ts"],
      deps: DEPENDENCIES,
      devDeps: DEV_DEPENDENCIES,
      exports: EXPORTS,
    });
    this.package.addBin({ flipop: "./bin/flipop.mjs" });
    this.addTasks();
  }

  private addTasks(): void {
    this.addBundle("Bundles the operator into dist/");
    this.addTask("bench", {
      description:
        "Measures the operator on the image's Node, compared with the library's informer, and on a real kube-apiserver",
      exec: `npm exec --yes --package=node@${IMAGE_NODE} -- tsx bench/main.ts`,
      receiveArgs: true,
    });
    new Mocha(this, { faults: "*{faults,storm,simulation}*.test.ts", apart: ["operator", "e2e"], jobs: 2 });
    this.addTask("test:process", {
      description: "The whole operator in the test's process, on the Kubernetes emulator and simulated clouds",
      exec: "mocha --parallel --jobs 3 'test/operator/**/*.test.ts'",
      receiveArgs: true,
    });
    this.addTask("test:e2e", {
      description: "The operator as a separate process, on a real kube-apiserver and simulated clouds",
      exec: "mocha --parallel --jobs 2 'test/e2e/**/*.test.ts'",
      receiveArgs: true,
    });
    this.addTask("test:long", {
      description: "The complete tests of which test:faults and test:server run a part: about an hour",
      env: { FLIPOP_LONG: "1" },
      exec: "mocha test/runtime/leader-simulation.test.ts test/health/healthy-holders.test.ts test/server/kube/endurance.test.ts 'test/server/example/*.test.ts' --timeout 120000",
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

/** Modules that the sandbox, the tools and tests import: the assembled operator, and small modules that several programs use. */
const EXPORTS = {
  "./bundling": "./bundling.ts",
  "./clock": "./src/clock.ts",
  "./command-line": "./src/command-line.ts",
  "./config": "./src/config.ts",
  "./connections": "./src/http/connections.ts",
  "./exit": "./src/exit.ts",
  "./image-env": "./image-env.ts",
  "./logging": "./src/logging.ts",
  "./operator": "./src/operator.ts",
  "./transport": "./src/kube/transport/transport.ts",
  "./testing/bundle": "./test/support/bundle.ts",
  "./testing/fake-clock": "./test/support/time/fake-clock.ts",
  "./testing/scaled-clock": "./test/support/time/scaled-clock.ts",
  "./testing/until": "./test/support/time/until.ts",
};

const DEV_DEPENDENCIES = [
  ...TEST_DEPS,
  `cdk8s@${VERSIONS.cdk8s}`,
  `constructs@${VERSIONS.constructs}`,
  `esbuild@${VERSIONS.esbuild}`,
  `fast-check@${VERSIONS.fastCheck}`,
  `flipop-sandbox@${RELEASE}`,
  `flipop-testbed@${RELEASE}`,
  `undici@${VERSIONS.undici}`,
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
  `yaml@${VERSIONS.yaml}`,
];
