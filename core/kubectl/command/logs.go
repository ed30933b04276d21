package command

import (
	"fmt"
	"io"
	"sort"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/util/podcmd"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	"k8s.io/kubectl/pkg/util/podutils"
)

// warnings is a command's handler of warnings, by which its standard error is found where
// upstream hands over the client's configuration only.
type warnings struct {
	rest.WarningHandler
	w io.Writer
}

// announceDefaults makes `logs` say on the command's standard error which container or pod it
// chose. Upstream says so on the process's (k8s.io/kubectl/pkg/polymorphichelpers,
// logsForObjectWithClient), so the choice is made here, by upstream's own functions.
var announceDefaults = sync.OnceFunc(func() {
	upstream := polymorphichelpers.LogsForObjectFn
	polymorphichelpers.LogsForObjectFn = func(getter genericclioptions.RESTClientGetter, object, options runtime.Object, timeout time.Duration, allContainers bool) (map[corev1.ObjectReference]rest.ResponseWrapper, error) {
		if chosen, err := choose(getter, object, options, timeout, allContainers); err != nil {
			return nil, err
		} else if chosen != nil {
			object = chosen
		}
		return upstream(getter, object, options, timeout, allContainers)
	}
})

// choose gives the pod that stands for object, nil if object says enough itself, and sets the
// container in options.
func choose(getter genericclioptions.RESTClientGetter, object, options runtime.Object, timeout time.Duration, allContainers bool) (runtime.Object, error) {
	config, err := getter.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	here, ok := config.WarningHandler.(warnings)
	logs, isLogs := options.(*corev1.PodLogOptions)
	if !ok || !isLogs {
		return nil, nil
	}
	pod, err := podOf(config, object, timeout, here.w)
	if pod == nil || err != nil || allContainers || logs.Container != "" {
		return pod, err
	}
	if c, err := podcmd.FindOrDefaultContainerByName(pod.(*corev1.Pod), "", false, here.w); err == nil {
		logs.Container = c.Name
	}
	return pod, nil
}

func podOf(config *rest.Config, object runtime.Object, timeout time.Duration, says io.Writer) (runtime.Object, error) {
	switch t := object.(type) {
	case *corev1.Pod:
		return t, nil
	case *corev1.PodList:
		return nil, nil // each of them keeps its own default
	}
	namespace, selector, err := polymorphichelpers.SelectorsForObject(object)
	if err != nil {
		return nil, nil // upstream's words for it are better
	}
	client, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	byLogging := func(pods []*corev1.Pod) sort.Interface { return podutils.ByLogging(pods) }
	pod, n, err := polymorphichelpers.GetFirstPod(client, namespace, selector.String(), timeout, byLogging)
	if err != nil {
		return nil, err
	}
	if n > 1 {
		fmt.Fprintf(says, "Found %v pods, using pod/%v\n", n, pod.Name)
	}
	return pod, nil
}
