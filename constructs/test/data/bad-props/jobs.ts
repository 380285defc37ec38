import { Duration } from "cdk8s";
import { ClassImplementation, RoutedIPJob, type RoutedIPJobContainer } from "../../../src";
import type { BadProps } from "./case";
import { JOB, withJobs } from "./classes";

function container(name: string, options: Partial<RoutedIPJobContainer>, says: string): BadProps {
  const job = RoutedIPJob.container({ image: "registry.example/update:1", ...options });
  return withJobs(name, { implementation: ClassImplementation.jobs(job, JOB) }, `implementation.updateRoutedIP${says}`);
}

function jobSpec(name: string, spec: { [field: string]: unknown }, says: string): BadProps {
  const template = { spec: { containers: [{ name: "job", image: "registry.example/update:1" }] } };
  const job = RoutedIPJob.spec({ template, ...spec });
  return withJobs(name, { implementation: ClassImplementation.jobs(JOB, job) }, `implementation.updateFirewall${says}`);
}

/** Bad Jobs, in a ClusterRoutedIPClass. */
export const BAD_JOBS: readonly BadProps[] = [
  container("no image", { image: "" }, '.image: "" is not an image: give one such as registry.example/update-ip:1.4'),
  container("root", { userId: 0 }, ".userId: 0 is not a valid user id: give a whole number from 1 to 2147483647"),
  container(
    "a ServiceAccount with capitals",
    { serviceAccountName: "Up" },
    `.serviceAccountName: "Up" is not a ServiceAccount's name: give one such as "updater"`,
  ),
  container(
    "a Job of an hour",
    { timeout: Duration.hours(1) },
    ".timeout: 3600 seconds is not a valid duration of a Job: give 1 to 600 seconds",
  ),
  container(
    "a variable that the operator sets",
    { env: { NODE_NAME: "a" } },
    '.env: "NODE_NAME" is set by the operator: rename your variable',
  ),
  container(
    "a variable that is no name",
    { env: { "1 A": "a" } },
    '.env: "1 A" is not a variable\'s name: give letters, digits and "_", such as API_URL',
  ),
  jobSpec("many pods", { parallelism: 3 }, ".parallelism: 3 has no effect, because the operator sets 1: remove it"),
  jobSpec("retries", { backoffLimit: 6 }, ".backoffLimit: 6 has no effect, because the operator sets 0: remove it"),
  jobSpec(
    "a Job of an hour",
    { activeDeadlineSeconds: 3600 },
    ".activeDeadlineSeconds: 3600 is not a valid duration of a Job: give 1 to 600 seconds",
  ),
  jobSpec(
    "no pod template",
    { template: undefined },
    ".template.spec.containers: is empty: give at least one container",
  ),
  jobSpec(
    "restarts",
    { template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "a", image: "b" }] } } },
    '.template.spec.restartPolicy: "OnFailure" has no effect, because the operator sets Never: remove it',
  ),
  jobSpec(
    "a container without a name",
    { template: { spec: { containers: [{ image: "b" }] } } },
    '.template.spec.containers[0].name: is missing: give one such as "update"',
  ),
  jobSpec(
    "a container without an image",
    { template: { spec: { containers: [{ name: "a" }] } } },
    ".template.spec.containers[0].image: is missing: give one such as registry.example/update-ip:1.4",
  ),
];
