/** Every time of the operator: how long it waits, retries, keeps and relies on data. No other file defines one. */

// Units

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;

// What the operator assumes about addresses, and for how long

export const LIST_MAX_AGE_SECONDS = 300; // A list of an account's addresses is used for this long while nothing happens.
export const SHORT_LIST_MAX_AGE_SECONDS = 120; // While others undo moves (it takes three in ten minutes), or one is missing.
export const FORGET_AFTER_MS = 10 * MINUTE_MS; // An address to be released that is missing may be back within this.
export const JANITOR_LIST_MAX_AGE_SECONDS = 300; // Annotations of nodes are compared with a list at most this old.
export const MOVE_MAX_AGE_SECONDS = 15; // A move is never based on older data.
export const SETTLE_SECONDS = 30; // Reads lag behind writes: for this long after an action, a contradicting read is no evidence.
export const SECOND_READ_SECONDS = 5; // After that, two contradicting reads count when this much lies between them.
export const UNKNOWN_ACTION_SECONDS = 30; // An own action whose answer was lost is resolved by then, from the holder and the lock of its address.
export const ACTION_SECONDS = 120; // The same, of one that the API goes on calling unfinished, or no longer knows.
export const OVERDUE_ACTION_SECONDS = 10; // After its deadline, any run of the account reads an action that no run has read.
export const RESERVATION_SECONDS = 600; // A move reserves its node for this long: more than its calls and its action take.
export const READ_PAUSE_MS = 1_000; // Between reads of the same address or list, unless the operator or a refused call changed something.
export const ACTION_POLL_SECONDS: readonly number[] = [1, 2, 3, 5]; // Between reads of a running action; the last repeats.
export const LOCKED_READ_SECONDS = { first: 5, longest: 60 }; // Between reads of an address that stays locked: longer each time.
export const DUE_READ_MS = 1_000; // A plan expects a read that is due now to take at most this long.
export const PLACEMENT_LASTING_MS = 10 * MINUTE_MS; // An address that stayed this long no longer counts as undone.
export const REVERTS_KEPT = 10; // Of one address or record set; older ones do not change the decision.
export const NODE_FAILURE_KEPT_MS = 30 * MINUTE_MS; // An older failure of a node says nothing about the next try.
export const CONTESTED_WINDOW_MS = 10 * MINUTE_MS; // Reverts within this window count as one dispute.
export const CONTESTED_PAUSE_MS = 10 * MINUTE_MS; // The pause between two tries during a dispute.

// Creation of addresses

export const CALL_OVER_MS = 60_000; // A create call whose sender died has ended by then.
export const LISTS_APART_MS = 10_000; // Two lists that agree must lie this far apart: another installation may create in the same account.
export const LONGEST_DRAIN_MS = 7 * 24 * 60 * MINUTE_MS; // Resolvers keep no record longer, whatever its TTL: the default of BIND.
export const AUTOMATIC_TTL_SECONDS = 300; // What Cloudflare makes of the TTL 1, automatic.
export const CREATION_OVER_MS = CALL_OVER_MS + LISTS_APART_MS; // An address that appears later comes from no call that was sent before.
/** The age of a list that a recovery uses: slightly less than the distance between two of them. */
export const SETTLE_LIST_SECONDS = LISTS_APART_MS / SECOND_MS - 1;
export const LIST_READ_MS = 1_000; // A creation that waits for a fresh list plans again after this.
export const INFERENCE_WINDOW_MS = 10 * MINUTE_MS; // A first list that is read later than this after the intent proves nothing.
export const STRAY_AFTER_MS = 60 * MINUTE_MS; // One new address that was never on a machine keeps a resource from creating for this long.
export const SEEN_KEPT = 500; // Addresses that an intent remembers as older than itself.
export const LISTS_KEPT = 8; // List readings remembered for a recovery.

// Retries and accounts

