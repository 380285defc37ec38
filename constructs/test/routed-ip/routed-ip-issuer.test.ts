import { expect } from "chai";
import { describe, it } from "mocha";
import {
  Credentials,
  type FlipopResourceProps,
  IpProvider,
  ReclaimPolicy,
  RoutedIPIssuer,
  type RoutedIPIssuerProps,
} from "../../src";
import { newChart, only } from "../support/charts";

describe("RoutedIPIssuer", () => {
  it("writes only the given props and the provider", () => {
    const chart = newChart();
    new RoutedIPIssuer(chart, "issuer", { metadata: { name: "do" } });
    expect(only(chart, "RoutedIPIssuer")).to.deep.equal({
      apiVersion: "flipop.digitalocean.com/v1alpha1",
      kind: "RoutedIPIssuer",
      metadata: { name: "do" },
      spec: { provider: "digitalocean" },
    });
  });

  it("writes each prop into its field", () => {
    const chart = newChart();
    const props: Required<Omit<RoutedIPIssuerProps, keyof FlipopResourceProps>> = {
      region: "ams3",
      provider: IpProvider.DIGITALOCEAN,
      credentials: Credentials.fromSecretName("do", "token"),
      reclaimPolicy: ReclaimPolicy.DELETE,
      firewallName: "ingress",
      allowedPorts: ["443/TCP"],
      maxPorts: 4,
      allowedAddresses: ["203.0.113.0/24"],
      allowedZones: ["example.com"],
      allowedNames: ["*.{namespace}.example.com"],
      adoptRecords: true,
    };
    new RoutedIPIssuer(chart, "issuer", props);
    expect(only(chart, "RoutedIPIssuer").spec).to.deep.equal({
      region: "ams3",
      provider: "digitalocean",
      credentialsSecretRef: { name: "do", key: "token" },
      routedIPReclaimPolicy: "Delete",
      routedIPFirewallName: "ingress",
      allowedPorts: ["443/TCP"],
      maxPorts: 4,
      allowedAddresses: ["203.0.113.0/24"],
      allowedZones: ["example.com"],
      allowedNames: ["*.{namespace}.example.com"],
      adoptRecords: true,
    });
  });

  it("provides its name and namespace, and those of an issuer from outside of the app", () => {
    const chart = newChart({ namespace: "flipop" });
    const made = new RoutedIPIssuer(chart, "issuer", { metadata: { name: "do" } });
    const imported = RoutedIPIssuer.fromRoutedIPIssuerName(chart, "imported", "other", "elsewhere");
    expect([made, imported].map(({ name, namespace }) => ({ name, namespace }))).to.deep.equal([
      { name: "do", namespace: "flipop" },
      { name: "other", namespace: "elsewhere" },
    ]);
  });
});
