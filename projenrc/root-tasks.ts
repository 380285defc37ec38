import { Component, type javascript } from "projen";

/** Manifests that examples/scenarios/story.yaml applies. */
const STORY_EXAMPLES = ["ingress-reserved-ips", "node-records-cloudflare"];

/** The root's tasks: each is `npm run NAME`. CI runs the same ones (`.ci/suites.ts`). */
export class RootTasks extends Component {
  constructor(project: javascript.NodeProject) {
    super(project);
    const compile = project.compileTask;
    compile.reset("tsx tools/library/compile.ts");
    project.addTask("reference", {
      description: "Rewrites the generated reference pages (docs/reference, constructs/API.md)",
      steps: [
        { spawn: compile.name },
        { exec: "tsx tools/reference/main.ts" },
        { exec: "tsx tools/library/write-api-md.ts" },
      ],
    });
    project.addTask("synth", {
      description: "Synthesises plain manifests to dist/*.k8s.yaml",
      steps: [
        { spawn: compile.name },
        { exec: "cdk8s synth" },
        { exec: "tsx tools/helm/main.ts" },
        ...STORY_EXAMPLES.map((app) => ({ exec: `CDK8S_OUTDIR=dist/examples tsx examples/${app}.ts` })),
      ],
      env: { CDK8S_CHECK_UPGRADE: "false" },
    });
    project.addTask("start", {
      description: "Compiles the library, then plays a scenario with the operator in a simulated world",
      steps: [{ spawn: compile.name }, { exec: "tsx sandbox/src/main.ts", receiveArgs: true }],
    });
    project.packageTask.reset("npm run --silent bundle -w operator -w sandbox");
    // projen's build runs all tests, which the executable does not need.
    project.tasks.removeTask("build");
    const build = project.addTask("build", {
      description: "Compiles the library and bundles operator/dist/flipop.mjs and sandbox/dist/flipop-sandbox.mjs",
      steps: [{ spawn: compile.name }, { spawn: project.packageTask.name }],
    });
    project.addTask("image", {
      description: "Packs the bundle into an OCI image for amd64 and arm64: operator/dist/image",
      steps: [{ spawn: build.name }, { exec: "tsx tools/image/main.ts", receiveArgs: true }],
    });
    this.checks(project);
    this.library(project);
    this.tests(project);
  }

  private tests(project: javascript.NodeProject): void {
    const compile = project.compileTask;
    project.testTask.reset();
    project.testTask.spawn(compile);
    project.testTask.exec("tsx .ci/run-suites.ts unit");
    project.addTask("controlplane", {
      description: "Finds, unpacks or builds etcd, kube-apiserver and kubectl for the server suites",
      exec: "tsx testbed/src/binaries/prepare.ts",
    });
    project.addTask("helm", {
      description: "Finds or builds helm for the suite of the chart",
      exec: "tsx tools/helm/print-path.ts",
    });
    project.addTask("promtool", {
      description: "Finds or builds promtool for the suite of the alerts",
      exec: "tsx tools/promtool/print-path.ts",
    });
    project.addTask("test:nodes", {
      description: "The unit tests on newer releases of Node",
      steps: [{ spawn: compile.name }, { exec: "tsx .ci/run-suites.ts nodes" }],
    });
    project.addTask("test:server", {
      description: "The suites that need a real kube-apiserver",
      steps: [{ spawn: compile.name }, { exec: "tsx .ci/run-suites.ts server", receiveArgs: true }],
    });
    project.addTask("storm", {
      description: "Random events and faults, judged by an oracle: --seed S, --minutes M, in rounds of 3 minutes",
      steps: [{ spawn: compile.name }, { exec: "tsx operator/test/storm/main.ts", receiveArgs: true }],
    });
    project.addTask("test:image", {
      description: "Builds the released image and runs it, also in podman if that is installed",
      steps: [{ spawn: compile.name }, { exec: "mocha test/built/image.test.ts test/built/podman.test.ts" }],
    });
  }

