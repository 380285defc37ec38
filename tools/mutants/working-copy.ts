/** A copy of the work tree, in which a mutant replaces a file while tests run. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../numbers/imports.js";
import type { Mutant } from "./sample.js";

/** The result of one run of test files. `file` and `title` are those of the test that failed first. */
export type TestRun =
  | { readonly passed: true }
  | { readonly passed: false; readonly timedOut: boolean; readonly file?: string; readonly title?: string };

/** Git ignores these, and tests need them. */
const BUILT = ["constructs/lib", "constructs/.jsii", "constructs/tsconfig.json"];
const SECONDS_TO_START = 90;
const SECONDS_PER_FILE = 30;

export class WorkingCopy {
  readonly root = mkdtempSync(join(tmpdir(), "flipop-mutants-"));

  private tests: ChildProcess | undefined;

  constructor(private readonly seed: string) {
    const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    for (const file of [...listed.split("\0"), ...BUILT].filter((one) => one !== "" && existsSync(join(ROOT, one))))
      cpSync(join(ROOT, file), join(this.root, file), { recursive: true });
    for (const workspace of [".", ...readdirSync(ROOT)]) this.linkPackages(join(workspace, "node_modules"));
  }

  /** Links each package, so that those of this repo are the copies. */
  private linkPackages(folder: string): void {
    if (!existsSync(join(ROOT, folder)) || !lstatSync(join(ROOT, folder)).isDirectory()) return;
    mkdirSync(join(this.root, folder), { recursive: true });
    for (const name of readdirSync(join(ROOT, folder))) {
      const from = join(ROOT, folder, name);
      const own = lstatSync(from).isSymbolicLink();
      if (own) cpSync(from, join(this.root, folder, name), { verbatimSymlinks: true });
      else symlinkSync(from, join(this.root, folder, name));
    }
  }

  /** Runs the tests with the mutant in place, up to the first failure. */
  async runWith(mutant: Mutant, tests: readonly string[]): Promise<TestRun> {
    const path = join(this.root, mutant.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, mutatedText(text, mutant));
    try {
      return await this.run(tests);
    } finally {
      writeFileSync(path, text);
    }
  }

  /** Runs test files of one workspace. A property test has the same cases each time. */
  async run(tests: readonly string[]): Promise<TestRun> {
    const workspace = join(this.root, (tests[0] ?? "").split("/")[0] ?? "");
    const report = join(this.root, "report.json");
    rmSync(report, { force: true });
    const mocha = [join(this.root, "node_modules/mocha/bin/mocha.js"), "--bail", "--exit", "--reporter", "json"];
    const args = [...mocha, "--reporter-option", `output=${report}`, ...tests.map((test) => join(this.root, test))];
    const env = { ...process.env, FLIPOP_SEED: this.seed };
    const child = spawn(process.execPath, args, { cwd: workspace, env, stdio: "ignore", detached: true });
    this.tests = child;
    let timedOut = false;
    const limit = setTimeout(
      () => {
        timedOut = true;
        this.stop();
      },
      (SECONDS_TO_START + SECONDS_PER_FILE * tests.length) * 1000,
    );
    const [code] = (await once(child, "exit")) as [number | null];
    clearTimeout(limit);
    this.tests = undefined;
    return code === 0 ? { passed: true } : { passed: false, timedOut, ...this.firstFailure(report) };
  }

  /** Mocha writes no report if a file does not load. */
  private firstFailure(report: string): { readonly file?: string; readonly title?: string } {
    if (!existsSync(report)) return {};
    const { failures } = JSON.parse(readFileSync(report, "utf8")) as {
      failures: { file: string; fullTitle: string }[];
    };
    const [first] = failures;
    return first ? { file: first.file.slice(this.root.length + 1), title: first.fullTitle } : {};
  }

  /** Ends the tests that run, with their own processes. */
  private stop(): void {
    if (this.tests?.pid !== undefined) process.kill(-this.tests.pid, "SIGKILL");
  }

  remove(): void {
    this.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The file's text with the mutant. */
export function mutatedText(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}
