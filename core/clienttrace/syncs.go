package clienttrace

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/trace"
)

// syncs are where upstream's controllers work on an item of a queue, by the queue's name: a reconcile of
// theirs is told with that function's line, and one of any other queue with the queue's own. It is by queue
// and not by controller, as some have several, each with a function of its own.
//
// serviceaccount_tokens_service is not here: two queues have that name, with a function each.
var syncs = declareSyncs(map[string]string{
	"ClusterRoleAggregator":                   "clusterroleaggregation ClusterRoleAggregationController.syncClusterRole",
	"bootstrap_signer_queue":                  "bootstrap Signer.signConfigMap",
	"ca_cert_publisher_cluster_trust_bundles": "certificates/clustertrustbundlepublisher ClusterTrustBundlePublisher.syncClusterTrustBundle",
	"claims":                              "volume/persistentvolume PersistentVolumeController.syncClaimByKey",
	"cronjob":                             "cronjob ControllerV2.sync",
	"daemonset":                           "daemon DaemonSetsController.syncDaemonSet",
	"daemonset-node-updates":              "daemon DaemonSetsController.syncNodeUpdate",
	"deployment":                          "deployment DeploymentController.syncDeployment",
	"disruption":                          "disruption DisruptionController.sync",
	"disruption_recheck":                  "disruption DisruptionController.processNextRecheckWorkItem",
	"endpoint":                            "endpoint Controller.syncService",
	"endpoint_slice":                      "endpointslice Controller.syncService",
	"endpoint_slice_mirroring":            "endpointslicemirroring Controller.syncEndpoints",
	"ephemeral_volume":                    "volume/ephemeral ephemeralController.syncHandler",
	"garbage_collector_attempt_to_delete": "garbagecollector GarbageCollector.attemptToDeleteWorker",
	"garbage_collector_attempt_to_orphan": "garbagecollector GarbageCollector.attemptToOrphanWorker",
	"garbage_collector_graph_changes":     "garbagecollector GraphBuilder.processGraphChanges",
	"horizontalpodautoscaler":             "podautoscaler HorizontalController.reconcileKey",
	"ipaddresses":                         "servicecidrs Controller.sync",
	"job":                                 "job Controller.syncJob",
	"job_orphan_pod":                      "job Controller.syncOrphanPod",
	"namespace":                           "namespace NamespaceController.syncNamespaceFromKey",
	"node_lifecycle_controller":           "nodelifecycle Controller.doNodeProcessingPassWorker",
	"node_lifecycle_controller_pods":      "nodelifecycle Controller.processPod",
	"noexec_taint_node":                   "tainteviction Controller.handleNodeUpdate",
	"noexec_taint_pod":                    "tainteviction Controller.handlePodUpdate",
	"orphaned_pods_nodes":                 "podgc PodGCController.discoverDeletedNodes",
	"podgroupprotection":                  "scheduling/podgroupprotection Controller.processPodGroup",
	"pvcprotection":                       "volume/pvcprotection Controller.processPVC",
	"pvcs":                                "volume/attachdetach attachDetachController.syncPVCByKey",
	"pvprotection":                        "volume/pvprotection Controller.processPV",
	"replicaset":                          "replicaset ReplicaSetController.syncReplicaSet",
	"replicationmanager":                  "replicaset ReplicaSetController.syncReplicaSet",
	"resource_claim":                      "resourceclaim Controller.syncHandler",
	"resource_quota_controller_resource_changes": "resourcequota QuotaMonitor.processResourceChanges",
	"resourcequota_primary":                      "resourcequota Controller.syncResourceQuotaFromKey",
	"resourcequota_priority":                     "resourcequota Controller.syncResourceQuotaFromKey",
	"root_ca_cert_publisher":                     "certificates/rootcacertpublisher Publisher.syncNamespace",
	"selinux_warning":                            "volume/selinuxwarning Controller.sync",
	"serviceaccount":                             "serviceaccount ServiceAccountsController.syncNamespace",
	"stale_pod_disruption":                       "disruption DisruptionController.syncStalePodDisruption",
	"statefulset":                                "statefulset StatefulSetController.sync",
	"token_cleaner":                              "bootstrap TokenCleaner.syncFunc",
	"ttl_jobs_to_delete":                         "ttlafterfinished Controller.processJob",
	"ttlcontroller":                              "ttl Controller.updateNodeIfNeeded",
	"vacprotection":                              "volume/vacprotection Controller.processVAC",
	"volume_expand":                              "volume/expand expandController.syncHandler",
	"volumes":                                    "volume/persistentvolume PersistentVolumeController.syncVolumeByKey",
})

// declareSyncs takes a package below k8s.io/kubernetes/pkg/controller and a function of it for each queue.
func declareSyncs(places map[string]string) map[string]*trace.Kind {
	kinds := make(map[string]*trace.Kind, len(places))
	for queue, at := range places {
		pkg, function, _ := strings.Cut(at, " ")
		_, method, _ := strings.Cut(function, ".")
		kinds[queue] = reconciled.Where(queue, trace.Place{
			// A method's head ends so, which no call of one does.
			Package: "k8s.io/kubernetes/pkg/controller/" + pkg, Func: function, Text: ") " + method + "(",
		})
	}
	return kinds
}

// kindOf is that of a reconcile of the queue.
func kindOf(queue string) *trace.Kind {
	if kind := syncs[queue]; kind != nil {
		return kind
	}
	return reconciled
}
