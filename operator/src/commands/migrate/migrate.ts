/** `flipop migrate`: what the change between FLIPOP, the Go operator, and this one means for a cluster. Changes nothing. */

import { ALL_KINDS, type FloatingIPPoolStatus, KINDS } from "cdk8s-flipop/api";
import { EXIT } from "../../exit.js";
import type { KubeClient } from "../../kube/client.js";
import type { Lease } from "../../kube/write/lease.js";
import { claimantOf } from "../claim-checks.js";
import { withCluster } from "../cluster.js";
import { type CommandCall, CommandError, textOption, UsageError } from "../command.js";
import { DEFINITIONS, type Definition, definitionFindings } from "../doctor/definitions.js";
import { printFindings } from "../doctor/doctor.js";
import { type Finding, ok } from "../doctor/finding.js";
import { LEASES } from "../doctor/leases.js";
import { listAll, readKinds } from "../list-objects.js";
import {
  backFindings,
  changeFindings,
  claimFindings,
  foreignFinalizerFindings,
  foreignFinding,
  GO_KINDS,
  leaseFinding,
  resourcesOf,
  specFindings,
  titleOf,
} from "./findings.js";

const { FloatingIPPool } = KINDS;

type Step = (call: CommandCall, client: KubeClient) => Promise<number>;

const STEPS: Readonly<Record<string, Step>> = { check, back, addresses, names };

export function run(call: CommandCall): Promise<number> {
  const [name = ""] = call.args;
  const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
  if (step === undefined) throw new UsageError(`"${name}" is no step: use ${Object.keys(STEPS).join(", ")}`);
  if ((step === addresses || step === names) && textOption(call, "output") !== undefined)
    throw new UsageError(`--output: ${name} prints lines of text only: leave the option out`);
  return withCluster(call, ({ client }) => step(call, client));
}

async function check(call: CommandCall, client: KubeClient): Promise<number> {
  const signal = call.io.stop;
  const [leases, definitions, resources] = await Promise.all([
    listAll<Lease>(client, LEASES, signal),
    listAll<Definition>(client, DEFINITIONS, signal),
    readResources(call, client),
  ]);
  const findings = [
    leaseFinding(leases, call.io.now()),
    foreignFinding(definitions),
    ...definitionFindings(definitions).map(asWarning),
    ...specFindings(resources),
    ...claimFindings(resources),
    ...changeFindings(resources),
    ...foreignFinalizerFindings(resources),
  ];
  return show(call, findings);
}

/** Step 2 of the migration installs the CRDs. */
function asWarning(finding: Finding): Finding {
  return finding.result === "problem" ? { ...finding, result: "warning" } : finding;
}

async function back(call: CommandCall, client: KubeClient): Promise<number> {
  const findings = backFindings(await readResources(call, client, ALL_KINDS));
  return show(call, findings.length === 0 ? [ok("resources", "the Go operator can serve them as they are")] : findings);
}

function show(call: CommandCall, findings: readonly Finding[]): number {
  printFindings(call, findings);
  return findings.some(({ result }) => result === "problem") ? EXIT.failed : EXIT.ok;
}

/** Where each address is, one line each, to compare before and after. */
async function addresses(call: CommandCall, client: KubeClient): Promise<number> {
  const resources = await readResources(call, client, [FloatingIPPool]);
  const lines = resources.flatMap((resource) => {
    const { ips = {} } = (resource.object.status ?? {}) as FloatingIPPoolStatus;
    return Object.entries(ips).map(([ip, { nodeName = "-", state = "-" }]) => {
      return `${titleOf(resource).split(" ")[1]} ${ip} ${nodeName} ${state}\n`;
    });
  });
  call.io.out(lines.sort().join(""));
  return EXIT.ok;
}

/** The DNS names of all resources, one line each. */
async function names(call: CommandCall, client: KubeClient): Promise<number> {
  const lines = (await readResources(call, client)).flatMap((resource) => {
    const { names: claimed } = claimantOf(resource.kind, resource.object);
    return claimed.map(({ fqdn }) => `${fqdn} ${titleOf(resource).replace(" ", "/")}\n`);
  });
  call.io.out([...new Set(lines)].sort().join(""));
  return EXIT.ok;
}

/** @throws CommandError if a kind can't be read: its resources may be those with a problem */
async function readResources(
  call: CommandCall,
  client: KubeClient,
  kinds: readonly (typeof ALL_KINDS)[number][] = GO_KINDS,
) {
  const reads = await readKinds(client, call.io.stop, { kinds });
  // Before the migration, the cluster has the kinds of the Go operator only.
  const unread = reads.find(
    ({ problem, missing, kind }) =>
      problem !== undefined && (missing !== true || GO_KINDS.some((one) => one.kind === kind.kind)),
  );
  if (unread !== undefined) throw new CommandError(`${unread.kind.plural} can't be read: ${unread.problem}`);
  return resourcesOf(reads);
}
