import { join } from "node:path";
import { type Binaries, executable } from "./binaries/binaries.js";
import { fetchText, type HttpRequest } from "./client/http.js";
import { Etcd } from "./etcd.js";
import { apiserverFlags, controllerManagerFlags, etcdFlags, type FlagFacts } from "./flags.js";
import { Part } from "./part-process.js";
import type { Supervisor } from "./supervisor.js";

/** The programs of a control plane. */
export interface Parts {
  readonly etcd: Etcd;
  readonly apiserver: Part;
  readonly controllerManager?: Part;
}

/** Options of the programs. */
export interface PartOptions {
  /** Emulate an older release, such as `1.32`; 1.31 is too old. @default - the actual release */
  readonly emulatedVersion?: string;
  /** Run the controller manager: Jobs, EndpointSlices, garbage collection, deletion of namespaces. @default false */
  readonly controllerManager?: boolean;
  /** Flags of the API server after the testbed's; of two with the same name, the last one is effective. */
  readonly apiserverArgs?: readonly string[];
  readonly controllerManagerArgs?: readonly string[];
}

/** Inputs for the programs. */
export interface PartsSetup {
  readonly binaries: Binaries;
  readonly supervisor: Supervisor;
  readonly facts: FlagFacts;
  readonly adminToken: string;
  readonly options: PartOptions;
  readonly controllerManagerKubeconfig: string;
  readonly apiserverEnded: () => void;
}

/** Creates the programs of a control plane without starting them. */
export function makeParts(setup: PartsSetup): Parts {
  const etcd = makeEtcd(setup);
  const apiserver = makeApiserver(setup, etcd);
  if (!setup.options.controllerManager) return { etcd, apiserver };
  return { etcd, apiserver, controllerManager: makeControllerManager(setup) };
}

function makeEtcd({ binaries, supervisor, facts }: PartsSetup): Etcd {
  const spec = {
    name: "etcd",
    file: executable(binaries, "etcd"),
    log: join(supervisor.dir, "etcd.log"),
    args: (port: number, peerPort: number) => etcdFlags(facts, port, peerPort),
    ready: (port: number) => isOk({ url: `http://127.0.0.1:${port}/readyz` }),
  };
  return new Etcd(supervisor, spec, facts.etcdDataDir);
}

function makeApiserver(setup: PartsSetup, etcd: Etcd): Part {
  const { binaries, supervisor, facts, adminToken, options } = setup;
  return new Part(supervisor, {
    name: "kube-apiserver",
    file: executable(binaries, "kube-apiserver"),
    log: join(supervisor.dir, "kube-apiserver.log"),
    args: (port) => [...apiserverFlags(facts, port, `http://127.0.0.1:${etcd.port}`), ...(options.apiserverArgs ?? [])],
    ready: (port) => apiserverReady(port, adminToken),
    ended: setup.apiserverEnded,
  });
}

function makeControllerManager(setup: PartsSetup): Part {
  const { binaries, supervisor, facts, options } = setup;
  return new Part(supervisor, {
    name: "kube-controller-manager",
    file: executable(binaries, "kube-controller-manager"),
    log: join(supervisor.dir, "kube-controller-manager.log"),
    args: (port) => [
      ...controllerManagerFlags(facts, port, setup.controllerManagerKubeconfig),
      ...(options.controllerManagerArgs ?? []),
    ],
    ready: (port) => isOk({ url: `https://127.0.0.1:${port}/healthz` }),
  });
}

/** Whether the API server reports ready, and has the namespace that suites expect. */
async function apiserverReady(port: number, token: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const url = `https://127.0.0.1:${port}`;
  return (await isOk({ url: `${url}/readyz`, headers })) && isOk({ url: `${url}/api/v1/namespaces/default`, headers });
}

/** Probes do not verify the certificate, because it may not exist yet. */
async function isOk(request: HttpRequest): Promise<boolean> {
  return (await fetchText({ ...request, verify: false, timeoutMs: 2_000 })).status === 200;
}
