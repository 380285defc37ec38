/** The Jobs of a class do not work. */

import { jobMessages } from "../../src/messages/jobs.js";
import { routedSeen } from "./routed-scenes.js";
import type { Group, Seen, Situation } from "./situation.js";

function byJobs(row: Omit<Situation, "kind">): Situation {
  return { kind: "RoutedIP", ...row };
}

function jobProblem(problem: ReturnType<typeof jobMessages.failed>): Seen {
  return routedSeen({ change: () => ({ problem }) }, "Accepted");
}

export const JOBS: Group = {
  heading: "The Jobs of a class do not work",
  situations: [
    byJobs({
      when: "A Job failed",
      shows: "Accepted JobFailed",
      names: ["flipop-jobs/flipop-1234", "no route to the rack"],
      seen: () => jobProblem(jobMessages.failed({ job: "flipop-jobs/flipop-1234", said: "no route to the rack" })),
      fix: "The message has the last output of the Job; `kubectl -n flipop-jobs logs job/flipop-1234` has all of it while the Job exists",
    }),
    byJobs({
      when: "The pod of the Job does not start",
      shows: "Accepted JobRefused",
      names: ["flipop-jobs/flipop-1234", "my-cloud"],
      seen: () =>
        jobProblem(
          jobMessages.podNotStarted({
            job: "flipop-jobs/flipop-1234",
            said: 'CreateContainerConfigError: secret "my-cloud" not found',
          }),
        ),
      fix: "Create the Secret that the message names",
    }),
    byJobs({
      when: "A Job created an address and did not report it",
      shows: "Accepted AddressUnknown",
      names: ["flipop-jobs/flipop-1234", "routedIP"],
      seen: () => jobProblem(jobMessages.addressNotReported({ job: "flipop-jobs/flipop-1234", said: "done" })),
      fix: "Set `routedIP` to the address, so that no Job creates another one",
    }),
  ],
};
