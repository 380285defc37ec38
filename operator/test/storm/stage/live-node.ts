/** What runs on a node's machine: a service that health checks probe, and what renews the node's Lease as a kubelet does. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "flipop-testbed";
import type { NodeState } from "../history.js";
import { insist } from "./insist.js";

export interface LiveNodeOptions {
  readonly client: Client;
  readonly name: string;
  /** Of the loopback network, so that one port serves for all nodes. */
  readonly address: string;
  readonly port: number;
}

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
/** Those of a kubelet: how long its Lease lasts, and how often it is renewed. */
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;

export class LiveNode {
  private server: Server | undefined;
  private hangs = false;
  private renewing: AbortController | undefined;

  constructor(private readonly options: LiveNodeOptions) {}

  /** Resolves when the service is as asked for and a living kubelet has renewed the Lease. */
  async become({ service, kubelet }: Pick<NodeState, "service" | "kubelet">): Promise<void> {
    this.hangs = service === "hangs";
    if (service === "closed") this.closeService();
    else await this.openService();
    if (kubelet) await this.startKubelet();
    else this.stopKubelet();
  }

  close(): void {
    this.closeService();
    this.stopKubelet();
  }

  private async openService(): Promise<void> {
    if (this.server !== undefined) return;
    const { address, port } = this.options;
    const server = createServer((_request, response) => {
      if (!this.hangs) response.end("storm\n");
    });
    this.server = server.listen(port, address);
    await once(server, "listening");
  }

  private closeService(): void {
    this.server?.close();
    this.server?.closeAllConnections();
    this.server = undefined;
  }

  private async startKubelet(): Promise<void> {
    if (this.renewing !== undefined) return;
    const controller = new AbortController();
    this.renewing = controller;
    await this.renew(controller.signal);
    void this.keepRenewing(controller.signal);
  }

  private stopKubelet(): void {
    this.renewing?.abort();
    this.renewing = undefined;
  }

  private async keepRenewing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(RENEW_MS, undefined, { signal, ref: false }).catch(() => undefined);
      // The control plane ends before the last kubelet does.
      await this.renew(signal).catch(() => undefined);
    }
  }

  private renew(signal: AbortSignal): Promise<void> {
    const { client, name } = this.options;
    return insist(async () => {
      if (signal.aborted) return;
      // The API has microseconds.
      const renewTime = new Date().toISOString().replace("Z", "000Z");
      const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
      const { status } = await client.patch(`${LEASES}/${name}`, { spec });
      if (status === 404) await client.must.create(LEASES, { metadata: { name }, spec });
      else if (status !== 200) throw new Error(`PATCH of the Lease of ${name} was answered with ${status}`);
    });
  }
}
