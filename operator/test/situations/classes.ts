/** An issuer or a class cannot be used, or stays after its deletion. */

import { Finalizer, type RoutedIPIssuerSpec } from "cdk8s-flipop/api";
import type { ClassSnapshot } from "../../src/controllers/cluster-routed-ip-class/gather.js";
import { planClass } from "../../src/controllers/cluster-routed-ip-class/plan.js";
import type { Snapshot as IssuerSnapshot } from "../../src/controllers/routed-ip-issuer/gather.js";
import { plan as planIssuer } from "../../src/controllers/routed-ip-issuer/plan.js";
import { firewallMessages } from "../../src/messages/firewalls.js";
import { classMessages } from "../../src/messages/issuers-and-classes.js";
import type { Problem } from "../../src/messages/message.js";
import { inUseFinalizersOf } from "../../src/routing/in-use.js";
import { credentialsOf, type IssuerPlace } from "../../src/routing/issuer-accounts.js";
import { meta } from "../claims/resources.js";
import { type Group, refusedToken, type Seen, type Situation, seenIn } from "./situation.js";

const NOW = Date.parse("2025-06-01T10:00:00Z");

function issuer(row: Omit<Situation, "kind">): Situation {
  return { kind: "RoutedIPIssuer", ...row };
}

function clusterClass(row: Omit<Situation, "kind">): Situation {
  return { kind: "ClusterRoutedIPClass", ...row };
}

function issuerSeen(change: Partial<IssuerSnapshot>, spec: Partial<RoutedIPIssuerSpec> = {}): Seen {
  return seenIn(planIssuer(issuerSnapshot(change, spec)), "Accepted");
}

function issuerSnapshot(change: Partial<IssuerSnapshot>, spec: Partial<RoutedIPIssuerSpec> = {}): IssuerSnapshot {
  return {
    issuer: { metadata: meta("do"), spec: { provider: "digitalocean", ...spec }, status: {} },
    ...{
      now: NOW,
      finalizers: inUseFinalizersOf({ namespace: "flipop", watchNamespaces: [] }),
      cachesComplete: true,
      account: "good",
      accountUse: { isUsed: false },
      regions: new Set(["ams3"]),
      firewall: "none",
      users: [],
      leaving: [],
    },
    cleanup: { attempts: 0 },
    ...change,
  };
}

/** The credentials are not to be had. */
function uncredited(
  place: Partial<IssuerPlace>,
  spec: Partial<RoutedIPIssuerSpec>,
  secret?: Parameters<typeof credentialsOf>[2]["secret"],
) {
  const here = {
    name: "do",
    namespace: "default",
    operatorNamespace: "flipop",
    issuerNamespaces: ["flipop", "default"],
    ...place,
  };
  const answer = credentialsOf({ provider: "digitalocean", ...spec }, here, { secret, variable: "DIGITALOCEAN_TOKEN" });
  if (answer.from !== "nowhere") throw new Error("the issuer has credentials");
  return issuerSeen({ problem: answer.problem }, spec);
}

const NAMED = { credentialsSecretRef: { name: "do-token" } };

function classSeen(change: Partial<ClassSnapshot>, jobs: Partial<ClassSnapshot["jobs"]> = {}): Seen {
  return seenIn(planClass(classSnapshot(change, jobs)), "Accepted");
}

function classSnapshot(change: Partial<ClassSnapshot>, jobs: Partial<ClassSnapshot["jobs"]> = {}): ClassSnapshot {
  return {
    ...{ now: NOW, metadata: meta("rack"), spec: { updateRoutedIP: {}, updateFirewall: {} }, cachesComplete: true },
    finalizers: inUseFinalizersOf({ namespace: "flipop", watchNamespaces: [] }),
    users: [],
    leaving: [],
    jobs: { enabled: true, namespaces: ["flipop-jobs"], dryRun: "accepted", accounts: new Map(), due: false, ...jobs },
    ...change,
  };
}

/** A person has deleted it, and RoutedIPs use it. */
const DELETED = { deletionTimestamp: "2025-06-01T09:59:00Z", finalizers: [Finalizer.inUse] };
const USERS = ["web/blog", "web/shop"];
const CLASS_USERS = [{ user: "web/shop", className: "shared" }];

function unserved({ unserved: problem }: { readonly unserved?: Problem }): Seen {
  if (problem === undefined) throw new Error("the deletion waits for no user");
  return { where: "Ready", reason: problem.reason, message: problem.message };
}

