/** Stands between an operator and the simulator of DigitalOcean, and hides facts in its answers. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

interface AddressList {
  readonly reserved_ips: readonly { readonly ip: string }[];
  readonly meta: object;
}

export class HidingProxy {
  /** Hides the droplets of addresses; and all droplets, as from a token that may not read them. */
  hides: { readonly droplets: boolean } | undefined;
  /** An address that is in no list, and that so many reads of it alone do not find. */
  lacks: { readonly ip: string; reads: number } | undefined;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor(private readonly target: string) {}

  static async to(target: string): Promise<HidingProxy> {
    const made = new HidingProxy(target);
    await new Promise<void>((listening) => made.server.listen(0, "127.0.0.1", listening));
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "" } = request;
    const { status, text } = await this.forward(request);
    response.setHeader("content-type", "application/json");
    if (this.isMissing(url)) {
      response.writeHead(404).end(JSON.stringify({ id: "not_found", message: "The resource could not be found." }));
    } else if (this.hides?.droplets === true && url.startsWith("/v2/droplets")) {
      response.writeHead(403).end(JSON.stringify({ id: "forbidden", message: "You are not authorized" }));
    } else {
      const hidden = this.hides !== undefined && url.startsWith("/v2/reserved_ips");
      response.writeHead(status).end(this.withoutLacking(url, hidden ? withoutDroplets(text) : text));
    }
  }

  private isMissing(url: string): boolean {
    const { lacks } = this;
    if (lacks === undefined || lacks.reads === 0 || !url.endsWith(`/reserved_ips/${lacks.ip}`)) return false;
    lacks.reads -= 1;
    return true;
  }

  private withoutLacking(url: string, text: string): string {
    const { lacks } = this;
    if (lacks === undefined || !url.startsWith("/v2/reserved_ips?")) return text;
    const { reserved_ips: all, meta, ...rest } = JSON.parse(text) as AddressList;
    const left = all.filter(({ ip }) => ip !== lacks.ip);
    return JSON.stringify({ ...rest, reserved_ips: left, meta: { ...meta, total: left.length } });
  }

  private async forward(request: IncomingMessage) {
    const body = await readText(request);
    const { method = "GET", url = "", headers } = request;
    const sent = {
      method,
      headers: { authorization: String(headers.authorization), "content-type": "application/json" },
    };
    const answer = await fetch(`${this.target}${url}`, body === "" ? sent : { ...sent, body });
    return { status: answer.status, text: await answer.text() };
  }
}

function withoutDroplets(text: string): string {
  const hide = (key: string, value: unknown) => (key === "droplet" ? null : value);
  return text === "" ? text : JSON.stringify(JSON.parse(text), hide);
}
