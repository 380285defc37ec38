/** The three kinds of routed addresses as one part of the process: they share their caches. */

import { JOB_LABELS } from "../jobs/job.js";
import { JobService } from "../jobs/job-service.js";
import type { KubeObject } from "../kube/objects.js";
import { omitUndefined } from "../omit-undefined.js";
import type { KindController } from "../reconcile/kind-controller.js";
import type { Notifier } from "../reconcile/notifier.js";
import { FirewallJobs } from "../routing/firewall-jobs.js";
import { IssuerAccounts } from "../routing/issuer-accounts.js";
import { Routing } from "../routing/routing.js";
import type { RoutedClass } from "./cluster-routed-ip-class/actions.js";
import { createClassController } from "./cluster-routed-ip-class/controller.js";
import type { ControllerContext, ControllerParts } from "./context.js";
import { RoutedIPs } from "./routed-ip/controller.js";
import { Aims } from "./routed-ip/jobs/gather.js";
import { createIssuerController } from "./routed-ip-issuer/controller.js";

export function createRoutedIPControllers(context: ControllerContext): ControllerParts {
  const routing = new Routing(context, context.settings);
  const accounts = new IssuerAccounts(context, routing.settings, (key) => routing.secret(key));
  const { features, jobNamespaces } = context.settings;
  const dnsService = features.includes("jobs") ? new JobService(context, jobNamespaces) : undefined;
  const jobs = dnsService && { routing, dnsService, firewalls: new FirewallJobs(), aims: new Aims() };
  const issuers = createIssuerController({ routing, accounts });
  const classes: KindController<RoutedClass> = createClassController({
    routing,
    ...omitUndefined({ jobs }),
    onFirewall: () => routed.requeue(),
  });
  dnsService?.onUnconfirmed((name) => classes.enqueue(name));
  const again = () => {
    issuers.enqueueAll();
    classes.enqueueAll();
  };
  const routed: RoutedIPs = new RoutedIPs({ routing, accounts, ...omitUndefined({ jobs }) }, again);
  const ends = [
    ...followOthers(routing, () => [again(), routed.requeue()]),
    ...followJobs(dnsService, { notifier: context.notifier, classes }),
  ];
  return {
    controllers: [routed.controller, issuers, classes],
    caches: [...routing.parts, ...(dnsService?.parts ?? [])],
    checks: new Map([["routed-ips", () => routed.degradedReason()]]),
    close: async () => {
      for (const end of ends) end();
      dnsService?.close();
      routing.close();
      await Promise.all([routed.close(), issuers.close(), classes.close()]);
    },
  };
}

/** Issuers, classes and Secrets: what they say holds for all who use them. */
function followOthers(routing: Routing, changed: () => void): readonly (() => void)[] {
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

function followJobs(dnsService: JobService | undefined, { notifier, classes }: JobFollowers): readonly (() => void)[] {
  const changed = ({ metadata: { labels = {} } }: KubeObject) => {
    const uid = labels[JOB_LABELS.uid];
    if (uid === undefined) return;
    notifier.tell([uid]);
    classes.enqueueAll();
  };
  return [...(dnsService?.jobs ?? []), ...(dnsService?.pods ?? [])].map(({ store }) => {
    return store.listen(({ object: { object } }: { readonly object: { readonly object: KubeObject } }) =>
      changed(object),
    );
  });
}
