/** `flipop adopt`: gives a pool an address that the account has already. */

import { canonicalIp, type FloatingIPPoolSpec, familyOf, isIp, KINDS } from "cdk8s-flipop/api";
import { EXIT } from "../exit.js";
import { isInvalid, type KubeClient } from "../kube/client.js";
import { JSON_PATCH } from "../kube/write/patch.js";
import { checkFree, readOf } from "./claimed.js";
import { withCluster } from "./cluster.js";
import { type CommandCall, CommandError } from "./command.js";
import { kindPath, type OwnObject, readKinds } from "./read.js";
import { findResource, parseResourceName } from "./resource-name.js";

const { FloatingIPPool, RoutedIP } = KINDS;

export function run(call: CommandCall): Promise<number> {
  const { args, io } = call;
  const [text = "", resource = ""] = args;
  if (!isIp(text)) throw new CommandError(`"${text}" is no IP address: write it as 203.0.113.7 or 2001:db8::7`);
  const ip = canonicalIp(text);
  const named = parseResourceName(resource, [FloatingIPPool.kind]);
  return withCluster(call, async ({ client, namespace }) => {
    const reads = await readKinds(client, io.stop, { kinds: [FloatingIPPool, RoutedIP] });
    const pool = findResource(readOf(reads, FloatingIPPool.kind), named, namespace);
    const where = `FloatingIPPool ${namespace}/${named.name}`;
    if (listed(pool).includes(ip)) {
      io.out(`${where} lists ${ip} already\n`);
      return EXIT.ok;
    }
    checkFree(reads, ip, pool.metadata.uid);
    checkPool(pool, ip, where);
    await append(client, pool, [...(specOf(pool).ips ?? []), ip]);
    io.out(`${where}: ${ip} is the last entry of ips now\n`);
    return EXIT.ok;
  });
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
    `${where} lists ${ips.length} addresses, and desiredIPs is ${desiredIPs}, so the operator would disable ${ip}: set desiredIPs to ${ips.length + 1} first`,
  );
}

/** Only on the version that was read. */
async function append(client: KubeClient, { metadata }: OwnObject, ips: readonly string[]): Promise<void> {
  const body = [
    { op: "test", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
    { op: "add", path: "/spec/ips", value: ips },
  ];
  const path = `${kindPath(FloatingIPPool, metadata.namespace)}/${encodeURIComponent(metadata.name)}`;
  try {
    await client.request({ method: "PATCH", path, body, contentType: JSON_PATCH });
  } catch (error) {
    if (!isInvalid(error)) throw error;
    throw new CommandError(
      `the API server refuses the change: ${error.message}; if somebody edited the pool, try again`,
    );
  }
}
