import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packedFile } from "./pack.js";
import { MAVEN_REPOSITORY, PACKS, ROOT } from "./paths.js";
import { installPackages, pythonEnvironment } from "./python-environment.js";
import { run } from "./run.js";

const EXAMPLES = join(ROOT, "examples");

/** Installs the packed library in the Python environment, and replaces an older one. */
export function installPythonPack(): void {
  installPackages(pythonEnvironment(), ["--no-deps", "--force-reinstall", packedFile("python", ".whl")]);
}

/** Runs a Python app with the packed library; it writes its manifests to `outdir`. Returns the app's output. */
export function runPython(file: string, outdir: string): string {
  return run(join(pythonEnvironment(), "bin/python"), [file], { env: appEnv(outdir) });
}

/** Runs the Go example with the packed library. */
export function runGo(outdir: string): void {
  // The run uses the versions in go.mod and go.sum, and changes neither file.
  run("go", ["run", "-mod=readonly", "."], { cwd: join(EXAMPLES, "go"), env: { ...appEnv(outdir), GOWORK: "off" } });
}

/** Runs the Java example with the packed library. */
export function runJava(outdir: string): void {
  // A copy, because Maven writes its output beside the sources.
  const project = mkdtempSync(join(tmpdir(), "flipop-java-"));
  try {
    cpSync(join(EXAMPLES, "java"), project, { recursive: true });
    const options = ["--quiet", "--batch-mode", `-Dmaven.repo.local=${MAVEN_REPOSITORY}`];
    run("mvn", [...options, `-Dpacks=file://${join(PACKS, "java")}`, "compile", "exec:java"], {
      cwd: project,
      env: appEnv(outdir),
    });
  } finally {
    rmSync(project, { recursive: true });
  }
}

function appEnv(outdir: string): Readonly<Record<string, string>> {
  return { CDK8S_OUTDIR: outdir, PYTHONDONTWRITEBYTECODE: "1" };
}
