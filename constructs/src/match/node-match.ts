import { checkArguments } from "../private/arguments";
import { PART } from "../private/prop-types";
import type { Site } from "../private/refusal-collector";
import { labelQueries, writeSelector } from "../private/selector";
import type { LabelQuery } from "./label-query";

const LABELS = { map: true, part: PART.text, required: true } as const;
const DOKS_NODE_POOL = "doks.digitalocean.com/node-pool";

/**
 * Which nodes are candidates, by their labels.
 *
 * @example
 * import { App, Chart } from "cdk8s";
 * import { FloatingIPPool, LabelQuery, NodeMatch } from "cdk8s-flipop";
 *
 * const chart = new Chart(new App(), "edge", { namespace: "edge" });
 * new FloatingIPPool(chart, "pool", {
 *   ips: ["192.0.2.10", "192.0.2.11"],
 *   nodes: NodeMatch.query([LabelQuery.in("tier", ["edge", "ingress"]), LabelQuery.doesNotExist("example.com/spot")]),
 * });
 */
export class NodeMatch {
  /**
   * Nodes that have all these labels.
   *
   * @param labels label keys and values, at least one
   */
  public static labels(labels: { [key: string]: string }): NodeMatch {
    return new NodeMatch((site) => {
      const given = checkArguments(site, { labels }, { labels: LABELS });
      return writeSelector(labelQueries(given.labels), site);
    });
  }

  /**
   * Nodes for which all these requirements hold.
   *
   * @param queries at least one
   */
  public static query(queries: LabelQuery[]): NodeMatch {
    return new NodeMatch((site) => {
      const given = checkArguments(
        site,
        { queries },
        { queries: { list: true, part: PART.labelQuery, required: true } },
      );
      return writeSelector(given.queries, site);
    });
  }

  /**
   * Nodes by a label selector, in the syntax of `kubectl get nodes -l`.
   *
   * @param selector such as `doks.digitalocean.com/node-pool=work,!example.com/spot`
   */
  public static selector(selector: string): NodeMatch {
    return new NodeMatch((site) => {
      return checkArguments(site, { selector }, { selector: { part: PART.text, required: true } }).selector;
    });
  }

  /**
   * The nodes of a node pool of DigitalOcean Kubernetes.
   *
   * @param name the node pool's name
   */
  public static doksNodePool(name: string): NodeMatch {
    return new NodeMatch((site) => {
      const given = checkArguments(site, { name }, { name: { part: PART.text, required: true } });
      if (given.name === "") site.refuse("the node pool's name is empty, so no node would match: give it");
      return writeSelector(labelQueries({ [DOKS_NODE_POOL]: given.name }), site);
    });
  }

  /**
   * The class, for checks at synthesis.
   *
   * @internal
   */
  public readonly _type = "NodeMatch";

  private constructor(private readonly render: (site: Site) => string) {}

  /**
   * The selector of a match.
   *
   * @internal
   */
  public _write(site: Site): string {
    const selector = this.render(site);
    if (selector.trim() === "") site.refuse("the selector is empty: name a label, or remove nodes to match every node");
    return selector;
  }
}
