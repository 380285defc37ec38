import { FORCED_JOB_FIELDS, FORCED_POD_FIELDS, JOB_VARIABLES, MAX_JOB_SECONDS } from "../../api/kinds/job-contract";
import { DNS_SUBDOMAIN_PATTERN } from "../../api/labels/label-syntax";
import type { JsonObject } from "../../api/schema/schema";
import type { RoutedIPJobContainer } from "../../routed-ip/routed-ip-job-container";
import { wholeSeconds, written } from "../field-values";
import type { Site } from "../refusal-collector";

/** The user of many images without a root user. */
const DEFAULT_USER_ID = 65_532;

/** The spec of a Job with one container that passes Pod Security `restricted`. */
export function containerJobSpec(container: RoutedIPJobContainer, site: Site): JsonObject {
  const { serviceAccountName, mountToken = false, userId = DEFAULT_USER_ID, timeout } = container;
  return {
    ...FORCED_JOB_FIELDS,
    activeDeadlineSeconds: wholeSeconds(timeout, site.below(".timeout")) ?? MAX_JOB_SECONDS,
    template: {
      spec: written({
        ...FORCED_POD_FIELDS,
        serviceAccountName,
        automountServiceAccountToken: mountToken,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: userId,
          runAsGroup: userId,
          fsGroup: userId,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [jobContainer(container)],
        // The root file system is read-only, but most tools need a writable folder.
        volumes: [{ name: "tmp", emptyDir: {} }],
      }),
    },
  };
}

function jobContainer({ image, command, args, env }: RoutedIPJobContainer): JsonObject {
  const variables = Object.entries(env ?? {}).map(([name, value]) => ({ name, value }));
  return written({
    name: "job",
    image,
    command,
    args,
    env: variables.length > 0 ? variables : undefined,
    resources: { requests: { cpu: "50m", memory: "64Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  });
}

/** Refuses mistakes that the API server would otherwise report only when the Job starts. */
export function checkContainer(container: RoutedIPJobContainer, site: Site): void {
  const { image, userId, serviceAccountName } = container;
  if (!/^\S+$/.test(image)) {
    site.below(".image").refuse(`"${image}" is not an image: give one such as registry.example/update-ip:1.4`);
  }
  if (userId !== undefined && !(Number.isInteger(userId) && userId >= 1 && userId <= 2_147_483_647)) {
    site.below(".userId").refuse(`${userId} is not a valid user id: give a whole number from 1 to 2147483647`);
  }
  if (serviceAccountName !== undefined && !SERVICE_ACCOUNT.test(serviceAccountName)) {
    site
      .below(".serviceAccountName")
      .refuse(`"${serviceAccountName}" is not a ServiceAccount's name: give one such as "updater"`);
  }
  checkTimeout(container, site.below(".timeout"));
  checkVariables(Object.keys(container.env ?? {}), site.below(".env"));
}

const SERVICE_ACCOUNT = new RegExp(`^${DNS_SUBDOMAIN_PATTERN}$`);

function checkTimeout({ timeout }: RoutedIPJobContainer, site: Site): void {
  const seconds = timeout?.toSeconds({ integral: false });
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_JOB_SECONDS)) return;
  site.refuse(`${seconds} seconds is not a valid duration of a Job: give 1 to ${MAX_JOB_SECONDS} seconds`);
}

function checkVariables(names: readonly string[], site: Site): void {
  for (const name of names) {
    if (JOB_VARIABLES.includes(name)) site.refuse(`"${name}" is set by the operator: rename your variable`);
    else if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name)) {
      site.refuse(`"${name}" is not a variable's name: give letters, digits and "_", such as API_URL`);
    }
  }
}
