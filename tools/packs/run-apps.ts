import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { packedFile } from "./pack.js";
import { MAVEN_REPOSITORY, PACKS, ROOT } from "./paths.js";
import { installPackages, pythonEnvironment } from "./python-environment.js";
import { run } from "./run-command.js";

const EXAMPLES = join(ROOT, "examples");

/** Installs the packed library in the Python environment, and replaces an older one. */
export function installPythonPack(): void {
  installPackages(pythonEnvironment(), ["--no-deps", "--force-reinstall", packedFile("python", ".whl")]);
}

/** Runs a Python app with the packed library; it writes its manifests to `outdir`. Returns the app's output. */
export function runPython(file: string, outdir: string): string {
  return run(join(pythonEnvironment(), "bin/python"), [file], { env: appEnv(outdir) });
}

/** Runs a Go example with the packed library; by default the one in the folder itself. Returns the app's output. */
export function runGo(outdir: string, folder = "."): string {
  const env = { ...appEnv(outdir), GOWORK: "off" };
  // The run uses the versions in go.mod and go.sum, and changes neither file.
  return run("go", ["run", "-mod=readonly", `./${folder}`], { cwd: join(EXAMPLES, "go"), env });
}

/** Runs a Java example with the packed library. Returns the app's output. */
export function runJava(outdir: string, mainClass = "NodeRecordsCloudflare"): string {
  // A copy, because Maven writes its output beside the sources.
  const project = mkdtempSync(join(tmpdir(), "flipop-java-"));
  try {
    cpSync(join(EXAMPLES, "java"), project, { recursive: true });
    const options = ["--quiet", "--batch-mode", `-Dmaven.repo.local=${MAVEN_REPOSITORY}`];
    const settings = [`-Dpacks=file://${join(PACKS, "java")}`, `-Dexec.mainClass=${mainClass}`];
    const output = run("mvn", [...options, ...settings, "compile", "exec:java"], { cwd: project, env: appEnv(outdir) });
    // Maven resets the colours also without a terminal.
    return stripVTControlCharacters(output);
  } finally {
    rmSync(project, { recursive: true });
  }
}

function appEnv(outdir: string): Readonly<Record<string, string>> {
  return { CDK8S_OUTDIR: outdir, PYTHONDONTWRITEBYTECODE: "1" };
}