/** Seconds before each try in a row; the last one repeats. */
export const RETRY_SCHEDULES = {
  fast: [1, 1, 5, 5, 10, 10, 10, 60, 60, 60, 60, 60, 300], // What may heal by itself.
  slow: [60, 300, 600], // What a person must repair.
  zone: [60], // A zone that a person must create: one read shows it.
  limit: [1, 1, 5, 5, 10, 10, 30], // A limit that the API has for one sort of calls: one call shows whether it is over.
} as const satisfies Readonly<Record<string, readonly number[]>>;
export const LONGEST_RETRY_MS = 2 * 60 * MINUTE_MS; // An API may ask for more than a schedule has: DigitalOcean asks for up to an hour.
/** An account that fails is tried again after this at the latest: an address may wait for it. */
export const ACCOUNT_RETRY_MS = { RateLimited: 10_000, Unavailable: 10_000, Unauthorized: 60_000 };
export const ACCOUNT_PROBE_MS = { RateLimited: 30_000, Unavailable: 15_000, Unauthorized: 60_000 }; // The same for records and firewalls.
export const REPORTED_WAIT_MS = 50_000; // A shorter wait of an account is not in the statuses: each retry would write each of them again.
export const ACCOUNT_FIRST_READ_MS = 1_000; // After a refused change, the first read shows whether the account is the cause.
export const ACCOUNT_RECOVERIES_APART_MS = 10_000; // An account that fails on and off does not recover more often than this.
export const ACCOUNT_FAILURE_KEPT_MS = 10 * MINUTE_MS; // After this, the next failure of an account is a new one.
export const ACCOUNT_AWAITED_MS = 5 * MINUTE_MS; // A release waits no longer for an account that fails and may have the address.
export const JANITOR_RETRY_MS = 30_000; // Annotations of an unreadable account are checked again after this.
export const CREDENTIALS_CHECK_SECONDS = 300; // An issuer's credentials are tried again this often.
export const DUE_RETRY_PAUSE_MS = 1_000; // A retry that is due at this very moment does not run again at once.
export const CRD_PROBE_MS = 10 * MINUTE_MS; // After the server dropped a field of a status, the field is tried again this often.
export const CRD_ROLLOUT_PROBE_MS = 20_000; // In the first minute after a new list, perhaps under a new CRD, this often: other API servers may lag.

// Records and firewalls

export const DRIFT_READ_SHARE = 0.95; // A reading of a record set is used for this share of the drift interval: the rest is for the read and the change.
/** The age at which a record set is read again while another party undoes the operator's writes, or has the name. */
export const CONTESTED_RECORDS_MAX_AGE_MS = 2 * MINUTE_MS;
export const REMARKED_RECORDS_MAX_AGE_MS = 2 * MINUTE_MS; // The same while a condition warns of what others have on its name.
export const RECORD_READS_APART_MS = 6_000; // With many such names, or many in missing zones, one of them is read this often.
export const REMARKED_RECORDS_KEPT_MS = 30 * MINUTE_MS; // A name that no resource asked for this long counts no more.
export const UNREADY_POD_MS = 10 * MINUTE_MS; // A pod that is not ready for this long is no part of a rollout.
export const RECORDS_LASTING_MS = 10 * MINUTE_MS; // A write that is still there after this no longer counts as undone.
export const RECORDS_SURE_MS = 1000; // Records that were read longer ago are read again before some of them are deleted.
export const CHANGE_FAILURE_KEPT_MS = 10 * MINUTE_MS; // This long after a retry was due, the next failure is a new one.
export const RECORDS_BATCH_MS = 100; // Nodes come and go in batches: one write contains the changes of this time.
export const RECORDS_EMPTY_AFTER_MS = 5 * MINUTE_MS; // A name becomes empty only after no node matched for this long.
export const RECORDS_RECONNECT_MS = 10_000; // While the API server is unreachable, the question is put off by this.
export const MAX_RECORD_SETS = 10_000; // Record sets in memory; the one used longest ago is read again when needed.
export const FIREWALL_MAX_AGE_SECONDS = 60; // A firewall is read again after this: a closed port is an outage.
export const FIREWALL_STALE_SECONDS = 90; // While the next reading is due, conditions rely on the last one for this long; actions do not.
export const UNCOVERED_KEPT_SECONDS = 3600; // What was read of a machine in no firewall decides elections for this long, at most.
export const FIREWALL_LIST_FAILED_MS = 500; // Who asks within this after a list of firewalls has failed has waited for it, and gets its failure.
export const FIREWALL_SHARED_SECONDS = 30; // One list serves all firewalls of an account that are due within this.
export const MAX_ADDITIONAL_FIREWALLS = 24; // Of one issuer, beside the one that it names: with 10 machines each, enough for 250 nodes.
export const USERS_SETTLE_MS = 10 * SECOND_MS; // The last installation that uses an issuer may change its firewall for this long after another one has come.
export const FIREWALL_CREATION_MS = 5 * MINUTE_MS; // An additional firewall that is not there after this is dropped from the status.
export const ZONE_NAME_RETRY_MS = 10 * MINUTE_MS; // A zone whose name could not be read is read again after this.
export const ZONE_MAX_AGE_MS = 60 * MINUTE_MS; // The id and the name of a zone are read again after this.
export const DELEGATION_MAX_AGE_MS = 10 * MINUTE_MS; // Whether a zone delegates a name is read again after this.

