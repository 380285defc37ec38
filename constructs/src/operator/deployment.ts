import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { FAST_LEASE } from "../api/config";
import { allProviders } from "../api/providers";
import type { FlipopOperatorProps } from "../operator-props";
import { holderFacts } from "../private/app/holder-facts";
import { orderAfter } from "../private/order";
import { Draft } from "../private/refusal-collector";
import { usableProps } from "./checks/late-props";
import { defaultAffinity, podTemplate } from "./pod-template";
import type { OperatorSettings } from "./props-with-defaults";

/** The Deployment of the operator: several pods, one of which holds the Lease and acts. */
export function deployment(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): ApiObject {
  const object: ApiObject = new ApiObject(scope, "deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: settings.name, namespace: settings.namespace, labels: settings.labels },
    // Secrets of the same app are read when the app is complete.
    spec: Lazy.any({ produce: () => inDraft(scope, settings, props, new Draft(object)) }),
  });
  orderAfter(object, () => allProviders().flatMap(({ prop }) => props[prop]?._references ?? []));
  return object;
}

function inDraft(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps, draft: Draft): object {
  return deploymentSpec(settings, withHolders(scope, usableProps(props, draft), settings), draft);
}

/** The props with the defaults that depend on the resources of the app. */
function withHolders(scope: Construct, props: FlipopOperatorProps, settings: OperatorSettings): FlipopOperatorProps {
  const { isProbed, holderLabels } = holderFacts(scope);
  return {
    ...props,
    fastFailover: props.fastFailover ?? (isProbed && !setsLease(props)),
    affinity: props.affinity ?? defaultAffinity(settings, holderLabels),
  };
}

/** Flags of the Lease that belong together: a profile beside some of them might contradict them. */
function setsLease({ extraArgs = [] }: FlipopOperatorProps): boolean {
  return extraArgs.some((flag) => Object.keys(FAST_LEASE).some((name) => flag.startsWith(`--${name}`)));
}

/** The spec of the Deployment. The draft collects the problems of props that refer to other objects. */
export function deploymentSpec(settings: OperatorSettings, props: FlipopOperatorProps, draft: Draft): object {
  return {
    replicas: props.replicas ?? 2,
    // The field is immutable, so it must not contain anything that changes with a release or a construct's path.
    selector: { matchLabels: settings.selector },
    template: podTemplate(props, settings, draft),
  };
}
