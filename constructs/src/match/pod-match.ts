import type { IConstruct } from "constructs";
import { checkArguments } from "../private/arguments";
import { written } from "../private/field-values";
import type { Shapes } from "../private/prop-shapes";
import { PART } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";
import { labelQueries, writeSelector } from "../private/selector";
import { readWorkloadPods } from "../private/workload-selector";
import type { LabelQuery } from "./label-query";

/** Options of a PodMatch. */
export interface PodMatchOptions {
  /**
   * Namespace of the pods. The operator needs permission to read pods in it: see `podNamespaces` of FlipopOperator.
   *
   * @default - for `PodMatch.of` the namespace of the workload, if it has one; otherwise all namespaces
   */
  readonly namespace?: string;
}

/**
 * Which pods a candidate needs: at least one matching pod that is Running, Ready and not being deleted.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import * as kplus from "cdk8s-plus-28";
 * import { FloatingIPPool, PodMatch } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "ingress", { namespace: "ingress" });
 * const controller = new kplus.DaemonSet(chart, "controller", { containers: [{ image: "nginx:1.29", portNumber: 80 }] });
 * // Only nodes with a ready controller get an address.
 * new FloatingIPPool(chart, "pool", { region: "nyc3", desiredIps: 2, pods: PodMatch.of(controller) });
 */
export class PodMatch {
  /**
   * The pods of a workload: a Deployment, DaemonSet, StatefulSet, ReplicaSet, Job, CronJob, Pod, or any other object
   * with a selector or a pod template (such as a Service), from any cdk8s-plus version or as a plain ApiObject. The
   * selector is read at synthesis, so labels may still change after this call.
   *
   * @param workload the construct of the workload
   * @param options namespace of the pods, if it differs from the workload's
   */
  public static of(workload: IConstruct, options: PodMatchOptions = {}): PodMatch {
    return new PodMatch(
      (site) => {
        const given = checkArguments(site, options, OPTIONS);
        const { queries, namespace } = readWorkloadPods(workload, site);
        return { podLabel: writeSelector(queries, site), podNamespace: given.namespace ?? namespace };
      },
      [workload],
    );
  }

  /**
   * Pods that have all these labels.
   *
   * @param labels label keys and values, at least one
   * @param options namespace of the pods
   */
  public static labels(labels: { [key: string]: string }, options: PodMatchOptions = {}): PodMatch {
    return new PodMatch((site) => {
      const given = checkArguments(site, { labels }, { labels: { map: true, part: PART.text, required: true } });
      const { namespace } = checkArguments(site, options, OPTIONS);
      return { podLabel: demanded(writeSelector(labelQueries(given.labels), site), site), podNamespace: namespace };
    });
  }

  /**
   * Pods for which all these requirements hold.
   *
   * @param queries at least one
   * @param options namespace of the pods
   */
  public static query(queries: LabelQuery[], options: PodMatchOptions = {}): PodMatch {
    return new PodMatch((site) => {
      const shapes = { queries: { list: true, part: PART.labelQuery, required: true } } as const;
      const given = checkArguments(site, { queries }, shapes);
      const { namespace } = checkArguments(site, options, OPTIONS);
      return { podLabel: demanded(writeSelector(given.queries, site), site), podNamespace: namespace };
    });
  }

  /**
   * Pods by a label selector, in the syntax of `kubectl get pods -l`.
   *
   * @param selector such as `app=nginx-ingress,component in (controller,edge)`
   * @param options namespace of the pods
   */
  public static selector(selector: string, options: PodMatchOptions = {}): PodMatch {
    return new PodMatch((site) => {
      const given = checkArguments(site, { selector }, { selector: { part: PART.text, required: true } });
      const { namespace } = checkArguments(site, options, OPTIONS);
      return { podLabel: demanded(given.selector, site), podNamespace: namespace };
    });
  }

  /**
   * Any pod of a namespace.
   *
   * @param namespace the namespace's name
   */
  public static inNamespace(namespace: string): PodMatch {
    return new PodMatch((site) => {
      const given = checkArguments(site, { namespace }, { namespace: { part: PART.text, required: true } });
      if (given.namespace.trim() === "") site.refuse("the namespace is empty, so no pod would be required: name it");
      return { podLabel: undefined, podNamespace: given.namespace };
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "PodMatch";

  private constructor(
    private readonly render: (site: Site) => PodFields,
    /**
     * Constructs that this object refers to.
     *
     * @internal
     */
    public readonly _references: readonly IConstruct[] = [],
  ) {}

  /**
   * The fields of a match.
   *
   * @internal
   */
  public _write(site: Site): { readonly podLabel?: string; readonly podNamespace?: string } {
    return written(this.render(site));
  }
}

const OPTIONS: Shapes = { namespace: { part: PART.text } };

interface PodFields {
  readonly podLabel: string | undefined;
  readonly podNamespace: string | undefined;
}

/** An empty selector would require no pod at all, which is not the purpose of a PodMatch. */
function demanded(selector: string, site: Site): string {
  if (selector.trim() === "") site.refuse("the selector is empty: name a label, or use PodMatch.inNamespace");
  return selector;
}
