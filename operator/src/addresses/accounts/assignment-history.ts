/** Whether addresses of an account have ever been on a machine, asked once for all resources that look for an address of theirs. */

import type { Clock } from "../../clock.js";
import type { CallContext } from "../../providers/call.js";
import type { AddressProvider } from "../../providers/types.js";
import { READ_PAUSE_MS } from "../../timings.js";

interface Asked {
  /** Monotonic ms. */
  readonly at: number;
  readonly answer: Promise<boolean | undefined>;
}

export class AssignmentHistory {
  private readonly asked = new Map<string, Asked>();

  constructor(
    private readonly provider: Pick<AddressProvider, "latestAction">,
    private readonly clock: Pick<Clock, "monotonic">,
  ) {}

  /** `undefined`: it cannot be read. An answer counts for `READ_PAUSE_MS`. Never rejects. */
  has(context: CallContext, ip: string): Promise<boolean | undefined> {
    const at = this.clock.monotonic();
    for (const [key, known] of this.asked) if (at - known.at >= READ_PAUSE_MS) this.asked.delete(key);
    const answer = this.asked.get(ip)?.answer ?? this.read(context, ip);
    if (!this.asked.has(ip)) this.asked.set(ip, { at, answer });
    return answer;
  }

  private async read(context: CallContext, ip: string): Promise<boolean | undefined> {
    const { provider } = this;
    if (provider.latestAction === undefined) return undefined;
    try {
      const latest = await provider.latestAction(context, ip);
      return latest !== undefined && latest.verb !== "other";
    } catch {
      return undefined;
    }
  }
}
