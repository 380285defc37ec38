import { IMAGE_NODE, NEWER_NODES } from "../projenrc/versions.js";

/** A suite of CI: its commands in sequence, and their time budget. */
export interface Suite {
  readonly name: string;
  /** Suites of one group run by `tsx .ci/run-suites.ts GROUP`. */
  readonly group: "check" | "unit" | "checks" | "nodes" | "server" | "constructs";
  /** Seconds on 2 cores, beside the suites that run at the same time. Overrunning is reported; it does not fail the run. */
  readonly budgetSeconds: number;
  readonly commands: readonly string[];
  /** The suite that must have ended before this one starts, if it runs. */
  readonly needs?: string;
  /** Two commands run at a time. @default false */
  readonly parallel?: boolean;
}

const LINT = ["npm run --silent lint", "npm run --silent typecheck"];

const TOOLS = "tools for the suites";

/**
 * Every suite, in the order in which CI starts them: what computes beside what waits, and the long before the short, so
 * that the lanes end at about the same time.
 */
export const SUITES: readonly Suite[] = [
  {
    // `npm run check`, the first answer to a pull request. .ci/run runs the same commands in its other groups.
    name: "first checks",
    group: "check",
    budgetSeconds: 120,
    parallel: true,
    commands: [
      ...LINT,
      "mocha 'test/*.test.ts' 'test/docs/*.test.ts'",
      "cd constructs && mocha 'test/**/*.test.ts' --ignore 'test/server/**'",
      "cd operator && mocha 'test/{claims,inventory,match,metrics}/**/*.test.ts'",
    ],
  },
  {
    name: "unit tests",
    group: "unit",
    budgetSeconds: 160,
    parallel: true,
    commands: [
      "npm run --silent test --workspace operator",
      "npm run --silent test --workspace constructs",
      "npm run --silent test --workspace sandbox",
      "npm run --silent test --workspace testbed",
      "mocha 'test/**/*.test.ts' --ignore 'test/{alerts,built,helm,library,packs,server}/**'",
    ],
  },
  {
    // Without a cache, go builds helm and promtool, and Maven and pip download what the packed library needs.
    name: TOOLS,
    group: "constructs",
    budgetSeconds: 720,
    commands: ["npm run --silent helm", "npm run --silent promtool", "npm run --silent packs"],
  },
  {
    name: "operator from end to end",
    group: "server",
    budgetSeconds: 450,
    commands: ["npm run --silent test:e2e --workspace operator"],
  },
  {
    name: "lint and types",
    group: "checks",
    budgetSeconds: 380,
    parallel: true,
    commands: LINT,
  },
  {
    name: "operator in process",
    group: "server",
    budgetSeconds: 520,
    commands: ["npm run --silent test:process --workspace operator"],
  },
  {
    name: "unit tests on newer Node",
    group: "nodes",
    budgetSeconds: 440,
    commands: NEWER_NODES.map((version) => {
      // The operator runs on the image's Node. On the releases between, people only run the construct library.
      const workspaces = version === IMAGE_NODE ? "--workspaces" : "--workspace constructs";
      return `npm exec --yes --package=node@${version} --call "npm run --silent test ${workspaces}"`;
    }),
  },
  {
    name: "contract and faults",
    group: "server",
    budgetSeconds: 440,
    commands: [
      "npm run --silent test:faults --workspace operator",
      "npm run --silent test:server --workspace sandbox",
      "cd operator && mocha --parallel --jobs 2 'test/server/**/*.test.ts' --ignore 'test/server/routed-ip/**' --timeout 120000",
    ],
  },
  {
    name: "custom resources on the real server",
    group: "server",
    budgetSeconds: 200,
    commands: ["npm run --silent test:server --workspace constructs"],
  },
  {
    name: "examples and guides on the real server",
    group: "constructs",
    budgetSeconds: 370,
    needs: TOOLS,
    commands: ["mocha 'test/server/**/*.test.ts' --timeout 120000"],
  },
  {
    name: "construct library packed for four languages",
    group: "constructs",
    budgetSeconds: 300,
    needs: TOOLS,
    commands: ["mocha 'test/packs/**/*.test.ts' --ignore test/packs/peers.test.ts"],
  },
  {
    name: "RoutedIP on the real server",
    group: "server",
    budgetSeconds: 200,
    commands: ["cd operator && mocha --parallel --jobs 2 'test/server/routed-ip/**/*.test.ts' --timeout 120000"],
  },
  {
    // One round. The budget holds the worst way to rest after it; most rounds end sooner.
    name: "storm of 3 minutes",
    group: "nodes",
    budgetSeconds: 240,
    commands: ["npm run --silent storm -- --seed 41 --minutes 3"],
  },
  {
    name: "test bed on the real server",
    group: "server",
    budgetSeconds: 100,
    commands: ["npm run --silent test:server --workspace testbed"],
  },
  {
    // By promtool, on series written by hand and on recorded outages.
    name: "alerts",
    group: "constructs",
    budgetSeconds: 100,
    needs: TOOLS,
    commands: ["mocha 'test/alerts/**/*.test.ts'"],
  },
  {
    name: "API and snippets of the construct library",
    group: "constructs",
    budgetSeconds: 50,
    needs: TOOLS,
    commands: ["mocha 'test/library/**/*.test.ts'"],
  },
  {
    // The image has a separate task: npm run test:image.
    name: "bundled executable",
    group: "checks",
    budgetSeconds: 60,
    commands: ["mocha test/built/bundle.test.ts"],
  },
  {
    name: "construct library with its oldest and newest peers",
    group: "constructs",
    budgetSeconds: 50,
    needs: TOOLS,
    commands: ["mocha test/packs/peers.test.ts"],
  },
  {
    name: "Helm chart",
    group: "constructs",
    budgetSeconds: 30,
    needs: TOOLS,
    commands: ["mocha 'test/helm/**/*.test.ts'"],
  },
];
