import { ApiObject } from "cdk8s";
import * as kplus28 from "cdk8s-plus-28";
import * as kplus34 from "cdk8s-plus-34";
import { expect } from "chai";
import { Construct } from "constructs";
import { describe, it } from "mocha";
import {
  Credentials,
  FloatingIPPool,
  PodMatch,
  RoutedIP,
  RoutedIPImplementation,
  RoutedIPIssuer,
  ServiceRef,
} from "../src";
import { newChart, only } from "./support/charts";
import { LIBRARIES } from "./support/libraries";

for (const library of LIBRARIES) {
  describe(`inputs from ${library.name}`, () => {
    it("match a workload by its own selector, in its namespace", () => {
      const chart = newChart({ namespace: "ingress" });
      new FloatingIPPool(chart, "pool", { ips: ["192.0.2.10"], pods: PodMatch.of(library.daemonSet(chart)) });
      const { selector } = only(chart, "DaemonSet").spec as { selector: { matchLabels: Record<string, string> } };
      const [[key, value] = []] = Object.entries(selector.matchLabels);
      const match = { podLabel: `${key}=${value}`, podNamespace: "ingress" };
      expect(only(chart, "FloatingIPPool").spec["match"]).to.deep.equal(match);
    });

    it("refer to a Service by its name", () => {
      const chart = newChart();
      const issuer = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "issuer", "do");
      const implementation = RoutedIPImplementation.issuer(issuer);
      new RoutedIP(chart, "address", { implementation, service: ServiceRef.fromService(library.service(chart)) });
      expect(only(chart, "RoutedIP").spec["serviceRef"]).to.deep.equal({ serviceName: "game" });
    });

    it("refer to a Secret by its name", () => {
      const chart = newChart();
      new RoutedIPIssuer(chart, "issuer", { credentials: Credentials.fromSecret(library.secret(chart), "token") });
      const expected = { name: "do", key: "token" };
      expect(only(chart, "RoutedIPIssuer").spec["credentialsSecretRef"]).to.deep.equal(expected);
    });
  });
}

describe("a Secret that cdk8s-plus imported", () => {
  const imports = { "cdk8s-plus-28": kplus28.Secret.fromSecretName, "cdk8s-plus-34": kplus34.Secret.fromSecretName };
  for (const [name, fromSecretName] of Object.entries(imports)) {
    it(`is referred to by its name (${name})`, () => {
      const chart = newChart();
      const credentials = Credentials.fromSecret(fromSecretName(chart, "secret", "do"));
      new RoutedIPIssuer(chart, "issuer", { credentials });
      expect(only(chart, "RoutedIPIssuer").spec["credentialsSecretRef"]).to.deep.equal({ name: "do" });
    });
  }
});

describe("changes after the creation of a flipop construct", () => {
  it("take effect: labels, selectors and names are read at synthesis", () => {
    const chart = newChart();
    const web = new kplus28.Deployment(chart, "web", { containers: [{ image: "nginx:1.29" }], select: false });
    new FloatingIPPool(chart, "pool", { ips: ["192.0.2.10"], pods: PodMatch.of(web) });
    web.select(
      kplus28.LabelSelector.of({ labels: { app: "web" }, expressions: [kplus28.LabelExpression.exists("v")] }),
    );
    expect(only(chart, "FloatingIPPool").spec["match"]).to.deep.equal({ podLabel: "app=web,v" });
  });

  it("take effect: a construct may create its object later", () => {
    const chart = newChart();
    const later = new Construct(chart, "later");
    new FloatingIPPool(chart, "pool", { ips: ["192.0.2.10"], pods: PodMatch.of(later) });
    new ApiObject(later, "Default", { apiVersion: "v1", kind: "Pod", metadata: { labels: { app: "web" } } });
    expect(only(chart, "FloatingIPPool").spec["match"]).to.deep.equal({ podLabel: "app=web" });
  });
});