const ISSUERS: Group = {
  heading: "An issuer is not accepted",
  situations: [
    issuer({
      when: "The Secret does not exist",
      shows: "Accepted SecretNotFound",
      names: ["Secret default/do-token", "have the author of RoutedIPIssuer default/do create it"],
      seen: () => uncredited({}, NAMED),
      fix: "`kubectl -n NAMESPACE create secret generic do-token --from-literal=DIGITALOCEAN_TOKEN=...`",
    }),
    issuer({
      when: "The Secret has no such key",
      shows: "Accepted SecretNotFound",
      names: ["Secret default/do-token", "DIGITALOCEAN_TOKEN", "have the author of RoutedIPIssuer default/do put"],
      seen: () => uncredited({}, NAMED, { token: "x" }),
      fix: "Name the key in `credentialsSecretRef.key`",
    }),
    issuer({
      when: "The operator may not read Secrets of the namespace",
      shows: "Accepted NamespaceNotAllowed",
      names: ["RoutedIPIssuer default/do", "add default to --issuer-namespaces"],
      seen: () => uncredited({ issuerNamespaces: ["flipop"] }, NAMED),
      fix: "Ask the administrator to add the namespace to `--issuer-namespaces`",
    }),
    issuer({
      when: "A Role for Secrets of the namespace is missing",
      shows: "Accepted NamespaceNotAllowed",
      names: ["RoutedIPIssuer default/do", "Secrets in namespace default", "add the Role"],
      seen: () => uncredited({}, NAMED, "forbidden"),
      fix: "Ask the administrator to apply the chart or construct with the namespace in `issuerNamespaces`",
    }),
    issuer({
      when: "The issuer names no Secret",
      shows: "Accepted NamespaceNotAllowed",
      names: ["credentialsSecretRef of RoutedIPIssuer default/do", "flipop", "have its author"],
      seen: () => uncredited({}, {}),
      fix: "Set `credentialsSecretRef`",
    }),
    issuer({
      when: "The cloud rejects the token of the Secret",
      shows: "Accepted Unauthorized",
      names: ["401", "Secret default/do-token"],
      seen: () => {
        const failure = refusedToken("entry DIGITALOCEAN_TOKEN of Secret default/do-token");
        return issuerSeen({ account: { failure } }, NAMED);
      },
      fix: "Put a valid token into the Secret; the operator needs no restart",
    }),
    issuer({
      when: "No node is in the region of the issuer",
      shows: "Accepted WrongRegion",
      names: ["fra1", "ams3"],
      seen: () => issuerSeen({}, { region: "fra1" }),
      fix: "Correct `region`",
    }),
    issuer({
      when: "The firewall belongs to the platform",
      shows: "Accepted FirewallForbidden",
      names: ["k8s-1234-worker"],
      seen: () =>
        issuerSeen(
          { firewall: { failure: firewallMessages.ofPlatform({ name: "k8s-1234-worker" }) } },
          { routedIPFirewallName: "k8s-1234-worker" },
        ),
      fix: "Name another firewall in `routedIPFirewallName`",
    }),
  ],
};

const CLASSES: Group = {
  heading: "A class is not accepted",
  situations: [
    clusterClass({
      when: "The issuer of the class does not exist",
      shows: "Accepted IssuerNotFound",
      names: ["RoutedIPIssuer flipop/do"],
      seen: () => classSeen({ spec: { issuerRef: { name: "do", namespace: "flipop" } }, issuer: "missing" }),
      fix: "Create the issuer, or correct `issuerRef`",
    }),
    clusterClass({
      when: "An older class has the same name",
      shows: "Accepted ClassNameTaken",
      names: ["ClusterRoutedIPClass rack-2024", "public"],
      seen: () => classSeen({ problem: classMessages.nameTaken({ className: "public", older: "rack-2024" }) }),
      fix: "Give this class another `className`, or delete it",
    }),
    clusterClass({
      when: "The operator runs without feature jobs",
      shows: "Accepted JobsDisabled",
      names: ["jobs", "features"],
      seen: () => classSeen({}, { enabled: false }),
      fix: "Add `jobs` to the features of the operator, in the chart or the construct, which also add its roles",
    }),
    clusterClass({
      when: "Jobs may not run in `jobNamespace`",
      shows: "Accepted NamespaceNotAllowed",
      names: ["kube-system", "flipop-jobs"],
      seen: () => classSeen({ spec: { updateRoutedIP: {}, updateFirewall: {}, jobNamespace: "kube-system" } }),
      fix: "Set `jobNamespace` to an allowed namespace",
    }),
    clusterClass({
      when: "The ServiceAccount of the Job has no label",
      shows: "Accepted JobRefused",
      names: ["flipop-jobs/mover", "flipop.digitalocean.com/job"],
      seen: () => classSeen({}, { accounts: new Map([["mover", { labels: {} }]]) }),
      fix: "`kubectl label serviceaccount -n flipop-jobs mover flipop.digitalocean.com/job=`",
    }),
    clusterClass({
      when: "The API server refuses the Job in a dry run",
      shows: "Accepted JobRefused",
      names: ["spec.template.spec.containers"],
      seen: () =>
        classSeen(
          {},
          { dryRun: { refused: 'Job.batch "x" is invalid: spec.template.spec.containers: Required value' } },
        ),
      fix: "Correct `updateRoutedIP` of the class",
    }),
  ],
};

