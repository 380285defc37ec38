import { setTimeout as delay } from "node:timers/promises";
import { ApiError, type Client, type KubeStatus } from "flipop-testbed";

const AGAIN_MS = 200;
const PATIENCE_MS = 45_000;

/** Repeats a request of the storm's own while the API server is away. What the server refuses for a reason is thrown. */
export async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const lasting = error instanceof ApiError && !isPassing(error.status);
      if (lasting || Date.now() > end) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Deletes an object. A server that has just started answers 404 for kinds that it does not serve yet. */
export async function insistDeleted(client: Pick<Client, "delete">, path: string): Promise<void> {
  await insist(async () => {
    const { status, body } = await client.delete<KubeStatus>(path);
    const isGone = status === 404 && body.details?.["name"] !== undefined;
    if (status >= 300 && !isGone) throw new Error(`DELETE ${path}: ${status}`);
  });
}

/** A server that has just started knows no roles for a moment, and may refuse the admin. */
function isPassing(status: number): boolean {
  return status === 403 || status === 409 || status === 429 || status >= 500;
}