// Jobs and deletion

export const JOB_DRY_RUN_RETRY_MS = 60_000; // A Job that the server refuses is tried again this often.
export const JOB_ASK_MS = 5_000; // A Job whose pod has not started after this is looked up in the Events, and then again this often.
export const JOB_POLL_MS = 15_000; // A running Job is checked this often.
/** After a deletion: with the two next bounds, the time until the operator abandons the cleanup. */
export const CLEANUP_DEADLINE_MS = 60 * MINUTE_MS;
export const CLEANUP_ATTEMPTS = 10; // The cleanup is not abandoned before this many attempts.
export const CLEANUP_TRYING_MS = 10 * MINUTE_MS; // Nor before it was tried for this long.

// Runs of controllers

export const RUN_DEADLINE_MS = 2 * MINUTE_MS; // One run of one key is aborted after this.
export const ABORT_GRACE_MS = 5_000; // An aborted run may tidy up for this long; then its worker continues without it.
export const RESYNC_MS = 10 * MINUTE_MS; // Of a controller that is built without resyncMs; flag --resync sets it for the kinds of the operator.
export const FIRST_READS_MS = 30_000; // After a start, a status that would only say that nothing is read yet waits this long for the first reads.
export const CALLS_PATIENCE_MS = 1_000; // A run waits this long for its calls; slower ones continue in the background.
export const MAX_ITERATIONS = 8; // Iterations of one run; the next run continues.
export const MAX_UNSETTLED_RUNS = 4; // Runs in a row that may reach that bound before their key backs off.
export const SKIPPED_RETRY_MS = 5_000; // An action that was skipped without a failure starts again after this.
export const CANDIDATES_WRITE_MS = 10_000; // A status whose only change is its candidates is written at most this often.
export const OVERWRITTEN_WAITS_MS = [0, 0, 1, 2, 5, 10].map((minutes) => minutes * MINUTE_MS); // Then a status that others overwrite is written again; the last repeats.
export const OVERWRITTEN_KEPT_MS = 60 * MINUTE_MS; // This long after it was overwritten last, the next time counts as the first.
export const RIGHTS_PROBE_MS = MINUTE_MS; // An empty patch shows this often whether a missing right to write has been granted.
export const NODES_FORBIDDEN_MS = 6 * MINUTE_MS; // Annotations of nodes are retried more often: an older refusal says nothing about the rights of now.
export const CONFLICT_MS = 100; // A run that met a write conflict starts again after this.
export const CACHE_LAG_MS = 10_000; // The caches may lag this far behind the operator's own writes.
/** The answer to a write replaces the cached object for this long: a silent watch and the list after it take less. */
export const OWN_WRITE_MS = 3 * MINUTE_MS;
export const FACT_WRITE_ATTEMPTS = 8; // Attempts to write a fact against concurrent writers.
export const MAX_INDEXED_KEYS = 64; // Label keys come from selectors; the usual cluster has a handful.
export const LEAST_WAIT_MS = 1; // Time passes between two runs of a key, so that it does not starve the others.
export const MAX_KEYS = 200_000; // Far beyond one cluster's resources: a queue that reaches it has wrong keys, not load.
export const BACKOFF_FIRST_MS = 5; // A key that fails is retried after this, then twice as long each time.
export const BACKOFF_LONGEST_MS = 60_000; // And after this at the latest.
export const MAX_DEBT_SECONDS = 60; // Longest wait for a token of a bucket, however many callers wait.
export const LONGEST_TIMER_MS = 2 ** 31 - 1; // Node fires longer timers at once.

