/** A control probe that does not leave the machine: of the kubelet of the operator's own node. */

import type { Clock } from "../clock.js";
import { CONTROL_PROBE_MS } from "../timings.js";
import { type Probe, REFUSED } from "./probe.js";
import { noAnswer } from "./prober.js";
import type { ProbeTarget } from "./target.js";

export interface OwnNodeProps {
  readonly clock: Clock;
  readonly probe: Probe;
  /** InternalIP of the node; `undefined`: not known. */
  readonly host: () => string | undefined;
}

const KUBELET_PORT = 10_250;

const TARGET: Omit<ProbeTarget, "host"> = {
  ...{ type: "TCP", port: KUBELET_PORT, timeoutMs: CONTROL_PROBE_MS },
  ...{ path: "/", expectedStatuses: [], insecureSkipVerify: false },
};

export class OwnNode {
  /** A cluster may forbid pods to reach the kubelet: then its silence proves nothing. */
  private hasAnswered = false;

  constructor(private readonly props: OwnNodeProps) {}

  /** False only if the node answered before and does not now. */
  async isAnswered(): Promise<boolean> {
    const { clock, probe, host: hostOf } = this.props;
    const host = hostOf();
    if (host === undefined) return true;
    const controller = new AbortController();
    const timer = clock.setTimer(CONTROL_PROBE_MS, () => controller.abort(noAnswer(TARGET)));
    const result = await probe({ ...TARGET, host }, controller.signal);
    timer.cancel();
    if (result.ok || result.error === REFUSED) this.hasAnswered = true;
    else return !this.hasAnswered;
    return true;
  }
}
