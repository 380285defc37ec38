import { applyingContract } from "./applying.js";
import { authorizingContract } from "./authorizing.js";
import { changingContract } from "./changing.js";
import { creatingContract } from "./creating.js";
import { customResourcesContract } from "./custom/custom-resources.js";
import { ratchetingContract } from "./custom/ratcheting.js";
import { deletingContract } from "./deleting.js";
import { flipopKindsContract } from "./flipop-kinds.js";
import { nodesAndPodsContract } from "./nodes-and-pods.js";
import { otherKindsContract } from "./other-kinds.js";
import { pagingContract } from "./paging.js";
import { presentingContract } from "./presenting.js";
import { readingContract } from "./reading.js";
import type { TargetSource } from "./target.js";
import { watchingContract } from "./watching.js";
import { workloadsContract } from "./workloads.js";

/**
 * Every behaviour of the Kubernetes API that the operator, kubectl and the tests rely on. It runs unchanged against
 * the emulator and against the real kube-apiserver; where they differ, the emulator is wrong.
 */
export function kubernetesContract(target: TargetSource): void {
  readingContract(target);
  pagingContract(target);
  watchingContract(target);
  creatingContract(target);
  changingContract(target);
  applyingContract(target);
  deletingContract(target);
  nodesAndPodsContract(target);
  otherKindsContract(target);
  workloadsContract(target);
  customResourcesContract(target);
  ratchetingContract(target);
  authorizingContract(target);
  presentingContract(target);
  flipopKindsContract(target);
}
