/** `npx tsx testbed/src/serve.ts`: runs a control plane for manual use, until Ctrl-C or SIGTERM. */

import { once } from "node:events";
import { ControlPlane } from "./control-plane.js";

const plane = await ControlPlane.start({ controllerManager: true });
process.stdout.write(`Kubernetes at ${plane.url}, without nodes

  export KUBECONFIG=${await plane.kubeconfig()}
  export PATH=${plane.binaries.folder}:$PATH     # has kubectl

Ctrl-C, or kill ${process.pid}, ends it; nothing is kept.
`);
// Neither the control plane nor a pending signal keeps the process alive.
const alive = setInterval(() => undefined, 60_000);
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
clearInterval(alive);
await plane.stop();
