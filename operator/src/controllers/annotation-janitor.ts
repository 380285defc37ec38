/**
 * Cleans address annotations that nobody looks after: of owners that are gone, and stale ones of the Go operator, which
 * wrote no owner. Those of resources that are there are their controllers' own business.
 */

import { canonicalIp, type IpFamily } from "cdk8s-flipop/api";
import { JANITOR_LIST_MAX_AGE_SECONDS, JANITOR_RETRY_MS } from "../bounds.js";
import { sendPatch } from "../kube/send-patch.js";
import { isConflict, isInvalid, isNotFound } from "../kube/status-error.js";
import { errorText } from "../logging.js";
import type { NodeFacts } from "../match/node-facts.js";
import { Controller } from "../runtime/controller.js";
import { done, type Result, requeueAfter } from "../runtime/result.js";
import { AddressAccount } from "./address-accounts.js";
import { ADDRESS_ANNOTATIONS } from "./annotated-nodes.js";
import type { ControllerContext, ControllerParts } from "./context.js";
import { annotationRemoval, nodePath } from "./node-annotations.js";
import { parseOwner } from "./owners.js";
import { isWithheld } from "./run-failure.js";

const NAME = "annotation-janitor";
const FAMILIES: readonly IpFamily[] = ["IPv4", "IPv6"];

/** `keep`: it is right, or somebody's. `unknown`: the account can't be read now. */
type Judgement = "keep" | "stale" | "unknown";

export function createAnnotationJanitor(context: ControllerContext): ControllerParts {
  const { clock, random, logger, runtime, settings, annotated, owners } = context;
  const janitor = new Janitor(context);
  const controller = new Controller({
    ...{ name: NAME, clock, random, logger, resyncMs: settings.resyncMs },
    reconcile: (name) => janitor.clean(name),
    keys: () => annotated.all(),
    metrics: runtime,
  });
  const unlisten = owners.onGone((owner) => {
    for (const family of FAMILIES) for (const { name } of annotated.find(family, owner, [])) controller.add(name);
  });
  return { controllers: [controller], caches: [], checks: new Map(), close: () => Promise.resolve(unlisten()) };
}

class Janitor {
  constructor(private readonly context: ControllerContext) {}

  async clean(name: string): Promise<Result> {
    let unknown = false;
    for (const family of FAMILIES) {
      const node = this.context.nodes.get(name);
      const judgement = node === undefined ? "keep" : await this.judge(node, family);
      if (judgement === "stale") await this.remove(name, family);
      unknown ||= judgement === "unknown";
    }
    return unknown ? requeueAfter(JANITOR_RETRY_MS) : done;
  }

  private async judge({ annotations, machine }: NodeFacts, family: IpFamily): Promise<Judgement> {
    const { value: valueKey, owner: ownerKey } = ADDRESS_ANNOTATIONS[family];
    const [value, owner] = [annotations[valueKey], annotations[ownerKey]];
    if (owner !== undefined) return this.judgeOwner(owner);
    // Without pools nobody knows which addresses are claimed.
    if (value === undefined || !this.context.settings.features.includes("pools")) return "keep";
    const ip = canonicalIp(value);
    if (this.context.claims.holderOf(ip) !== undefined || machine === undefined) return "keep";
    return this.judgePlace(ip, { machine, family });
  }

  /** One who lives elsewhere than we look, or is of a kind that is not served, is left alone. */
  private judgeOwner(text: string): Judgement {
    const { owners, settings } = this.context;
    const owner = parseOwner(text);
    if (owner === undefined) return "keep";
    const { watchNamespaces } = settings;
    const inScope = watchNamespaces.length === 0 || watchNamespaces.includes(owner.namespace);
    return inScope && owners.isGone(owner.uid) ? "stale" : "keep";
  }

  /** Nobody's: stale only where the provider shows the address elsewhere. */
  private async judgePlace(
    ip: string,
    { machine, family }: { readonly machine: string; readonly family: IpFamily },
  ): Promise<Judgement> {
    const account = this.context.accounts.find(machine.split("://")[0] ?? "", family);
    if (!(account instanceof AddressAccount)) return "keep";
    await account.refresh(JANITOR_LIST_MAX_AGE_SECONDS, "check");
    const view = account.inventory?.view();
    if (view?.complete !== true) return "unknown";
    const facts = view.get(ip);
    return facts === undefined || (facts.holder !== machine && !facts.doubted) ? "stale" : "keep";
  }

  private async remove(name: string, family: IpFamily): Promise<void> {
    const { nodes, client, logger } = this.context;
    const node = nodes.get(name);
    const patch = node && annotationRemoval(node, family);
    if (node === undefined || patch === undefined) return;
    const ip = node.annotations[ADDRESS_ANNOTATIONS[family].value];
    try {
      await sendPatch(client, nodePath(name), patch);
      logger.info({ node: name, ip }, "stale address annotation removed");
    } catch (error) {
      if (isWithheld(error)) return;
      // Gone or annotated anew: its event brings it back where that is needed.
      if (!isNotFound(error) && !isConflict(error) && !isInvalid(error)) throw error;
      logger.debug({ node: name, error: errorText(error) }, "node has changed meanwhile");
    }
  }
}
