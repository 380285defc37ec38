/** What a kubelet does for the operator's health checks: it renews the Lease of its node. */

import type { Client } from "flipop-testbed";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
/** A kubelet renews its Lease so many times while the Lease lasts. */
const RENEWALS = 4;
const SECOND_MS = 1_000;

export class Kubelet {
  private renewals: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: Client,
    private readonly node: string,
    /** How long the Lease lasts. */
    private readonly leaseSeconds: number,
  ) {}

  get intervalMs(): number {
    return (this.leaseSeconds * SECOND_MS) / RENEWALS;
  }

  /** Resolves when the Lease is there. */
  async start(): Promise<void> {
    await this.renew();
    this.renewals = setInterval(() => void this.renew().catch(() => undefined), this.intervalMs);
  }

  stop(): void {
    clearInterval(this.renewals);
  }

  private async renew(): Promise<void> {
    // The API has microseconds.
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: this.node, leaseDurationSeconds: this.leaseSeconds, renewTime };
    const { status } = await this.client.patch(`${LEASES}/${this.node}`, { spec });
    if (status === 404) await this.client.must.create(LEASES, { metadata: { name: this.node }, spec });
  }
}
