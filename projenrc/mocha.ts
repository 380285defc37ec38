import { Component, JsonFile, type javascript } from "projen";
import { Coverage } from "./coverage.js";

/** `.mocharc.json`: TypeScript through tsx, no compile step for tests, and counts for CI's sum. */
export class MochaConfig extends Component {
  constructor(project: javascript.NodeProject, ci: string) {
    super(project);
    new JsonFile(project, ".mocharc.json", {
      // mocha rejects a file with unknown keys, such as projen's marker
      marker: false,
      obj: {
        // Tests use addresses for documentation, about which the library warns on each synthesis.
        "node-option": ["import=tsx", "disable-warning=flipop"],
        extension: ["ts"],
        require: [`${ci}/seed.cjs`, `${ci}/temp.cjs`],
        reporter: `${ci}/reporter.cjs`,
        // The limit detects tests that hang, not slow ones: on a busy machine, a test with 3 s of computation took 30
        // s.
        timeout: 120_000,
        "forbid-only": true,
      },
    });
  }
}

export interface MochaOptions {
  /** Percent of the lines of `src` that the unit tests must run through. @default - not measured */
  readonly minLines?: number;
  /** Slow test files that `test` omits, as a glob; task `test:faults` runs them. @default - none */
  readonly faults?: string;
  /** Folders of `test` that other tasks run, in addition to `server`: tests of the whole system. @default - none */
  readonly apart?: readonly string[];
  /** Number of test files that run in parallel, each in its own process. @default - one, in mocha's own process */
  readonly jobs?: number;
}

/** The test tasks of a workspace: `test` needs only Node, `test:server` a real kube-apiserver. */
export class Mocha extends MochaConfig {
  constructor(project: javascript.NodeProject, { minLines, faults, apart = [], jobs }: MochaOptions = {}) {
    super(project, "../.ci");
    if (minLines !== undefined) new Coverage(project, minLines);
    const mocha = jobs === undefined ? "mocha" : `mocha --parallel --jobs ${jobs}`;
    const measured = minLines === undefined ? mocha : `c8 ${mocha}`;
    const others = ["server", ...apart].map((folder) => `test/${folder}/**`);
    const ignored = [...others, ...(faults === undefined ? [] : [`test/**/${faults}`])];
    const ignore = ignored.map((glob) => `--ignore '${glob}'`).join(" ");
    project.testTask.reset(`${measured} 'test/**/*.test.ts' ${ignore}`, { receiveArgs: true });
    if (faults !== undefined) {
      project.addTask("test:faults", {
        description: "The long tests that need only Node: faults at every step, simulations",
        exec: `${mocha} 'test/**/${faults}' ${others.map((glob) => `--ignore '${glob}'`).join(" ")}`,
        receiveArgs: true,
      });
    }
    project.addTask("test:server", {
      description: "The tests that need a real kube-apiserver",
      exec: "mocha 'test/server/**/*.test.ts' --timeout 120000",
      receiveArgs: true,
    });
  }
}
