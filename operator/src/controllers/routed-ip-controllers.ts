/** The three kinds of routed addresses as one part of the process: they share their caches. */

import { JOB_LABELS } from "../jobs/job.js";
import { JobService } from "../jobs/job-service.js";
import type { KubeObject } from "../kube/objects.js";
import type { Notifier } from "../providers/account-recovery.js";
import type { KindController } from "../reconcile/kind-controller.js";
import { FirewallJobs, JobAims } from "../routing/firewall-jobs.js";
import { IssuerAccounts } from "../routing/issuer-accounts.js";
import { RoutingCaches } from "../routing/shared-caches.js";
import { omitUndefined } from "../values.js";
import { createClassController, type RoutedClass } from "./cluster-routed-ip-class/controller.js";
import type { ControllerContext, ControllerParts } from "./context.js";
import { RoutedIPs } from "./routed-ip/controller.js";
import { createIssuerController } from "./routed-ip-issuer/controller.js";

export function createRoutedIPControllers(context: ControllerContext): ControllerParts {
  const routing = new RoutingCaches(context, context.settings);
  const accounts = new IssuerAccounts(context, routing.settings, (key) => routing.secret(key));
  const { features, jobNamespaces } = context.settings;
  const jobService = features.includes("jobs")
    ? new JobService(context, jobNamespaces, context.providers.redactor)
    : undefined;
  const aims = new JobAims();
  const firewalls = new FirewallJobs((uid) => aims.of(uid));
  const jobs = jobService && { routing, jobService, firewalls, aims, onAim: () => classes.enqueueAll() };
  const issuers = createIssuerController({ routing, accounts });
  const classes: KindController<RoutedClass> = createClassController({
    routing,
    ...omitUndefined({ jobs }),
    onFirewall: () => routed.requeue(),
  });
  jobService?.onUnconfirmed((name) => classes.enqueue(name));
  const again = () => {
    issuers.enqueueAll();
    classes.enqueueAll();
  };
  const routed: RoutedIPs = new RoutedIPs({ routing, accounts, ...omitUndefined({ jobs }) }, again);
  const ends = [
    ...followOthers(routing, () => [again(), routed.requeue()]),
    ...followJobs(jobService, { notifier: context.notifier, classes }),
  ];
  return {
    controllers: [routed.controller, issuers, classes],
    caches: [...routing.parts, ...(jobService?.parts ?? [])],
    withAddresses: routing.routed.parts,
    checks: new Map([["routed-ips", () => routed.degradedReason()]]),
    close: async () => {
      for (const end of ends) end();
      jobService?.close();
      routing.close();
      await Promise.all([routed.close(), issuers.close(), classes.close()]);
    },
  };
}

/** Issuers, classes and Secrets: what they say holds for all who use them. */
function followOthers(routing: RoutingCaches, changed: () => void): readonly (() => void)[] {
  // Nothing in a list says that the operator may read it now.
  for (const cache of routing.secrets) void cache.whenSynced().then(changed, () => undefined);
  return [
    routing.issuers.listen(changed),
    routing.classes.store.listen(changed),
    ...routing.secrets.map(({ store }) => store.listen(changed)),
  ];
}

interface JobFollowers {
  readonly notifier: Notifier;
  readonly classes: KindController<RoutedClass>;
}

function followJobs(jobService: JobService | undefined, { notifier, classes }: JobFollowers): readonly (() => void)[] {
  const changed = ({ metadata: { labels = {} } }: KubeObject) => {
    const uid = labels[JOB_LABELS.uid];
    if (uid === undefined) return;
    notifier.notify([uid]);
    classes.enqueueAll();
  };
  return [...(jobService?.jobs ?? []), ...(jobService?.pods ?? [])].map(({ store }) => {
    return store.listen(({ object: { object } }: { readonly object: { readonly object: KubeObject } }) =>
      changed(object),
    );
  });
}
