import { RELEASE } from "cdk8s-flipop/api";
import { expect } from "chai";
import { describe, it } from "mocha";
import {
  FLIPOP_METRICS,
  flipopMetrics,
  forgetPool,
  forgetRouted,
  RUNTIME_METRICS,
  runtimeMetrics,
} from "../../src/metrics/definitions.js";
import { MetricsRegistry, OwnSeries } from "../../src/metrics/registry.js";

describe("flipop metrics", () => {
  it("keep the contract of names, types and labels", () => {
    const contract = FLIPOP_METRICS.map(({ type, name, labels }) => `${type} ${name}{${labels.join(",")}}`);

    expect(contract).to.deep.equal([
      "gauge flipop_floatingippoolcontroller_node_status{namespace,name,provider,dns,status}",
      "counter flipop_floatingippoolcontroller_ip_assignment_errors{namespace,name,ip,provider,dns}",
      "counter flipop_floatingippoolcontroller_ip_assignments{namespace,name,ip,provider,dns}",
      "gauge flipop_floatingippoolcontroller_ip_node{namespace,name,ip,provider,dns,provider_id,node}",
      "gauge flipop_floatingippoolcontroller_ip_state{namespace,name,ip,provider,dns,state}",
      "gauge flipop_floatingippoolcontroller_unfulfilled_ips{namespace,name,provider,dns}",
      "gauge flipop_floatingippoolcontroller_inactive_ips{namespace,name,provider,dns}",
      "gauge flipop_nodednsrecordset_records{namespace,name,provider,dns}",
      "gauge flipop_resource_condition{kind,namespace,name,type}",
      "gauge flipop_resource_problem{kind,namespace,name,type,reason}",
      "gauge flipop_build_info{version,commit,node_version}",
      "gauge flipop_stopped{}",
      "gauge flipop_cache_stale_seconds{resource}",
      "gauge flipop_mass_failure{zone}",
      "gauge flipop_unlisted_addresses{holder}",
      "counter flipop_cleanup_abandoned_total{kind,namespace,name}",
      "counter flipop_health_probes_total{result}",
      "counter flipop_routedipcontroller_ip_assignment_errors{namespace,name,ip,provider,dns}",
      "counter flipop_routedipcontroller_ip_assignments{namespace,name,ip,provider,dns}",
      "gauge flipop_routedipcontroller_ip_node{namespace,name,ip,provider,dns,provider_id,node}",
      "gauge flipop_routedipcontroller_ip_state{namespace,name,ip,provider,dns,state}",
      "counter flipop_providers_calls_total{provider,call,outcome,kind,namespace,name}",
      "histogram flipop_providers_call_duration_seconds{provider,call}",
      "histogram flipop_provider_call_wait_seconds{provider,class}",
      "gauge flipop_provider_limit_wait_seconds{provider}",
    ]);
  });

  it("leave no counter of a deleted pool or RoutedIP, and those of others", async () => {
    const registry = new MetricsRegistry();
    const metrics = flipopMetrics(registry);
    for (const name of ["web", "mail"]) {
      const labels = { namespace: "apps", name, provider: "digitalocean", dns: "", ip: "203.0.113.7" };
      metrics.assignments.inc(labels);
      metrics.assignmentErrors.inc(labels);
      metrics.routedAssignments.inc(labels);
      metrics.routedAssignmentErrors.inc(labels);
    }
    const seriesOf = async (name: string) =>
      [...(await registry.text()).matchAll(/^(flipop_\w+)\{.*name="(\w+)"/gm)].filter((match) => match[2] === name)
        .length;

    await forgetPool(metrics, "apps", "web");
    expect([await seriesOf("web"), await seriesOf("mail")]).to.deep.equal([2, 4]);

    await forgetRouted(metrics, "apps", "web");
    expect([await seriesOf("web"), await seriesOf("mail")]).to.deep.equal([0, 4]);
  });
});

describe("a counter that each resource has", () => {
  const seriesOf = async (registry: MetricsRegistry) =>
    [...(await registry.text()).matchAll(/^flipop_cleanup_abandoned_total\{.*name="(\w+)"\} (\d+)$/gm)].map(
      ([, name, value]) => `${name} ${value}`,
    );

  it("begins at 0, and stays after its resource only if something was counted", async () => {
    const registry = new MetricsRegistry();
    const { abandonedItems } = flipopMetrics(registry);
    const web = { kind: "FloatingIPPool", namespace: "apps", name: "web" };
    const own = new OwnSeries();
    const samples = [web, { ...web, name: "mail" }].map((labels) => ({ gauge: abandonedItems, labels, value: 0 }));
    own.show(samples);
    expect(await seriesOf(registry)).to.deep.equal(["web 0", "mail 0"]);

    abandonedItems.count(web, 2);
    own.show(samples);
    own.clear();
    expect(await seriesOf(registry)).to.deep.equal(["web 2"]);
  });
});

describe("the build", () => {
  it("has a metric with the version, the commit and the version of Node", async () => {
    const registry = new MetricsRegistry();
    flipopMetrics(registry);
    const labels = `version="${RELEASE}",commit="",node_version="${process.version}"`;
    expect(await registry.text()).to.include(`flipop_build_info{${labels}} 1`);
  });
});

describe("runtime metrics", () => {
  it("have the well-known names", () => {
    expect(RUNTIME_METRICS.map(({ name, labels }) => `${name}{${labels.join(",")}}`)).to.deep.equal([
      "workqueue_depth{name}",
      "workqueue_adds_total{name}",
      "workqueue_queue_duration_seconds{name}",
      "workqueue_work_duration_seconds{name}",
      "workqueue_unfinished_work_seconds{name}",
      "workqueue_longest_running_processor_seconds{name}",
      "workqueue_retries_total{name}",
      "controller_runtime_reconcile_total{controller,result}",
      "controller_runtime_reconcile_time_seconds{controller}",
      "controller_runtime_reconcile_errors_total{controller}",
      "controller_runtime_terminal_reconcile_errors_total{controller}",
      "controller_runtime_reconcile_panics_total{controller}",
      "controller_runtime_active_workers{controller}",
      "controller_runtime_max_concurrent_reconciles{controller}",
      "leader_election_master_status{name}",
      "leader_election_slowpath_total{name}",
      "reflector_lists_total{name}",
      "reflector_list_duration_seconds{name}",
      "reflector_items_per_list{name}",
      "reflector_watches_total{name}",
      "reflector_short_watches_total{name}",
      "reflector_watch_duration_seconds{name}",
      "reflector_items_per_watch{name}",
      "reflector_last_resource_version{name}",
      "rest_client_requests_total{code,method,host}",
      "rest_client_request_duration_seconds{verb,host}",
      "flipop_events_written_total{verb}",
      "flipop_events_dropped_total{cause}",
    ]);
  });

  it("are all registered, each with a help text that ends like a sentence", () => {
    const registry = new MetricsRegistry();
    runtimeMetrics(registry, "lock");
    flipopMetrics(registry);
    const names = (metrics: readonly { name: string }[]) => metrics.map(({ name }) => name).sort();

    expect(names(registry.definitions)).to.deep.equal(names([...RUNTIME_METRICS, ...FLIPOP_METRICS]));
    for (const { name, help } of registry.definitions) expect(help, name).to.match(/^[A-Z1].*\.$/);
  });

  it("reckon the age of runs under way at the scrape", async () => {
    const registry = new MetricsRegistry();
    let ages: readonly number[] = [3, 5];
    runtimeMetrics(registry, "lock").queue("pools", () => ages);
    const text = await registry.text();
    expect(text).to.include('workqueue_unfinished_work_seconds{name="pools"} 8');
    expect(text).to.include('workqueue_longest_running_processor_seconds{name="pools"} 5');
    ages = [];

    expect(await registry.text()).to.include('workqueue_longest_running_processor_seconds{name="pools"} 0');
  });

  it("count lists, watches and requests", async () => {
    const registry = new MetricsRegistry();
    const { reflector, restClient } = runtimeMetrics(registry, "lock");
    const nodes = reflector("nodes");
    nodes.listed(0.2, 1_000);
    nodes.watched(0.5, 0);
    nodes.watched(400, 20);
    nodes.version("1234");
    nodes.version("opaque");
    restClient({ code: "200", method: "GET", host: "api:6443", seconds: 0.01 });
    const text = await registry.text();

    for (const line of [
      'reflector_lists_total{name="nodes"} 1',
      'reflector_items_per_list_sum{name="nodes"} 1000',
      'reflector_watches_total{name="nodes"} 2',
      'reflector_short_watches_total{name="nodes"} 1',
      'reflector_last_resource_version{name="nodes"} 1234',
      'rest_client_requests_total{code="200",method="GET",host="api:6443"} 1',
      'rest_client_request_duration_seconds_count{verb="GET",host="api:6443"} 1',
    ]) {
      expect(text).to.include(line);
    }
  });

  it("include those of the process where asked for", async () => {
    const registry = new MetricsRegistry();
    registry.addProcessMetrics();
    expect(await registry.text())
      .to.include("process_resident_memory_bytes")
      .and.include("nodejs_eventloop_lag_seconds")
      .and.match(/^nodejs_eventloop_utilization 0?\.?\d/m)
      // Their timer would wake a quiet process.
      .and.not.include("nodejs_eventloop_lag_p99_seconds")
      // promtool: only counters end so.
      .and.not.match(/^# TYPE nodejs_\w+_total gauge/m);
  });
});