// Process and leader election

export const SYNC_DEADLINE_MS = 5 * MINUTE_MS; // Every cache must have synced after this, or the process exits.
export const CLAIMS_WAIT_MS = 30_000; // What a resource only asks for waits this long for kinds that cannot be read.
export const SYNC_POLL_MS = 50; // Between two checks of the caches.
export const DRAIN_DEADLINE_MS = 20_000; // Runs may end by themselves for this long; a pod gets 30 s.
export const CLOSE_DEADLINE_MS = 2_000; // Watches and connections get this long to close at the end of the process.
export const ABORT_DEADLINE_MS = 6_000; // Aborted work gets this long: slightly more than a controller gives a run.
export const ELECTION_TIMINGS = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 }; // The defaults of client-go and of the Go operator.
export const LEASE_RELEASED_SECONDS = 1; // A released lease lasts this long, so that others need not wait. As client-go.
export const LEASE_RELEASE_ATTEMPTS = 3; // Attempts to release the lease at the end.
export const CALL_MARGIN_MS = 2_000; // A write ends this long before the renew deadline, at most, to have arrived by then.
export const CALL_MARGIN_SHARE = 0.2; // Of a short renew deadline: else writes would stop between two renewals.
export const CUT_OFF_WRITE_MS = 15_000; // A write that was cut off may still be carried out by the server: as long as one attempt may take.
export const DRY_RUN_PLAN_MS = 3_000; // A dry run prints the last plan of this time.
export const PROCESS_EXIT_MS = 1_000; // After the last command: the last log lines are written, then the process exits.
export const ABSENT_KINDS_POLL_MS = 5_000; // Between two checks for the log which kinds the cluster lacks.
export const STALE_POLL_MS = 5_000; // Between two checks of the caches for stale ones.
export const FORBIDDEN_GRACE_MS = 15_000; // A permission that is being granted at the start may take this long.
export const HTTP_REQUEST_TIMEOUT_MS = 10_000; // A request to the operator's own endpoints must have arrived by then.

// Calls to Kubernetes

