/** `flipop adopt`: gives a pool an address that the account has already. */

import {
  canonicalIp,
  type FloatingIPPoolSpec,
  type FloatingIPPoolStatus,
  familyOf,
  isIp,
  KINDS,
} from "cdk8s-flipop/api";
import { FACT_WRITE_ATTEMPTS } from "../bounds.js";
import { EXIT } from "../exit.js";
import { isInvalid, type KubeClient } from "../kube/client.js";
import { JSON_PATCH } from "../kube/write/patch.js";
import { checkFree, readOf } from "./claimed.js";
import { type Cluster, withCluster } from "./cluster.js";
import { type CommandCall, CommandError } from "./command.js";
import { kindPath, type OwnObject, readKinds } from "./read.js";
import { findResource, parseResourceName, type ResourceName } from "./resource-name.js";

const { FloatingIPPool, RoutedIP } = KINDS;

export function run(call: CommandCall): Promise<number> {
  const { args, io } = call;
  const [text = "", resource = ""] = args;
  if (!isIp(text)) throw new CommandError(`"${text}" is no IP address: write it as 203.0.113.7 or 2001:db8::7`);
  const ip = canonicalIp(text);
  const named = parseResourceName(resource, [FloatingIPPool.kind]);
  return withCluster(call, async (cluster) => {
    let refused: Refused | undefined;
    for (let attempt = 0; attempt < FACT_WRITE_ATTEMPTS; attempt++) {
      const tried = await adopt(cluster, { ip, named, signal: io.stop, refused });
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
  readonly signal: AbortSignal;
  /** The last attempt. */
  readonly refused: Refused | undefined;
}

/** @returns what it did, for people. @throws CommandError where another attempt would not help */
async function adopt(
  { client, namespace }: Cluster,
  { ip, named, signal, refused }: Attempt,
): Promise<string | Refused> {
  const reads = await readKinds(client, signal, { kinds: [FloatingIPPool, RoutedIP] });
  const pool = findResource(readOf(reads, FloatingIPPool.kind), named, namespace);
  const where = `FloatingIPPool ${namespace}/${named.name}`;
  const version = pool.metadata.resourceVersion;
  if (refused !== undefined && refused.version === version) throw refusal(refused);
  if (listed(pool).includes(ip)) return alreadyListed(pool, ip, where);
  checkFree(reads, ip, pool.metadata.uid);
  checkPool(pool, ip, where);
  const error = await append(client, pool, [...(specOf(pool).ips ?? []), ip]);
  return error === undefined ? `${where}: ${ip} is the last entry of ips now` : { version, error };
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
function checkPool(pool: OwnObject, ip: string, where: string): void {
  const { ipFamily, desiredIPs = 0 } = specOf(pool);
  const ips = listed(pool);
  const family = ipFamily ?? familyOf(ips[0] ?? "");
  if (familyOf(ip) !== family) throw new CommandError(`${ip} is no ${family} address, as those of ${where} are`);
  if (desiredIPs === 0 || desiredIPs > ips.length) return;
  throw new CommandError(
    `${where} lists ${ips.length === 1 ? "1 address" : `${ips.length} addresses`}, and desiredIPs is ${desiredIPs}, so the operator would disable ${ip}: set desiredIPs to ${ips.length + 1} first`,
  );
}

/** Only on the version that was read. @returns the refusal, of the change or because the pool has another version */
async function append(client: KubeClient, { metadata }: OwnObject, ips: readonly string[]): Promise<Error | undefined> {
  const body = [
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    { op: "add", path: "/spec/ips", value: ips },
  ];
  const path = `${kindPath(FloatingIPPool, metadata.namespace)}/${encodeURIComponent(metadata.name)}`;
  try {
    await client.request({ method: "PATCH", path, body, contentType: JSON_PATCH });
    return undefined;
  } catch (error) {
    if (isInvalid(error)) return error;
    throw error;
  }
}
