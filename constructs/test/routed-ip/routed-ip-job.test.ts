import { Duration } from "cdk8s";
import { expect } from "chai";
import { describe, it } from "mocha";
import { ClassImplementation, ClusterRoutedIPClass, RoutedIPJob, type RoutedIPJobContainer } from "../../src";
import { newChart, only } from "../support/charts";

function jobSpec(container: RoutedIPJobContainer): unknown {
  const chart = newChart();
  const job = RoutedIPJob.container(container);
  new ClusterRoutedIPClass(chart, "class", { implementation: ClassImplementation.jobs(job, job) });
  const { updateRoutedIP, updateFirewall } = only(chart, "ClusterRoutedIPClass").spec;
  expect(updateFirewall).to.deep.equal(updateRoutedIP);
  return updateRoutedIP;
}

describe("RoutedIPJob.container", () => {
  it("creates a Job that runs once, without root, capabilities, a token or a writable root file system", () => {
    expect(jobSpec({ image: "registry.example/update:1" })).to.deep.equal({
      parallelism: 1,
      completions: 1,
      backoffLimit: 0,
      ttlSecondsAfterFinished: 3600,
      activeDeadlineSeconds: 600,
      template: {
        spec: {
          restartPolicy: "Never",
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            fsGroup: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "job",
              image: "registry.example/update:1",
              resources: { requests: { cpu: "50m", memory: "64Mi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
              },
              volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
            },
          ],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    });
  });

  it("writes each option into the Job", () => {
    const spec = jobSpec({
      image: "registry.example/update:1",
      command: ["/update"],
      args: ["assign"],
      env: { API_URL: "https://cloud.example" },
      serviceAccountName: "updater",
      mountToken: true,
      userId: 1000,
      timeout: Duration.minutes(2),
    });
    expect(spec).to.have.property("activeDeadlineSeconds", 120);
    expect(spec).to.have.nested.property("template.spec.serviceAccountName", "updater");
    expect(spec).to.have.nested.property("template.spec.automountServiceAccountToken", true);
    expect(spec).to.have.nested.property("template.spec.securityContext.runAsUser", 1000);
    expect(spec)
      .to.have.nested.property("template.spec.containers[0]")
      .that.deep.includes({
        command: ["/update"],
        args: ["assign"],
        env: [{ name: "API_URL", value: "https://cloud.example" }],
      });
  });
});
