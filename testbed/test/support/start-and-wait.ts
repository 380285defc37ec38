import { ControlPlane } from "../../src/index.js";

// Starts a control plane, prints its folder and process ids, and waits for a kill.
ControlPlane.start({ controllerManager: true }).then(
  ({ etcd, apiserver, controllerManager, supervisor, dir }) => {
    const pids = [etcd.pid, apiserver.pid, controllerManager.pid, supervisor.pid];
    process.stdout.write(`${JSON.stringify({ dir, pids })}\n`);
    setInterval(() => undefined, 60_000);
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
