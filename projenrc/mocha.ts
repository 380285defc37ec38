import { Component, JsonFile, type javascript } from "projen";
import { Coverage } from "./coverage.js";

/** `.mocharc.json`: TypeScript through tsx, no compile step for tests, counts left for CI's sum. */
export class MochaConfig extends Component {
  constructor(project: javascript.NodeProject, ci: string) {
    super(project);
    new JsonFile(project, ".mocharc.json", {
      // mocha refuses a file with unknown keys, and projen's marker would be one
      marker: false,
      obj: {
        "node-option": ["import=tsx"],
        extension: ["ts"],
        require: [`${ci}/seed.cjs`],
        reporter: `${ci}/reporter.cjs`,
        // For what hangs, not for what is slow: a test that computes for 3 s took 30 on a machine that had ten times to do.
        timeout: 120_000,
        "forbid-only": true,
      },
    });
  }
}

export interface MochaOptions {
  /** Percent of the lines of `src` that the unit tests must run through. @default - not measured */
  readonly minLines?: number;
  /** Names of test files that take long and are kept out of `test`, as a glob; task `test:faults` runs them. @default - none */
  readonly faults?: string;
  /** Folders of `test` that other tasks run, beside `server`: tests of the whole system. @default - none */
  readonly apart?: readonly string[];
  /** Test files that run at once, each in a process of its own. @default - one, in mocha's own process */
  readonly jobs?: number;
}

/** The test tasks of a workspace: `test` needs nothing but Node, `test:server` a real kube-apiserver. */
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
        description: "The long tests that need nothing but Node: faults at every step, simulations",
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
