import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chart, Testing, Yaml } from "cdk8s";
import { FlipopOperator } from "cdk8s-flipop";
import { LEASE_NAME } from "cdk8s-flipop/api";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, eventually, freePort, skip, stopShared } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { IMAGE_NAME } from "../../tools/image/settings.js";
import { tarOf } from "../../tools/image/tar.js";
import { run, works } from "../../tools/packs/run-command.js";
import { apply, installKinds } from "../support/cluster.js";
import { bundleInto, HERE, imageOf } from "../support/image.js";
import { type Process, Processes } from "../support/process.js";

const BUILD_TIMEOUT_MS = 15 * 60_000;
const SERVICE_ACCOUNT = "system:serviceaccount:flipop:flipop";

describe("the image in podman, with a real API server and the roles of FlipopOperator", function () {
  this.timeout(BUILD_TIMEOUT_MS);
  const processes = new Processes();
  let folder: string | undefined;
  let podman: Podman;
  let plane: ControlPlane;
  let operator: Process;
  let health: string;

  before(async function () {
    if (HERE === undefined || !works("podman", ["--version"])) {
      skip(this, "no podman here, or no image for this platform: the image is not run in a container");
    }
    const groups = ["system:serviceaccounts", "system:serviceaccounts:flipop", "system:authenticated"];
    plane = await controlPlaneOrSkip(this, { identities: [{ name: SERVICE_ACCOUNT, groups }] });
    this.timeout(BUILD_TIMEOUT_MS);
    await installKinds(plane);
    const chart = new Chart(Testing.app(), "flipop");
    new FlipopOperator(chart, "flipop");
    await apply(plane, Yaml.stringify(...Testing.synth(chart)));
    folder = mkdtempSync(join(tmpdir(), "flipop-podman-"));
    podman = new Podman(folder);
    const { layout } = await imageOf(bundleInto(folder), [HERE]);
    writeFileSync(join(folder, "image.tar"), tarOf(layout, 0));
    podman.run(["load", "--input", join(folder, "image.tar")]);
    const ports = [await freePort(), await freePort()];
    health = `http://127.0.0.1:${ports[0]}`;
    const file = join(folder, "kubeconfig");
    // The container has a different user.
    writeFileSync(file, readFileSync(await plane.kubeconfig(SERVICE_ACCOUNT)), { mode: 0o644 });
    const flags = [`--health-bind-addr=127.0.0.1:${ports[0]}`, `--metrics-bind-addr=127.0.0.1:${ports[1]}`];
    const mount = ["--volume", `${file}:/kubeconfig:ro`];
    const command = [...podman.hardened, ...mount, IMAGE_NAME, "--kubeconfig=/kubeconfig", ...flags];
    operator = processes.start("podman", [...podman.global, "run", "--rm", ...command], {
      cwd: folder,
      env: podman.env,
    });
  });

  after(async () => {
    await processes.endAll();
    if (folder !== undefined) {
      podman.run(["rm", "--all", "--force"]);
      podman.run(["rmi", "--all", "--force"]);
      rmSync(folder, { recursive: true });
    }
    await stopShared();
  });

  it("becomes ready without a writable file, a capability or root", async () => {
    await eventually(async () => (await fetch(`${health}/readyz`)).status === 200, {
      what: "readiness",
      timeoutMs: 120_000,
    }).catch((cause: unknown) => {
      throw new Error(`not ready: ${operator.out}${operator.err}`, { cause });
    });
  });

  it("holds the Lease, and has all permissions", async () => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/flipop/leases/${LEASE_NAME}`;
    const lease = await plane.client().must.get(path);
    expect(lease["spec"]).to.have.property("holderIdentity").that.is.not.equal("");
    expect(operator.out).not.to.match(/forbidden/i);
  });

  it("exits with code 0 on SIGTERM, although it is process 1", async () => {
    expect(await operator.kill("SIGTERM"), operator.out).to.equal(0);
  });
});

/** podman with its own storage in a folder: it needs only root or a user namespace. */
class Podman {
  readonly global: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The settings that "restricted" Pod Security and the Deployment require. */
  readonly hardened = [
    "--network=host",
    "--read-only",
    "--read-only-tmpfs=false",
    "--cap-drop=all",
    "--security-opt=no-new-privileges",
    "--user=65532",
  ];

  constructor(folder: string) {
    const config = join(folder, "containers.conf");
    // The defaults exceed the limits of this process.
    writeFileSync(config, '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n');
    const home = join(folder, "home");
    mkdirSync(home);
    this.env = { HOME: home, CONTAINERS_CONF: config };
    const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run"), "--storage-driver=vfs"];
    const runtime = works("runc", ["--version"]) ? ["--runtime=runc"] : [];
    this.global = [...storage, "--cgroup-manager=cgroupfs", "--events-backend=file", ...runtime];
  }

  run(args: readonly string[]): void {
    run("podman", [...this.global, ...args], { env: this.env });
  }
}
