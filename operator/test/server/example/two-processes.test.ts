import { join } from "node:path";
import { expect } from "chai";
import { type ControlPlane, controlPlaneOrSkip, type SupervisedProcess } from "flipop-testbed";
import { after, before, describe, it } from "mocha";
import { loadClusterConfig } from "../../../src/kube/config/load-config.js";
import { Transport } from "../../../src/kube/transport/transport.js";
import { ADDRESS } from "../../example/annotator.js";
import { WriteLog } from "../../support/kube/write-log.js";
import { NodeFleet } from "../../support/node-fleet.js";
import { sliceOf } from "../../support/time/long.js";
import { until } from "../../support/time/until.js";

const OPERATOR = join(import.meta.dirname, "../../..");
/** A quarter of the usual ones, but for the margin of a call, which is fixed: a stall of 20 s becomes one of 5 s. */
const TIMINGS = { LEASE_MS: "4000", RENEW_DEADLINE_MS: "3200", RETRY_MS: "300" };
const STALLS = sliceOf(20, 2);
const WAIT_MS = 30_000;

describe("two processes of the example controller on a real API server", function () {
  this.timeout(90_000 + STALLS * 20_000);
  let plane: ControlPlane;
  let admin: Transport;
  let nodes: NodeFleet;
  let log: WriteLog;
  let iteration = 0;
  const churning = new AbortController();
  let churn: Promise<void>;
  const living = new Set<SupervisedProcess>();

  before(async function () {
    plane = await controlPlaneOrSkip(this);
    const config = loadClusterConfig({ kubeconfig: await plane.kubeconfig(), env: {} });
    admin = new Transport({ config, env: {} });
    nodes = new NodeFleet(admin, ADDRESS);
    log = new WriteLog(admin, ADDRESS);
    // There is always something to write.
    churn = (async () => {
      while (!churning.signal.aborted) await nodes.put(`n${++iteration % 5}`, `192.0.2.${iteration % 250}`);
    })();
  });
  after(async () => {
    churning.abort();
    await churn;
    await Promise.all([...living].map((running) => running.signal("SIGKILL")));
    await log?.stop();
    await nodes?.removeAll();
    await admin?.close();
  });

  const start = async (identity: string) => {
    const running = await plane.supervisor.run({
      file: process.execPath,
      args: ["--import=tsx", join(OPERATOR, "test/example/main.ts")],
      cwd: OPERATOR,
      env: { IDENTITY: identity, KUBECONFIG: await plane.kubeconfig(), PATH: process.env["PATH"] ?? "", ...TIMINGS },
      log: join(plane.dir, `${identity}.log`),
    });
    living.add(running);
    running.exited.then(() => living.delete(running)).catch(() => {});
    return { identity, running };
  };
  const writes = (identity: string) => {
    const seen = log.count(identity);
    return until(`${identity} writes`, () => log.count(identity) > seen + 5, WAIT_MS);
  };

  it("never write both, while the leader is killed, stalled and woken up again", async () => {
    let leader = await start("p0");
    await writes("p0");
    let standby = await start("p1");
    const turns = ["p0", "p1"];

    await leader.running.signal("SIGKILL");
    await writes("p1");

    for (let stall = 2; stall < 2 + STALLS; stall++) {
      leader = standby;
      standby = await start(`p${stall}`);
      await until("it holds the lease", () => holds(admin, leader.identity), WAIT_MS);
      await leader.running.signal("SIGSTOP");
      await writes(standby.identity);
      turns.push(standby.identity);
      await leader.running.signal("SIGCONT");
      expect(await leader.running.exited, "ends with the code of a lost lease").to.include({ code: 3 });
      await writes(standby.identity);
    }

    expect(log.turns).to.deep.equal(turns);
    await standby.running.signal("SIGTERM");
    expect(await standby.running.exited).to.include({ code: 0 });
  });
});

async function holds(admin: Transport, holder: string): Promise<boolean> {
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/annotator";
  const { spec } = await admin.request<{ spec: { holderIdentity?: string } }>({ method: "GET", path });
  return spec.holderIdentity === holder;
}
