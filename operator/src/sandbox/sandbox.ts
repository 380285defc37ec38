import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxOptions } from "../cli.js";
import { EXIT } from "../runtime/manager.js";
import { type Emulator, type JsonObject, startEmulator } from "./kubernetes/index.js";

/** `flipop sandbox`: a Kubernetes API in this process, for kubectl and for tries. Resolves to the exit code. */
export async function sandbox(options: SandboxOptions): Promise<number> {
  const emulator = await startEmulator({ port: options.port });
  const folder = options.kubeconfig === undefined ? mkdtempSync(join(tmpdir(), "flipop-sandbox-")) : undefined;
  const file = options.kubeconfig ?? join(folder ?? tmpdir(), "kubeconfig");
  writeFileSync(file, emulator.kubeconfig(), { mode: 0o600 });
  for (const number of [1, 2, 3]) addNode(emulator, number);
  console.log(greeting(emulator.url, file));
  // Without a terminal nobody could press Ctrl-C.
  if (!options.once && process.stdin.isTTY === true) await interrupted();
  await emulator.close();
  if (folder !== undefined) rmSync(folder, { recursive: true });
  return EXIT.ok;
}

/** Admission taints a new node until it is ready, and no node controller runs here that would take the taint away. */
function addNode(emulator: Emulator, number: number): void {
  const { metadata } = emulator.create(sandboxNode(number));
  emulator.change({ apiVersion: "v1", kind: "Node", name: metadata.name }, (node) => {
    const { taints: _, ...spec } = node["spec"] as JsonObject;
    return { ...node, spec };
  });
}

function sandboxNode(number: number): object {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `node-${number}`, labels: { "kubernetes.io/hostname": `node-${number}` } },
    spec: { providerID: `digitalocean://100${number}` },
    status: {
      conditions: [{ type: "Ready", status: "True", reason: "KubeletReady" }],
      addresses: [
        { type: "InternalIP", address: `10.0.0.${number}` },
        { type: "ExternalIP", address: `203.0.113.${number}` },
      ],
      nodeInfo: { kubeletVersion: "v1.35.4" },
    },
  };
}

function greeting(url: string, file: string): string {
  return `flipop sandbox: a Kubernetes API with flipop's kinds and three nodes, in this process, at ${url}

  export KUBECONFIG=${file}
  kubectl get nodes
  kubectl explain fip.spec
  kubectl create -f - <<'YAML'
  {apiVersion: flipop.digitalocean.com/v1alpha1, kind: FloatingIPPool, metadata: {name: web},
   spec: {provider: digitalocean, region: nyc3, desiredIPs: 2}}
  YAML
  kubectl get flipop

Ctrl-C ends it; nothing is kept.`;
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGINT", () => resolve());
    process.once("SIGTERM", () => resolve());
  });
}
