/**
 * Addresses that Terraform creates.
 *
 * Terraform creates two reserved IPs (terraform/main.tf), and a pool lists them: the operator moves them between healthy
 * nodes, and never releases them. Synthesis reads the addresses from the file that `terraform output -json` writes, so
 * that no address is in the code.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiObject, App, Chart, JsonPatch, Lazy } from "cdk8s";
import { DnsRecord, FloatingIPPool, NodeMatch } from "cdk8s-flipop";

const OUTPUTS = process.env["TERRAFORM_OUTPUTS"] ?? join(import.meta.dirname, "terraform/outputs.json");

/** An output of Terraform, which synthesis reads. If it is missing, synthesis fails and names the prop. */
function output<T>(name: string): T {
  const produce = (): unknown => {
    const outputs = JSON.parse(readFileSync(OUTPUTS, "utf8")) as Record<string, { value: unknown } | undefined>;
    const found = outputs[name];
    if (!found) throw new Error(`${OUTPUTS} has no output "${name}": run terraform apply, then terraform output -json`);
    return found.value;
  };
  return Lazy.any({ produce }) as T;
}

const app = new App();
const chart = new Chart(app, "ingress", { namespace: "ingress" });

// A Namespace has no namespace: remove the one that the chart sets on all its objects.
const namespace = new ApiObject(chart, "namespace", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ingress" },
});
namespace.addJsonPatch(JsonPatch.remove("/metadata/namespace"));

new FloatingIPPool(chart, "pool", {
  metadata: { name: "ingress" },
  ips: output<string[]>("ingress_ips"),
  nodes: NodeMatch.doksNodePool("edge"),
  dnsRecord: DnsRecord.digitalOcean("www", "example.com"),
});

app.synth();
