/** What probes find at the storm's own services, and from a replica that is cut off. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type Client, freePort } from "flipop-testbed";
import { afterEach, describe, it } from "mocha";
import { TempDir } from "../support/temp-dir.js";
import { LiveNode } from "./stage/live-node.js";

const ADDRESS = "127.79.0.1";
const OTHER_ADDRESS = "127.79.0.2";
const run = promisify(execFile);

/** Connects to both addresses with a time limit, and prints for each whether it came about. */
const SCRIPT = `
  const { connect } = require("node:net");
  const reaches = (host) => new Promise((resolve) => {
    const socket = connect({ host, port: Number(process.argv[1]) });
    const end = (reached) => { socket.destroy(); resolve(reached); };
    socket.once("connect", () => end(true)).once("error", () => end("error"));
    setTimeout(() => end(false), 1_000);
  });
  Promise.all(process.argv.slice(2).map(reaches)).then((all) => console.log(JSON.stringify(all)));
`;

describe("the services of the storm's nodes", () => {
  const open: LiveNode[] = [];
  const folders: TempDir[] = [];

  afterEach(() => {
    for (const node of open.splice(0)) node.close();
    for (const folder of folders.splice(0)) folder.remove();
  });

  function node(address: string, port: number): LiveNode {
    // Without a kubelet, it sends no request.
    const made = new LiveNode({ client: {} as Client, name: "node-1", address, port });
    open.push(made);
    return made;
  }

  it("answer, hang, and are closed", async () => {
    const port = await freePort();
    const live = node(ADDRESS, port);
    const url = `http://${ADDRESS}:${port}/`;
    await live.become({ service: "answers", kubelet: false });
    expect((await fetch(url)).status).to.equal(200);

    await live.become({ service: "hangs", kubelet: false });
    await once(
      connect({ host: ADDRESS, port }).on("error", () => undefined),
      "connect",
    );
    const silence = await fetch(url, { signal: AbortSignal.timeout(300) }).catch((error: Error) => error.name);
    expect(silence).to.equal("TimeoutError");

    await live.become({ service: "closed", kubelet: false });
    expect(await fetch(url).catch((error: Error) => (error.cause as NodeJS.ErrnoException).code)).to.equal(
      "ECONNREFUSED",
    );

    await live.become({ service: "answers", kubelet: false });
    expect((await fetch(url)).status).to.equal(200);
  });

  it("get no connection from a process that is cut off from them, and those from all others", async () => {
    const port = await freePort();
    for (const address of [ADDRESS, OTHER_ADDRESS])
      await node(address, port).become({ service: "answers", kubelet: false });
    const folder = new TempDir();
    folders.push(folder);
    const preload = new URL("./stage/cut-off.mjs", import.meta.url).href;
    const env = { NODE_OPTIONS: `--import=${preload}`, STORM_CUT_OFF: join(folder.path, "cut-off") };
    const reached = async () => {
      const { stdout } = await run(process.execPath, ["-e", SCRIPT, String(port), ADDRESS, OTHER_ADDRESS], { env });
      return JSON.parse(stdout) as unknown;
    };
    expect(await reached(), "without a file").to.deep.equal([true, true]);
    folder.write("cut-off", `${ADDRESS}\n`);
    expect(await reached()).to.deep.equal([false, true]);
  });
});
