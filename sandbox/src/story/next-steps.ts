/** What one can do in the sandbox after the story. */

import { GROUP_VERSION } from "cdk8s-flipop/api";
import { DEFAULT_TOKEN as CLOUDFLARE_TOKEN } from "../cloudflare/index.js";
import type { SandboxWorld } from "../start-world.js";

export interface HintOptions {
  readonly world: SandboxWorld;
  /** A node that has an address; absent: there is none. */
  readonly aHolder?: string | undefined;
  /** The file. */
  readonly kubeconfig: string;
}

type Command = readonly [command: string, what: string];

/** Kinds that have addresses, with their short names and the field that contains their holders. */
const KINDS = [
  { kind: "FloatingIPPool", short: "fip", where: "{.status.ips}" },
  { kind: "RoutedIP", short: "rip", where: "{.status.assignedNode}" },
] as const;
const COMMAND_WIDTH = 41;

export function hints({ world, aHolder, kubeconfig }: HintOptions): string {
  const { kubernetes, digitalocean, cloudflare } = world;
  const commands: readonly Command[] = [
    ["kubectl get flipop --all-namespaces", "what there is"],
    ...ofAnAddress(kubernetes),
    ...(aHolder === undefined ? [] : [[`kubectl cordon ${aHolder}`, "see what happens to its address"] as const]),
    ["kubectl get events --all-namespaces --watch", "what happens"],
  ];
  return [
    "",
    "The operator continues at real speed, and its work is printed here; earlier times are those of the scenario. In",
    "another terminal:",
    "",
    `  export KUBECONFIG=${kubeconfig}`,
    ...commands.map(([command, what]) => `  ${command.padEnd(COMMAND_WIDTH)} # ${what}`),
    "",
    `DigitalOcean's API: ${digitalocean.url}, token ${digitalocean.token}`,
    `Cloudflare's API:   ${cloudflare.url}, token ${CLOUDFLARE_TOKEN}`,
    "",
    `Ctrl-C, or kill ${process.pid}, ends it; nothing is kept.`,
  ].join("\n");
}

/** Of the first object that has addresses. */
function ofAnAddress(kubernetes: SandboxWorld["kubernetes"]): readonly Command[] {
  for (const { kind, short, where } of KINDS) {
    const [object] = kubernetes.list(GROUP_VERSION, kind);
    if (object === undefined) continue;
    const place = `${short} ${object.metadata.name} -n ${object.metadata.namespace}`;
    return [
      [`kubectl describe ${place}`, "conditions, each address, what happened"],
      [`kubectl get ${place} -o jsonpath='${where}'`, "which node has which address"],
    ];
  }
  return [];
}
