/*
 * Work queues by the name of the controller that they belong to, as kube-controller-manager's flag
 * --controllers has it (cmd/kube-controller-manager/names), without its last word. A queue that is
 * not here has nearly its controller's name, or belongs to one that does nothing in a tab.
 */
const BY_QUEUE: Readonly<Record<string, string>> = {
  admission_quota_controller: "quota admission",
  certificate: "certificatesigningrequest",
  "daemonset-node-updates": "daemonset",
  disruption_recheck: "disruption",
  endpoint: "endpoints",
  endpoint_slice: "endpointslice",
  garbage_collector_attempt_to_delete: "garbage-collector",
  garbage_collector_attempt_to_orphan: "garbage-collector",
  garbage_collector_graph_changes: "garbage-collector",
  horizontalpodautoscaler: "horizontal-pod-autoscaler",
  job_orphan_pod: "job",
  node_lifecycle_controller: "node-lifecycle",
  node_lifecycle_controller_pods: "node-lifecycle",
  noexec_taint_node: "taint-eviction",
  noexec_taint_pod: "taint-eviction",
  orphaned_pods_nodes: "pod-garbage-collector",
  pvcprotection: "persistentvolumeclaim-protection",
  pvprotection: "persistentvolume-protection",
  replicaSet: "replicaset",
  resource_quota_controller_resource_changes: "resourcequota",
  resourcequota_primary: "resourcequota",
  resourcequota_priority: "resourcequota",
  root_ca_cert_publisher: "root-ca-certificate-publisher",
  serviceaccount_tokens_secret: "serviceaccount-token",
  serviceaccount_tokens_service: "serviceaccount-token",
  stale_pod_disruption: "disruption",
  ttlcontroller: "ttl",
};

/** The controller whose queue it is: "deployment", "taint-eviction"; empty for a queue without a name. */
export function controllerOf(queue: string): string {
  // A name of Object's own, such as "constructor", is nobody's queue.
  return Object.hasOwn(BY_QUEUE, queue) ? (BY_QUEUE[queue] ?? "") : queue.replaceAll("_", "-");
}
