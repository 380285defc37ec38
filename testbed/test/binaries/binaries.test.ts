import { access, chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { describeReasons, resolveBinaries } from "../../src/binaries/binaries.js";
import type { LookupContext } from "../../src/binaries/lookup-context.js";
import { PARTS } from "../../src/binaries/versions.js";
import { controlPlaneCache, userCacheFolder } from "../../src/paths.js";

describe("the look-up of the binaries", () => {
  let folder: string;
  let lines: string[];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "flipop-lookup-")));
    lines = [];
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("uses KUBEBUILDER_ASSETS first", async () => {
    const assets = await fill(join(folder, "assets"));
    await fill(context().cacheFolder ?? "");
    const found = await resolveBinaries(context({ KUBEBUILDER_ASSETS: assets }));
    expect(found).to.deep.equal({ kind: "found", binaries: { folder: assets, source: "KUBEBUILDER_ASSETS" } });
  });

  it("skips KUBEBUILDER_ASSETS without a controller manager only if one is needed", async () => {
    const assets = await fill(join(folder, "assets"), ["etcd", "kube-apiserver", "kubectl"]);
    const env = { KUBEBUILDER_ASSETS: assets };
    const enough = await resolveBinaries({ ...context(env), parts: ["etcd", "kube-apiserver", "kubectl"] });
    expect(enough.kind).to.equal("found");
    const lacking = await resolveBinaries({ ...context(env), parts: PARTS });
    expect(reasonOf(lacking, "KUBEBUILDER_ASSETS")).to.equal(`${assets} has no kube-controller-manager`);
  });

  it("uses the cache next, without building anything", async () => {
    const cache = await fill(context().cacheFolder ?? "");
    const found = await resolveBinaries(await withArchive());
    expect(found).to.deep.equal({ kind: "found", binaries: { folder: cache, source: "cache" } });
  });

  it("unpacks the prebuilt executable into the cache, with a name for each program", async () => {
    const settings = await withArchive();
    const found = await resolveBinaries(settings);
    expect(found).to.deep.equal({ kind: "found", binaries: { folder: settings.cacheFolder, source: "prebuilt" } });
    for (const part of PARTS) {
      expect(await readFile(join(settings.cacheFolder ?? "", part), "utf8")).to.equal("unpacked\n");
    }
    expect(await resolveBinaries(settings)).to.have.nested.property("binaries.source", "cache");
    await expectOnlyCache();
  });

  it("allows two processes to unpack at the same time", async () => {
    const settings = await withArchive();
    const both = await Promise.all([resolveBinaries(settings), resolveBinaries(settings)]);
    expect(both.map(({ kind }) => kind)).to.deep.equal(["found", "found"]);
    expect(await readFile(join(folder, "xz-calls"), "utf8")).to.equal("call\n");
    await expectOnlyCache();
  });

  it("leaves nothing behind when unpacking fails", async () => {
    const settings = await withArchive("echo half; exit 3");
    expect(reasonOf(await resolveBinaries(settings), "prebuilt")).to.equal("xz ended with code 3");
    expect(await readdir(dirname(settings.cacheFolder ?? ""))).to.deep.equal([]);
  });

  it("does not unpack an executable for another platform", async () => {
    const settings = { ...(await withArchive()), archivePlatform: "plan9-mips" };
    expect(reasonOf(await resolveBinaries(settings), "prebuilt")).to.contain("is for plan9-mips");
  });

  it("builds from the Go module last, and logs that", async () => {
    const settings = await withGo("go1.25.3");
    const found = await resolveBinaries(settings);
    expect(found).to.deep.equal({ kind: "found", binaries: { folder: settings.cacheFolder, source: "build" } });
    expect(await readFile(join(settings.cacheFolder ?? "", "kubectl"), "utf8")).to.contain(
      "-X k8s.io/component-base/version.gitVersion=v1.35.4",
    );
    expect(lines[0]).to.match(/^building the control plane v1\.35\.4 .* 5 to 10 minutes/);
    expect(lines[1]).to.match(/^built in 0 min \d+ s$/);
  });

  it("builds once when two processes need it", async () => {
    const settings = await withGo("go1.26.1");
    await Promise.all([resolveBinaries(settings), resolveBinaries(settings)]);
    expect(lines.filter((line) => line.startsWith("built in"))).to.have.length(1);
  });

  it("does not try with a Go that is too old", async () => {
    const reason = reasonOf(await resolveBinaries(await withGo("go1.24.9")), "build");
    expect(reason).to.equal("go1.24.9 is too old: install Go 1.25 or newer");
  });

  it("reports why a build failed", async () => {
    const reason = reasonOf(await resolveBinaries(await withGo("go1.25.0", "echo no space left >&2; exit 1")), "build");
    expect(reason).to.equal("go ended with code 1: no space left");
  });

  it("reports for each step why it found nothing", async () => {
    const outcome = await resolveBinaries(context());
    expect(outcome.kind).to.equal("unavailable");
    const reasons = outcome.kind === "unavailable" ? outcome.reasons : [];
    expect(reasons.map(({ step }) => step)).to.deep.equal(["KUBEBUILDER_ASSETS", "cache", "prebuilt", "build"]);
    expect(describeReasons(reasons))
      .to.contain("KUBEBUILDER_ASSETS: not set; cache: ")
      .and.to.contain("; build: no go");
  });

  function context(env: Record<string, string> = {}): Partial<LookupContext> {
    return {
      env: { PATH: join(folder, "bin"), ...env },
      cacheFolder: join(folder, "cache", "v1"),
      archive: join(folder, "controlplane.xz"),
      archivePlatform: `${process.platform}-${process.arch}`,
      log: (line) => lines.push(line),
    };
  }

  async function withArchive(body = "sleep 0.2; echo unpacked"): Promise<Partial<LookupContext>> {
    await writeFile(join(folder, "controlplane.xz"), "");
    await program("xz", `echo call >> ${join(folder, "xz-calls")}; ${body}`);
    return systemPath(context());
  }

  async function withGo(version: string, build = 'echo "$@" > "$7"'): Promise<Partial<LookupContext>> {
    const goModule = join(folder, "module");
    await mkdir(goModule);
    await writeFile(join(goModule, "go.mod"), "module test\n");
    // go build -buildvcs=false -trimpath -ldflags FLAGS -o FILE .
    await program("go", `if [ "$1" = env ]; then echo ${version}; else sleep 0.2; ${build}; fi`);
    return { ...systemPath(context()), goModule };
  }

  /** The fake programs are shell scripts, which need the real ones behind them. */
  function systemPath(settings: Partial<LookupContext>): Partial<LookupContext> {
    return { ...settings, env: { PATH: [join(folder, "bin"), "/usr/bin", "/bin"].join(delimiter) } };
  }

  async function program(name: string, body: string): Promise<void> {
    await mkdir(join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "bin", name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }

  async function expectOnlyCache(): Promise<void> {
    expect(await readdir(join(folder, "cache"))).to.deep.equal(["v1"]);
  }
});

