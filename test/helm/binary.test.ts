import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect } from "chai";
import { afterEach, beforeEach, describe, it } from "mocha";
import { findHelm, findOrBuildHelm, HELM_VERSION } from "../../tools/helm/helm-binary.js";

describe("the look-up of helm", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "flipop-helm-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function made(...path: string[]): Promise<string> {
    const file = join(folder, ...path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
    return file;
  }

  it("uses HELM first, then PATH, then the cache of this version", async () => {
    const named = await made("named", "helm");
    const inPath = await made("bin", "helm");
    const cached = await made("cache", "flipop", "helm", HELM_VERSION, "helm");
    const env = { XDG_CACHE_HOME: join(folder, "cache") };
    const PATH = ["/nowhere", join(folder, "bin")].join(delimiter);
    expect(findHelm({ ...env, PATH, HELM: named })).to.equal(named);
    expect(findHelm({ ...env, PATH })).to.equal(inPath);
    expect(findHelm(env)).to.equal(cached);
  });

  it("finds the cache in the home folder by default", async () => {
    const cached = await made(".cache", "flipop", "helm", HELM_VERSION, "helm");
    expect(findHelm({ HOME: folder })).to.equal(cached);
  });

  it("returns undefined if there is no helm", () => {
    expect(findHelm({ HOME: folder, PATH: folder, HELM: join(folder, "helm") })).to.equal(undefined);
  });

  it("logs the build before it starts", async () => {
    const logged: string[] = [];
    const go = await made("bin", "go");
    await writeFile(go, "#!/bin/sh\nexit 0\n");
    await chmod(go, 0o755);
    const env = { PATH: join(folder, "bin"), XDG_CACHE_HOME: join(folder, "cache") };
    await findOrBuildHelm({ ...env, HOME: folder }, (line) => logged.push(line));
    expect(logged).to.have.length(1);
    expect(logged[0]).to.match(
      /^no helm in HELM, on PATH or in .*: building helm\.sh\S+ once, which takes some minutes$/,
    );
  });
});
