/** The three kinds of routed addresses as one part of the process: they share their caches. */

import type { KubeObject } from "../kube/objects.js";
import type { KindController } from "../reconcile/kind-controller.js";
import type { RoutedClass } from "./cluster-routed-ip-class/actions.js";
import { createClassController } from "./cluster-routed-ip-class/controller.js";
import type { ControllerContext, ControllerParts } from "./context.js";
import { given } from "./given.js";
import { JOB_LABELS } from "./jobs/job.js";
import { JobDesk } from "./jobs/job-desk.js";
import { RoutedIPs } from "./routed-ip/controller.js";
import { IssuerAccounts } from "./routed-ip/issuer-accounts.js";
import { FirewallJobs } from "./routed-ip/jobs/firewall-jobs.js";
import { Routing } from "./routed-ip/routing.js";
import { createIssuerController } from "./routed-ip-issuer/controller.js";

export function createRoutedIPControllers(context: ControllerContext): ControllerParts {
  const routing = new Routing(context, context.settings);
  const accounts = new IssuerAccounts(context, routing.settings, (key) => routing.secret(key));
  const { features, jobNamespaces } = context.settings;
  const desk = features.includes("jobs") ? new JobDesk(context, jobNamespaces) : undefined;
  const jobs = desk && { routing, desk, firewalls: new FirewallJobs(), aims: new Map() };
  const issuers = createIssuerController({ routing, accounts });
  const classes: KindController<RoutedClass> = createClassController({
    routing,
    ...given({ jobs }),
    onFirewall: () => routed.lookAgain(),
  });
  desk?.onDoubt((name) => classes.enqueue(name));
  const again = () => {
    issuers.enqueueAll();
    classes.enqueueAll();
  };
  const routed: RoutedIPs = new RoutedIPs(routing, { accounts, ...given({ jobs }) }, again);
  const ends = [
    ...followOthers(routing, () => [again(), routed.lookAgain()]),
    ...followJobs(desk, { routed, classes }),
  ];
  return {
    controllers: [routed.controller, issuers, classes],
    caches: [...routing.parts, ...(desk?.parts ?? [])],
    checks: new Map([["routed-ips", () => routed.trouble()]]),
    close: async () => {
      for (const end of ends) end();
      desk?.close();
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
  readonly routed: RoutedIPs;
  readonly classes: KindController<RoutedClass>;
}

function followJobs(desk: JobDesk | undefined, { routed, classes }: JobFollowers): readonly (() => void)[] {
  const changed = ({ metadata: { labels = {} } }: KubeObject) => {
    const uid = labels[JOB_LABELS.uid];
    if (uid === undefined) return;
    routed.jobChanged(uid);
    classes.enqueueAll();
  };
  return [...(desk?.jobs ?? []), ...(desk?.pods ?? [])].map(({ store }) => {
    return store.listen(({ object: { object } }: { readonly object: { readonly object: KubeObject } }) =>
      changed(object),
    );
  });
}
