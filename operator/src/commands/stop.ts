/** `flipop stop` and `flipop resume`: the annotation on the Lease that stops all changes to clouds and DNS. */

import { Annotation, DEFAULT_NAMESPACE, LEASE_NAME } from "cdk8s-flipop/api";
import { timeText } from "../clock.js";
import { EXIT } from "../exit.js";
import { isForbidden, isNotFound, type KubeClient } from "../kube/client.js";
import { withCluster } from "./cluster.js";
import { type CommandCall, CommandError, textOption } from "./command.js";

/** `flipop stop [reason]` */
export function run(call: CommandCall): Promise<number> {
  const { args, io } = call;
  return withOperator(call, async (client, lease) => {
    const since = `since ${timeText(io.now())}`;
    const seen = await annotate(client, lease, args[0] === undefined ? since : `${args[0]}; ${since}`);
    const shown =
      seen.holder === "" ? "no operator runs now; the next leader starts stopped" : `leader: ${seen.holder}`;
    io.out(`stopped: the operator changes no cloud and no DNS (${shown})\n`);
    io.err(`flipop: it stays stopped, also after a restart, until: flipop resume${placeText(lease.namespace)}\n`);
    return EXIT.ok;
  });
}

/** `flipop resume` */
export function resume(call: CommandCall): Promise<number> {
  return withOperator(call, async (client, lease) => {
    if ((await read(client, lease)).stop === undefined) {
      call.io.out("the operator was not stopped\n");
      return EXIT.ok;
    }
    await annotate(client, lease, null);
    call.io.out("resumed: the operator works again\n");
    return EXIT.ok;
  });
}

interface Place {
  readonly namespace: string;
  readonly collection: string;
}

async function withOperator(
  call: CommandCall,
  work: (client: KubeClient, place: Place) => Promise<number>,
): Promise<number> {
  const namespace = textOption(call, "namespace") ?? DEFAULT_NAMESPACE;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  return withCluster(call, async ({ client }) => {
    try {
      return await work(client, { namespace, collection });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      throw new CommandError(
        `${error.message}: stop and resume need the verbs get and patch for Lease ${LEASE_NAME} in namespace ${namespace}, which Role flipop-on-call there grants (with another name or namespace of the installation, NAME-NAMESPACE-on-call)`,
      );
    }
  });
}

interface RawLease {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: { readonly holderIdentity?: string | null };
}

interface LeaseSeen {
  readonly holder: string;
  readonly stop: string | undefined;
}

function seenOf({ metadata, spec }: RawLease): LeaseSeen {
  return { holder: spec?.holderIdentity ?? "", stop: metadata.annotations?.[Annotation.stop] };
}

/** @throws CommandError if there is none */
async function read(client: KubeClient, { collection, namespace }: Place): Promise<LeaseSeen> {
  try {
    return seenOf(await client.request<RawLease>({ method: "GET", path: `${collection}/${LEASE_NAME}` }));
  } catch (error) {
    if (isNotFound(error)) throw noLease(namespace);
    throw error;
  }
}

/** A merge patch: null removes the annotation. */
async function annotate(client: KubeClient, place: Place, value: string | null): Promise<LeaseSeen> {
  const body = { metadata: { annotations: { [Annotation.stop]: value } } };
  try {
    const path = `${place.collection}/${LEASE_NAME}`;
    return seenOf(await client.request<RawLease>({ method: "PATCH", path, body }));
  } catch (error) {
    if (isNotFound(error)) throw noLease(place.namespace);
    throw error;
  }
}

function noLease(namespace: string): CommandError {
  return new CommandError(
    `namespace ${namespace} has no Lease ${LEASE_NAME}, so no operator has run there with leader election: name the operator's namespace with -n`,
  );
}

function placeText(namespace: string): string {
  return namespace === DEFAULT_NAMESPACE ? "" : ` -n ${namespace}`;
}