export const KUBE_CALL_SECONDS = 30; // A whole call with its retries, where the caller names no other time.
export const KUBE_ATTEMPTS = 5; // Attempts of one call.
export const CLI_CALL_SECONDS = 15; // The same for a command that a person waits for.
export const CLI_ATTEMPTS = 2;
export const BUNDLE_LOG_LINES = 5_000; // Of each pod, in flipop bundle.
export const BUNDLE_LOG_BYTES = 5_000_000;
export const PLAN_SECONDS = 60; // flipop plan gives up when the providers have not answered by then.
export const PLAN_POLL_MS = 100;
/** The plans are complete when nothing changed for so long: each resource plans on what others have just claimed. */
export const PLAN_QUIET_MS = 500;
export const PLAN_UNOBSERVED_QUIET_MS = 5_000; // The same while a resource waits for pods or Services.
export const KUBE_RETRY_FIRST_MS = 200; // Before the second attempt; doubled for each further one.
export const KUBE_RETRY_LONGEST_MS = 10_000; // And at most this.
export const KUBE_RETRY_AFTER_MS = 30_000; // A server that asks for a longer pause ends the call.
export const KUBE_CONNECT_TIMEOUT_MS = 10_000; // Until a connection is open.
/** Below the 90 s after which load balancers and the API server close idle connections. */
export const KUBE_KEEP_ALIVE_MS = 60_000;
/** TCP probes start after this: a hint for middleboxes; the watchdog does not need it. */
export const TCP_KEEP_ALIVE_MS = 15_000;
/** Credentials from files and plugins are read again after this. The kubelet rotates tokens. */
export const CREDENTIALS_MAX_AGE_MS = 60_000;
export const CREDENTIALS_READ_MS = 30_000; // An exec plugin or auth provider must answer by then.
/** A page of 500 objects of 200 KB fits; V8 could not turn much more into a string. */
export const MAX_BODY_BYTES = 128 * 1024 * 1024;
export const MAX_LINE_BYTES = 10 * 1024 * 1024; // etcd refuses objects beyond 1.5 MiB: a longer watch event is a broken stream.
export const MAX_QUEUED_BYTES = 256 * 1024; // Of a watch that is read more slowly than it arrives; then its socket waits.
export const NAMESPACE_CALL_SECONDS = 5; // The read that shows whether a namespace ends.

// Lists and watches

export const LIST_PAGE_SECONDS = 60; // One page of a list.
export const MAX_LIST_RESTARTS = 2; // A list starts over this often because its continue token expired (5 min by default).
export const WATCH_OPEN_SECONDS = 30; // Until a watch is open.
/** A watch lasts a random time from this to twice this, to spread the server's load. */
export const WATCH_LEAST_SECONDS = 300;
export const WATCH_SILENCE_MS = 75_000; // Bookmarks come about every 60 s, after the first change since the server's start.
export const WATCH_END_TOLERANCE_MS = 5_000; // A close this near to the requested end is the end.
export const WATCH_LONGEST_GAP_MS = 10_000; // After a longer absence of the server a watch does not resume: see OutageError.
export const STALE_AFTER_MS = 60_000; // A cache that neither a watch nor a list renewed for so long is stale.
export const WATCH_LIST_IDLE_MS = 15_000; // Between two initial events: as client-go's warning, with room for a busy server.
export const WATCH_LIST_TOTAL_MS = 2 * MINUTE_MS; // Until the end bookmark. Pages make progress where one stream does not.
export const WATCH_HEALTHY_SECONDS = 10; // A watch that lasted this long shows that the server is well.
export const WATCH_SHORT_SECONDS = 1; // A watch that ends sooner, without an event, has failed. As client-go.
export const WATCH_MAX_SILENT = 2; // After this many watches in a row without an event the set is listed again.
/** fast: the connection broke. slow: the server refuses. */
export const WATCH_BACKOFF_MS = {
  fast: { firstMs: 100, longestMs: 2_000 },
  slow: { firstMs: 800, longestMs: 30_000 },
  // The storage of a fresh CRD is ready after about a second.
  soon: { firstMs: 100, longestMs: 300 },
};
export const WATCH_RETRY_AFTER_MS = 2 * MINUTE_MS; // A server that asks for more is tried again after this.
export const SLICE_MS = 12; // Longest stretch of work before other events get their turn.
export const MAX_INTERN_ENTRIES = 20_000; // Entries of an intern table before it starts over.

// Events

