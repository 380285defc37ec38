import { ApiObject, Lazy } from "cdk8s";
import type { Construct } from "constructs";
import { allProviders } from "../api/providers";
import type { FlipopOperatorProps } from "../operator-props";
import { Draft } from "../private/draft";
import { orderAfter } from "../private/order";
import { podTemplate } from "./pod-template";
import type { OperatorSettings } from "./settings";

/** The Deployment of the operator: several pods, one of which holds the Lease and acts. */
export function deployment(scope: Construct, settings: OperatorSettings, props: FlipopOperatorProps): ApiObject {
  const object: ApiObject = new ApiObject(scope, "deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: settings.name, namespace: settings.namespace, labels: settings.labels },
    // Secrets of the same app are read when the app is complete.
    spec: Lazy.any({ produce: () => deploymentSpec(settings, props, new Draft(object)) }),
  });
  orderAfter(
    object,
    allProviders().flatMap(({ prop }) => props[prop]?._references ?? []),
  );
  return object;
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
