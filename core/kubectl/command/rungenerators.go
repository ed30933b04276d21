package command

import (
	"fmt"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/generate"
	"k8s.io/kubectl/pkg/generate/versioned"
	"k8s.io/kubectl/pkg/scheme"
)

// runGenerators are the generators of `kubectl run` until 1.17, by the names that --generator had, and what they make.
// Of several versions of one API it is the one that is served today.
var runGenerators = map[string]string{
	versioned.RunPodV1GeneratorName: "Pod",
	"run/v1":                        "ReplicationController",
	"deployment/v1beta1":            "Deployment",
	"deployment/apps.v1beta1":       "Deployment",
	"deployment/apps.v1":            "Deployment",
	"job/v1":                        "Job",
	"cronjob/v2alpha1":              "CronJob",
	"cronjob/v1beta1":               "CronJob",
}

// serviceV1 is the generator for the Service of --expose that upstream names no more; its code is there.
const serviceV1 = "service/v1"

// serviceGenerators are those of --service-generator until 1.17.
var serviceGenerators = map[string]generate.Generator{
	serviceV1:                        versioned.ServiceGeneratorV1{},
	versioned.ServiceV2GeneratorName: versioned.ServiceGeneratorV2{},
}

// exposed is the one that upstream's `run` takes, and makes what the flag says.
type exposed struct{ versioned.ServiceGeneratorV2 }

// Generate implements generate.Generator.
func (e exposed) Generate(params map[string]any) (runtime.Object, error) {
	var g generate.Generator = e.ServiceGeneratorV2
	if name, _ := params["service-generator"].(string); name == serviceV1 {
		g = serviceGenerators[name]
	}
	made, err := g.Generate(params)
	overrides, _ := params["service-overrides"].(string)
	if err != nil || overrides == "" {
		return made, err
	}
	codec := runtime.NewCodec(scheme.DefaultJSONEncoder(), scheme.Codecs.UniversalDecoder(corev1.SchemeGroupVersion))
	if made, err = cmdutil.Merge(codec, made, overrides); err != nil {
		return nil, fmt.Errorf("--service-overrides: %w", err)
	}
	if _, ok := made.(*corev1.Service); !ok {
		return nil, fmt.Errorf("--service-overrides: it makes a %T of the Service", made)
	}
	return made, nil
}

// installGenerators puts workload in the place of upstream's one generator of `run`, and exposed in that of the one of its
// Service, by the variable that upstream has for that. It is the process's, as upstream's generators are: a line without --generator gets upstream's pod.
var installGenerators = sync.OnceFunc(func() {
	upstream := versioned.GeneratorFn
	versioned.GeneratorFn = func(command string) map[string]generate.Generator {
		found := upstream(command)
		if pod, ok := found[versioned.RunPodV1GeneratorName]; ok && command == "run" {
			found[versioned.RunPodV1GeneratorName] = workload{pod}
		}
		if v2, ok := found[versioned.ServiceV2GeneratorName].(versioned.ServiceGeneratorV2); ok && command == "expose" {
			found[versioned.ServiceV2GeneratorName] = exposed{v2}
		}
		return found
	}
})

// workload makes what a generator of runGenerators made, out of upstream's pod.
type workload struct{ pod generate.Generator }

// ParamNames implements generate.Generator. Upstream reads them from the command's flags, of those that there are.
func (w workload) ParamNames() []generate.GeneratorParam {
	names := w.pod.ParamNames()
	for _, name := range []string{"generator", "replicas", "schedule", "service-generator", "service-overrides"} {
		names = append(names, generate.GeneratorParam{Name: name})
	}
	return names
}

// Generate implements generate.Generator.
func (w workload) Generate(params map[string]any) (runtime.Object, error) {
	made, err := w.pod.Generate(params)
	pod, ok := made.(*corev1.Pod)
	if err != nil || !ok {
		return made, err
	}
	text := func(name string) string { s, _ := params[name].(string); return s }
	kind := runGenerators[text("generator")]
	if kind == "" || kind == "Pod" {
		return made, nil
	}
	named := metav1.ObjectMeta{Name: pod.Name, Labels: pod.Labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels, Annotations: pod.Annotations}, Spec: pod.Spec}
	template.Spec.DNSPolicy = "" // left to the server, as they left it
	switch kind {
	case "Job":
		return &batchv1.Job{ObjectMeta: named, Spec: batchv1.JobSpec{Template: template}}, nil
	case "CronJob":
		return &batchv1.CronJob{ObjectMeta: named, Spec: batchv1.CronJobSpec{
			Schedule: text("schedule"), ConcurrencyPolicy: batchv1.AllowConcurrent,
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}},
		}}, nil
	}
	n, err := strconv.ParseInt(text("replicas"), 10, 32)
	if err != nil {
		return nil, err
	}
	replicas := int32(n)
	template.Spec.RestartPolicy, template.Spec.Containers[0].StdinOnce = "", false
	if kind == "ReplicationController" {
		return &corev1.ReplicationController{ObjectMeta: named, Spec: corev1.ReplicationControllerSpec{
			Replicas: &replicas, Selector: pod.Labels, Template: &template,
		}}, nil
	}
	return &appsv1.Deployment{ObjectMeta: named, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: pod.Labels}, Template: template,
	}}, nil
}
