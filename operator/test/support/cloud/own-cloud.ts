/** A small cloud with an HTTP API of its own, for the sample of docs/how-to/bring-your-own-cloud.md. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const CLOUD_TOKEN = "mycloud-token-for-tests";

export interface CloudRule {
  readonly protocol: string;
  readonly port: number;
  readonly machines: readonly string[];
}

interface CloudAnswer {
  readonly status: number;
  readonly body?: unknown;
}

export class OwnCloud {
  /** Machine of each address; empty: none. */
  readonly addresses = new Map<string, string>();
  rules: readonly CloudRule[] = [];
  /** Assignments to machines whose port 443 was closed. */
  readonly closed: string[] = [];
  /** As `PUT /addresses/192.0.2.1`. */
  readonly calls: string[] = [];
  /** The next call that matches gets this answer. `late`: after the cloud has done what it asks for. */
  fault: { readonly on: RegExp; readonly answer: CloudAnswer; readonly late?: boolean } | undefined;
  private readonly labels = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<OwnCloud> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    const cloud = new OwnCloud(server, `http://127.0.0.1:${port}`);
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      let text = "";
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on("end", () => {
        const { status, body } = cloud.answer(request, text);
        response.writeHead(status, { "Content-Type": "application/json" });
        response.end(body === undefined ? "" : JSON.stringify(body));
      });
    });
    return cloud;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => {
      this.server.close(() => resolve());
    });
  }

  /** Ports that are open on a machine. */
  openOn(machine: string): readonly number[] {
    return this.rules.filter(({ machines }) => machines.includes(machine)).map(({ port }) => port);
  }

  private answer({ method = "", url = "", headers }: IncomingMessage, text: string): CloudAnswer {
    const { pathname, searchParams } = new URL(url, this.url);
    const call = `${method} ${pathname}`;
    this.calls.push(call);
    if (headers.authorization !== `Bearer ${CLOUD_TOKEN}`) return { status: 401, body: { error: "wrong token" } };
    const { fault } = this;
    const isFaulty = fault?.on.test(call) === true;
    if (isFaulty) this.fault = undefined;
    if (isFaulty && fault.late !== true) return fault.answer;
    const answer = this.carryOut(call, searchParams.get("label") ?? "", text);
    return isFaulty ? fault.answer : answer;
  }

  private carryOut(call: string, label: string, text: string): CloudAnswer {
    if (call === "GET /addresses") return { status: 200, body: this.labelled(label) };
    if (call === "POST /addresses") return this.create(JSON.parse(text) as { readonly label: string });
    if (call === "PUT /firewalls/ingress") {
      this.rules = JSON.parse(text) as readonly CloudRule[];
      return { status: 200 };
    }
    const [, ip = ""] = /^PUT \/addresses\/(.+)$/.exec(call) ?? [];
    if (!this.addresses.has(ip)) return { status: 404, body: { error: `${call}: not found` } };
    return this.assign(ip, (JSON.parse(text) as { readonly machine: string }).machine);
  }

  private labelled(label: string): readonly { readonly address: string }[] {
    return [...this.labels].filter(([, of]) => of === label).map(([address]) => ({ address }));
  }

  private create({ label }: { readonly label: string }): CloudAnswer {
    const address = `192.0.2.${this.addresses.size + 1}`;
    this.addresses.set(address, "");
    this.labels.set(address, label);
    return { status: 201, body: { address } };
  }

  private assign(ip: string, machine: string): CloudAnswer {
    if (!this.openOn(machine).includes(443)) this.closed.push(`${ip} on ${machine}`);
    this.addresses.set(ip, machine);
    return { status: 200 };
  }
}