export const MAX_QUEUED_EVENTS = 1_000; // Events that wait to be written. As client-go.
export const EVENT_ATTEMPTS = 5; // Attempts for one Event; with the pauses between them about half a minute.
export const EVENT_RETRY_FIRST_MS = 1_000; // The first pause; doubled for each further one.
export const EVENT_RETRY_LONGEST_MS = 30_000; // And at most this.
export const EVENT_CALL_SECONDS = 5; // One attempt.
export const EVENT_FLUSH_MS = 2_000; // Queued Events get this long at the end of the process.
export const START_WARNING_MS = 60_000; // A new resource gets this long for its nodes and pods to start, until a Warning reports that they are missing.
export const EVENT_SERIES_END_MS = 6 * MINUTE_MS; // A series that did not continue for this long has ended. As client-go.
export const EVENT_SERIES_WRITE_MS = 60_000; // The count of a series is written at most this often, from the third time on.
export const MAX_EVENT_GROUPS = 2_000; // Series in memory.
export const MAX_EVENT_BUCKETS = 4_000; // Rate limits in memory: one for each object and type of Event.

// Calls to clouds

export const LONGEST_ASKED_WAIT_SECONDS = 3600; // A wrong Retry-After must not stop an account or a resource for good.
export const CLOUD_CALL_SECONDS = 90; // A call with all its attempts and pauses; after it the caller plans again.
export const CLOUD_ATTEMPT_SECONDS = 15; // One attempt, to the end of its answer. A call that fails is sent again within as much.
export const CLOUD_ATTEMPTS = 4; // Attempts of one call.
export const CLOUD_RETRY_FIRST_MS = 300; // Before the second attempt; doubled for each further one.
export const CLOUD_RETRY_LONGEST_MS = 5_000; // And at most this.
export const CLOUD_RETRY_AFTER_SECONDS = 30; // An API that asks for a longer pause ends the call; the caller plans again.
/** A read that callers share, of all its pages: after it they stop waiting, and the next caller starts another. */
export const SHARED_READ_SECONDS = 300;
export const CLOUD_CONNECT_TIMEOUT_MS = 10_000; // Until a connection is open.
/** Shorter than the load balancers in front of the APIs allow: no request meets a closed connection. */
export const CLOUD_KEEP_ALIVE_MS = 20_000;
export const MAX_ANSWER_BYTES = 10_000_000; // The longest real answer, 200 addresses with their droplets, has about 1 MB.
export const CLOUD_LIST_ATTEMPTS = 3; // A list that changes while its pages are read is read again this often.
export const CLOUD_LIST_MOST = { pages: 1_000, items: 100_000, characters: 50_000_000 }; // More than a list of an account has.
export const BREAKER_FIRST_REST_MS = 5_000; // The circuit breaker's first pause.
export const BREAKER_LONGEST_REST_MS = 10_000; // Its longest one: an address that cannot move is an outage.
/** A recorded assignment has been accepted or has failed after this: a status write, then a call. */
export const ASSIGNMENT_OVER_MS = (CLOUD_CALL_SECONDS + KUBE_CALL_SECONDS) * SECOND_MS;
/** A write whose caller cannot check its decision again is not sent when the decision is older than this. */
export const MAX_DECISION_AGE_MS = 2_000;
/** Requests of one token that are open at once; each has a connection of its own and waits for no other. */
export const CLOUD_CONNECTIONS = 16;
export const RESERVED_FOR_MOVES = 0.2; // Share of every limit that only moves of addresses may use.
export const RESERVED_FOR_RECORDS = 0.2; // Share of every limit that reads and checks leave to changes of records, beside the reserve.
export const CLASS_PATIENCE_MS = 30_000; // A call that has waited for this long may go before calls of a more urgent class.
export const CLASS_TURNS = 49; // And then after this many of them: one call in fifty.
export const RATE_LIMIT_DEFAULT_WAIT_SECONDS = 5; // The pause after a 429 that names none.
export const RATE_PROBE_SECONDS = 60; // In a longer pause, one call looks this often: windows of a minute are over by then, and an hour costs 60 calls.
export const RATE_RETURN_SECONDS = 45; // Callers come back after this: one waits when that call may be sent, and no status has the wait.
export const RATE_LIMIT_SHOWN_SECONDS = 5; // Conditions report a wait for the limits from here on.
export const RATE_LIMIT_LOOK_MS = 2_000; // A condition that says that calls wait for the answer to another one is made again after this.
export const RATE_WINDOW_MARGIN_MS = 1_000; // A call that left in one window may arrive early in the next: both count it.
export const TURN_KEPT_MS = 30_000; // Who does not come by then has given up: others may use the turn.
export const TOKEN_FILE_MAX_AGE_MS = 10_000; // A token in a file is read again after this.
export const MAX_TOKEN_GUARDS = 256; // Tokens rotate; the ones used longest ago have no open call.
export const MAX_SECRETS = 256; // Tokens rotate; the oldest have expired long ago.

