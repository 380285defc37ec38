import { ApiObject } from "cdk8s";
import * as kplus28 from "cdk8s-plus-28";
import * as kplus34 from "cdk8s-plus-34";
import type { Construct, IConstruct } from "constructs";

/** A library for the objects that flipop resources refer to. */
export interface Library {
  readonly name: string;
  readonly daemonSet: (scope: Construct) => IConstruct;
  readonly service: (scope: Construct) => IConstruct;
  readonly secret: (scope: Construct) => IConstruct;
}

const POD = { containers: [{ image: "nginx:1.29", portNumber: 80 }] };
const SERVICE = { metadata: { name: "game" }, ports: [{ port: 80 }] };
const SECRET = { metadata: { name: "do" }, stringData: { token: "t" } };

/** The oldest supported cdk8s-plus, the newest, and none. */
export const LIBRARIES: readonly Library[] = [
  {
    name: "cdk8s-plus-28",
    daemonSet: (scope) => new kplus28.DaemonSet(scope, "set", POD),
    service: (scope) => new kplus28.Service(scope, "service", SERVICE),
    secret: (scope) => new kplus28.Secret(scope, "secret", SECRET),
  },
  {
    name: "cdk8s-plus-34",
    daemonSet: (scope) => new kplus34.DaemonSet(scope, "set", POD),
    service: (scope) => new kplus34.Service(scope, "service", SERVICE),
    secret: (scope) => new kplus34.Secret(scope, "secret", SECRET),
  },
  {
    name: "a plain ApiObject",
    daemonSet: (scope) =>
      new ApiObject(scope, "set", {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        spec: { selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web", v: "2" } } } },
      }),
    service: (scope) =>
      new ApiObject(scope, "service", { apiVersion: "v1", kind: "Service", metadata: { name: "game" } }),
    secret: (scope) =>
      new ApiObject(scope, "secret", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "do" },
        data: { token: "dA==" },
      }),
  },
];
