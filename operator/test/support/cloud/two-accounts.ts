/** One address for two accounts of DigitalOcean, as the API has: the token decides which account answers. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export class TwoAccounts {
  /** By token: the URL of its simulator. */
  readonly accounts = new Map<string, string>();

  private constructor(
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<TwoAccounts> {
    const server = createServer((request, response) => {
      const { authorization = "", "content-type": type = "application/json" } = request.headers;
      const base = made.accounts.get(authorization.replace("Bearer ", "")) ?? [...made.accounts.values()][0];
      const forward = async () => {
        const { method = "GET", url = "/" } = request;
        const body = method === "GET" ? undefined : (await text(request)) || undefined;
        const headers = { authorization, "content-type": type };
        const answer = await fetch(`${base}${url}`, { method, headers, ...(body !== undefined && { body }) });
        const { status } = answer;
        response.writeHead(status, Object.fromEntries([...answer.headers].filter(([name]) => PASSED.test(name))));
        response.end(Buffer.from(await answer.arrayBuffer()));
      };
      forward().catch((error: unknown) => response.destroy(error as Error));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    const close = async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    };
    const made = new TwoAccounts(`http://127.0.0.1:${port}`, close);
    return made;
  }
}

const PASSED = /^(content-type|ratelimit-.*|retry-after)$/;
