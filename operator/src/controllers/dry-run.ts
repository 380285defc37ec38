/** A run that changes nothing in the cluster: reads pass, everything else is logged and ends in DryRunError. */

import type { KubeClient } from "../kube/client.js";
import type { EventRecorder } from "../kube/events.js";
import type { Logger } from "../logging.js";
import { DryRunError } from "../providers/errors.js";

export function dryRunClient(client: KubeClient, logger: Logger): KubeClient {
  return {
    request: (request) => {
      if (request.method === "GET") return client.request(request);
      const { method, path, body } = request;
      logger.info({ method, path, body }, "dry run: not sent");
      return Promise.reject(new DryRunError(`dry run: not sent: ${method} ${path}`));
    },
    open: (request) => client.open(request),
  };
}

export function dryRunEvents(logger: Logger): EventRecorder {
  return { record: (input) => logger.info({ event: input }, "dry run: no Event") };
}