const DELETIONS: Group = {
  heading: "A deleted issuer or class stays",
  situations: [
    issuer({
      when: "RoutedIPs use the deleted issuer",
      shows: "Ready InUse",
      names: ["web/blog", "web/shop", "ClusterRoutedIPClass shared", "routedIPReclaimPolicy", "Retain"],
      seen: () => {
        const spec = { provider: "digitalocean" };
        const deleted = { metadata: { ...meta("do"), ...DELETED }, spec, status: {} };
        return unserved(planIssuer(issuerSnapshot({ issuer: deleted, users: USERS, classUsers: CLASS_USERS })));
      },
      fix: "Nothing is urgent: it serves until the last of them is gone. `flipop explain issuer/NAME` lists them",
    }),
    issuer({
      when: "Others have added a rule or a machine to a firewall that the operator created for the deleted issuer",
      shows: "Ready FirewallNotEmpty",
      names: ["ingress", "tcp 8080", "digitalocean://7", "routedIPReclaimPolicy"],
      seen: () => {
        const spec = {
          provider: "digitalocean",
          routedIPReclaimPolicy: "Delete",
          routedIPFirewallName: "ingress",
        } as const;
        const status = { createdFirewall: { id: "1", name: "ingress", createdTime: "2025-06-01T09:00:00Z" } };
        const rules = [{ protocol: "tcp", ports: "8080", sources: ["0.0.0.0/0"], otherSources: false }] as const;
        const firewall = { id: "1", name: "ingress", rules, nodes: ["digitalocean://7"], pending: false };
        const deleted = { metadata: { ...meta("do"), ...DELETED }, spec, status };
        return unserved(planIssuer(issuerSnapshot({ issuer: deleted, firewall })));
      },
      fix: "Remove what the message names at the provider, or the whole firewall. Or keep it: set `routedIPReclaimPolicy: Retain`. After an hour, the issuer goes without the firewall (Event `CleanupAbandoned`)",
    }),
    clusterClass({
      when: "RoutedIPs use the deleted class",
      shows: "Ready InUse",
      names: ["web/blog", "web/shop", "routedIPReclaimPolicy", "Retain"],
      seen: () => {
        const spec = { issuerRef: { name: "do", namespace: "flipop" } };
        return unserved(planClass(classSnapshot({ metadata: { ...meta("shared"), ...DELETED }, spec, users: USERS })));
      },
      fix: "Nothing is urgent: it serves until the last of them is gone. `flipop explain class/NAME` lists them",
    }),
    clusterClass({
      when: "A finalizer of another program keeps the last RoutedIP of the deleted class, which is being deleted, too",
      shows: "Ready InUse",
      names: ["shop/old", "example.com/gitops", "kubectl -n shop patch routedips.flipop.digitalocean.com old"],
      seen: () => {
        const leaving = [{ user: "shop/old", finalizers: ["example.com/gitops"] }];
        const metadata = { ...meta("rack"), ...DELETED };
        return unserved(planClass(classSnapshot({ metadata, users: ["shop/old"], leaving })));
      },
      fix: "Let this program remove its finalizer, or remove the finalizer yourself if the program no longer runs",
    }),
  ],
};

export const CLASSES_AND_ISSUERS: readonly Group[] = [ISSUERS, CLASSES, DELETIONS];
