/** `flipop adopt`: gives a pool an address that the account has already. */

import {
  canonicalIp,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  familyOf,
  isIp,
  KINDS,
} from "cdk8s-flipop/api";
import { annotatedIps } from "../addresses/desired-addresses.js";
import { familyOfPool } from "../claims/pool-family.js";
import { EXIT } from "../exit.js";
import { isInvalid, type KubeClient } from "../kube/client.js";
import { JSON_PATCH } from "../kube/write/patch.js";
import { FACT_WRITE_ATTEMPTS } from "../timings.js";
import { checkFree, readOf } from "./claim-checks.js";
import { type Cluster, withCluster } from "./cluster.js";
import { type CommandCall, CommandError, checkIp } from "./command.js";
import { kindPath, type OwnObject, readKinds } from "./list-objects.js";
import { findResource, parseResourceName, type ResourceName } from "./resource-name.js";

const { FloatingIPPool, RoutedIP } = KINDS;

export function run(call: CommandCall): Promise<number> {
  const { args, io } = call;
  const [text = "", resource = ""] = args;
  checkIp(text);
  const ip = canonicalIp(text);
  const named = parseResourceName(resource, [FloatingIPPool.kind]);
  return withCluster(call, async (cluster) => {
    let refused: Refused | undefined;
    for (let attempt = 0; attempt < FACT_WRITE_ATTEMPTS; attempt++) {
      const tried = await adopt(cluster, { ip, named, call, refused });
      if (typeof tried === "string") {
        io.out(`${tried}\n`);
        return EXIT.ok;
      }
      refused = tried;
    }
    throw refusal(refused);
  });
}

/** A version of the pool, and why the API server did not change it: the operator, for example, has written the pool since. */
interface Refused {
  readonly version: string | undefined;
  readonly error: Error;
}

interface Attempt {
  readonly ip: string;
  readonly named: ResourceName;
  readonly call: CommandCall;
  /** The last attempt. */
  readonly refused: Refused | undefined;
}

/** @returns what it did, for people. @throws CommandError where another attempt would not help */
async function adopt({ client, namespace }: Cluster, attempt: Attempt): Promise<string | Refused> {
  const { ip, named, call, refused } = attempt;
  const reads = await readKinds(client, call.io.stop, { kinds: [FloatingIPPool, RoutedIP] });
  const pool = findResource(readOf(reads, FloatingIPPool.kind), named, namespace);
  const where = `FloatingIPPool ${namespace}/${named.name}`;
  const version = pool.metadata.resourceVersion;
  if (refused !== undefined && refused.version === version) throw refusal(refused);
  if (listed(pool).includes(ip)) return alreadyListed(pool, ip, where);
  checkFree(reads, ip, pool.metadata.uid);
  checkFamily(pool, ip, where);
  const change = changeOf(pool, ip);
  if (change.desiredIPs !== undefined && call.options["raise"] === undefined)
    throw noRoom(pool, attempt, change.desiredIPs);
  const error = await write(client, pool, change);
  return error === undefined ? `${where}: ${doneText(change, ip)}` : { version, error };
}

/** What the pool's spec gets. */
interface Change {
  readonly ips: readonly string[];
  /** Only where the pool has no room. */
  readonly desiredIPs?: number;
}

/** In a pool without room, the address stands before the disabled ones, which one more would enable otherwise. */
function changeOf(pool: OwnObject, ip: string): Change {
  const { ips = [], desiredIPs = 0 } = specOf(pool);
  if (desiredIPs === 0 || desiredIPs > counted(pool, ip)) return { ips: [...ips, ip] };
  return { ips: [...ips.slice(0, desiredIPs), ip, ...ips.slice(desiredIPs)], desiredIPs: desiredIPs + 1 };
}

/** Addresses of the pool beside this one: also those that the operator has created and not yet appended to `ips`. */
function counted(pool: OwnObject, ip: string): number {
  const { createdIPs = [] } = (pool.status ?? {}) as FloatingIPPoolStatus;
  const created = createdIPs.map((entry) => canonicalIp(entry.ip));
  const all = new Set([...listed(pool), ...created, ...annotatedIps(pool)]);
  all.delete(ip);
  return all.size;
}

function doneText({ ips, desiredIPs }: Change, ip: string): string {
  if (desiredIPs === undefined) return `${ip} is the last entry of ips now`;
  return `${ip} is entry ${ips.indexOf(ip) + 1} of ips now, and desiredIPs is ${desiredIPs}`;
}

/** Names one command: with `desiredIPs` raised alone, the operator would create an address before the next try. */
function noRoom(pool: OwnObject, { ip, call }: Attempt, raised: number): CommandError {
  const { namespace, name } = pool.metadata;
  const count = counted(pool, ip);
  const others = ["kubeconfig", "context"].filter((option) => call.options[option] !== undefined);
  const options = [`-n ${namespace}`, ...others.map((option) => `--${option} ${call.options[option]}`), "--raise"];
  const command = `flipop adopt ${ip} pool/${name} ${options.join(" ")}`;
  return new CommandError(
    `FloatingIPPool ${namespace}/${name} has ${count === 1 ? "1 address" : `${count} addresses`}, and desiredIPs is ${raised - 1}, so the operator would disable one: to use ${ip}, too, run ${command}, which sets desiredIPs to ${raised} in the same write`,
  );
}

/** @throws CommandError if the pool does not serve it */
function alreadyListed({ status }: OwnObject, ip: string, where: string): string {
  const { ips = {} } = (status ?? {}) as FloatingIPPoolStatus;
  const { state, reason = "", error = "" } = ips[ip] ?? {};
  if (state !== "error") return `${where} lists ${ip} already`;
  throw new CommandError(`${where} lists ${ip} already, and cannot use it (${reason}): ${error}`);
}

function refusal(refused: Refused | undefined): CommandError {
  return new CommandError(`the API server refuses the change: ${refused?.error.message}`);
}

function specOf({ spec }: OwnObject): Partial<FloatingIPPoolSpec> {
  return (spec ?? {}) as Partial<FloatingIPPoolSpec>;
}

function listed(pool: OwnObject): readonly string[] {
  return (specOf(pool).ips ?? []).filter(isIp).map(canonicalIp);
}

/** @throws CommandError if the pool could not use the address */
function checkFamily(pool: OwnObject, ip: string, where: string): void {
  const family = familyOfPool({ spec: specOf(pool), status: pool.status as FloatingIPPoolStatus | undefined });
  if (familyOf(ip) !== family) throw new CommandError(`${ip} is no ${family} address, as those of ${where} are`);
}

/** Only on the version that was read. @returns the refusal, of the change or because the pool has another version */
async function write(client: KubeClient, { metadata }: OwnObject, change: Change): Promise<Error | undefined> {
  const fields = Object.entries(change).map(([field, value]) => ({ op: "add", path: `/spec/${field}`, value }));
  const body = [{ op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion }, ...fields];
  const path = `${kindPath(FloatingIPPool, metadata.namespace)}/${encodeURIComponent(metadata.name)}`;
  try {
    await client.request({ method: "PATCH", path, body, contentType: JSON_PATCH });
    return undefined;
  } catch (error) {
    if (isInvalid(error)) return error;
    throw error;
  }
}