  private checks(project: javascript.NodeProject): void {
    this.measures(project);
    project.addTask("check", {
      description: "The first checks of CI, in under 2 minutes: lint, types, the fast tests",
      steps: [{ spawn: project.compileTask.name }, { exec: "tsx .ci/run-suites.ts check" }],
    });
    project.addTask("upgrade", {
      description: "Upgrades the versions in projenrc/versions.ts to the newest compatible releases",
      steps: [{ exec: "tsx tools/upgrade/main.ts" }, { exec: "projen" }],
      env: { PROJEN_DISABLE_POST: "true" },
    });
    project.addTask("changelog", {
      description:
        "Prints the commits since the last release; --write: into CHANGELOG.md, --section: prints the version's section",
      exec: "tsx tools/changelog/main.ts",
      receiveArgs: true,
    });
    project.addTask("names", {
      description: "Compares the names that users write or read with those of a commit or tag",
      steps: [{ spawn: project.compileTask.name }, { exec: "tsx tools/changelog/compare-names.ts", receiveArgs: true }],
    });
    project.addTask("lint", {
      description: "biome (format, fast lint), then eslint (the rules that need types)",
      steps: [{ exec: "biome ci --error-on-warnings ." }, { exec: "eslint --max-warnings 0 ." }],
    });
    project.addTask("format", { description: "Formats and fixes the code", exec: "biome check --write ." });
    project.addTask("typecheck", {
      description: "Type-checks everything that no other task compiles",
      steps: [".", "constructs/test"].map((folder) => ({
        exec: `tsc --noEmit -p ${folder}`,
      })),
    });
  }

  /** Of the text and the structure of the sources, and of the commits. */
  private measures(project: javascript.NodeProject): void {
    project.addTask("numbers", {
      description: "Measures the structure of the code: size, folders, import cycles, duplicates, the bundle",
      exec: "tsx tools/numbers/main.ts",
      receiveArgs: true,
    });
    project.addTask("mutants", {
      description:
        "Changes the code in small ways and lists the changes that no test notices: --seed S --count N --since REV",
      steps: [{ spawn: project.compileTask.name }, { exec: "tsx tools/mutants/main.ts", receiveArgs: true }],
    });
    project.addTask("words", {
      description: "Looks for banned constructions in docs, comments and messages",
      exec: "tsx tools/words/main.ts",
      receiveArgs: true,
    });
    project.addTask("commits", {
      description: "Checks the messages of the commits since a base (by default origin/main)",
      exec: "tsx tools/commits/main.ts",
      receiveArgs: true,
    });
  }

  /** What is done with the construct library beside its tests. */
  private library(project: javascript.NodeProject): void {
    const compile = { spawn: project.compileTask.name };
    project.addTask("packs", {
      description: "Packs the construct library for npm, PyPI, Maven and Go into constructs/dist",
      steps: [compile, { exec: "tsx tools/packs/main.ts", receiveArgs: true }],
    });
    project.addTask("peers", {
      description: "Finds the oldest releases of the library's peers that work, with the registry",
      steps: [compile, { exec: "tsx tools/peers/main.ts" }],
    });
    project.addTask("test:constructs", {
      description: "The slower suites of the construct library: API, examples on the real server, four languages",
      steps: [compile, { exec: "tsx .ci/run-suites.ts constructs" }],
    });
    project.addTask("baseline", {
      description: "Makes the current construct library the baseline for later comparisons",
      steps: [compile, { exec: "tsx tools/library/renew-baseline.ts" }],
    });
    project.addTask("bench", {
      description: "Measures the construct library, then the operator",
      steps: [
        compile,
        { exec: "tsx tools/bench/constructs.ts" },
        { exec: "npm run bench --workspace operator --", receiveArgs: true },
      ],
    });
  }
}
