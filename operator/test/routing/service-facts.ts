import { type ServiceFacts, slimServices } from "../../src/routing/service.js";
import { meta } from "../claims/resources.js";

/** Service default/web, with a selector, a cluster IP and port 80. */
export function service(spec: object, annotations = {}): ServiceFacts {
  const whole = { selector: { app: "web" }, ports: [{ port: 80 }], clusterIP: "10.96.0.1", ...spec };
  return slimServices({ metadata: meta("web", 1, annotations), spec: whole });
}