// Health checks of nodes

export const IDLE_PROBE_INTERVALS = 5; // Candidates and failed nodes are probed at every n-th interval.
export const PROBED_CANDIDATES = 3; // Of one resource, the preferred ones first.
export const MAX_OPEN_PROBES = 512; // One socket each. A probe that finds no room gives no result.
export const PROBE_GRID_MS = 25; // Probes start at multiples of it, so that the process wakes at most 40 times each second for them.
export const PROBE_EARLY_MS = 50; // A probe may end this long before its timeout, so that the next one starts on schedule.
export const PROBE_STALL_MS = 250; // A timeout that the event loop notices this late gives no result.
export const CONTROL_PROBE_MS = 1_000; // Interval and timeout of those of the API server, while holders are probed.
export const CONTROL_FAULT_MS = 5_000; // A failed control probe counts for this long.
export const STANDBY_ATTEMPTS = 8; // Of one answer of the standby: one lost packet must not confirm a failure.
export const STANDBY_ASK_MS = 1_000; // Between two questions about a target that is suspected.
export const STANDBY_MARGIN_MS = 500; // An answer may take so much longer than its probe.
export const STANDBY_VALID_MS = 5_000; // An answer counts for this long.
export const FALLEN_LEADER_MS = 2_500; // A node must fail its probes for so long when the silence of a leader on it confirms its death.
export const STANDBY_TIMINGS = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 5_000 }; // Of the standby's Lease, which the leader reads as often.
export const LEASE_SILENT_SHARE = 0.375; // A kubelet renews its Lease at a quarter of its duration; this is half as long again.
export const NODE_LEASE_SECONDS = 40; // The kubelet's default duration of a Lease.
export const MAX_LEASE_WATCHES = 100; // For further holders, another witness must confirm the failure.
export const MACHINE_ASKS = 3; // Calls to the cloud about a machine while one suspicion lasts.
export const MACHINE_ASKS_APART_MS = 5_000; // Between two of them, also where one suspicion follows another.
export const MACHINE_ANSWER_MS = 5_000; // A later answer does not count: the Lease decides then.
export const MAX_MACHINE_ASKS = 8; // Calls about machines that are open at once.
export const FLAP_WINDOW_MS = 10 * MINUTE_MS; // Failures of a node within this time count together.
export const FLAP_FIRST_WAIT_MS = 30_000; // After the second failure; doubled for each further one.
export const FLAP_LONGEST_WAIT_MS = 5 * MINUTE_MS;
export const MASS_FAILURE_WINDOW_MS = 5 * MINUTE_MS; // Failures of holders within this time count together.
export const MASS_FAILURE_LEAST = 3; // Fewer failures stop no move.
export const MASS_FAILURE_SHARE = 0.5; // More than this share of the holders fails.
export const RELEASE_POLL_MS = 1_000; // Of an address that `flipop orphans --release` unassigns.
export const UNASSIGNED_WITHIN_MS = 2 * MINUTE_MS; // Then that command gives up, and releases nothing.