describe("the cache folder", () => {
  it("follows the platform's convention", () => {
    const env = { HOME: "/home/me" };
    expect(userCacheFolder({ ...env, XDG_CACHE_HOME: "/xdg" }, "linux")).to.equal("/xdg");
    expect(userCacheFolder(env, "linux")).to.equal(join("/home/me", ".cache"));
    expect(userCacheFolder(env, "darwin")).to.equal(join("/home/me", "Library", "Caches"));
    expect(userCacheFolder({ LOCALAPPDATA: "C:\\Local" }, "win32")).to.equal("C:\\Local");
  });

  it("has a folder for each version and platform", () => {
    const folder = controlPlaneCache({ XDG_CACHE_HOME: "/xdg" });
    expect(folder).to.match(/^.xdg.flipop.controlplane.v1\.35\.4-etcd-v3\.6\.5-\w+-\w+$/);
  });
});

async function fill(folder: string, parts: readonly string[] = PARTS): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const part of parts) {
    await writeFile(join(folder, part), "");
    await chmod(join(folder, part), 0o755);
    await access(join(folder, part));
  }
  return folder;
}

function reasonOf(outcome: Awaited<ReturnType<typeof resolveBinaries>>, step: string): string | undefined {
  return outcome.kind === "unavailable" ? outcome.reasons.find((reason) => reason.step === step)?.reason : undefined;
}
