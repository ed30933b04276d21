package retired

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/dynamic"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
)

// PodPreset adds what the PodPresets of a namespace say to its new pods whose labels they select: upstream's until 1.19
// (plugin/pkg/admission/podpreset). Presets that contradict the pod, or each other, change nothing of it.
const PodPreset = "PodPreset"

const (
	presetAnnotations = "podpreset.admission.kubernetes.io"
	presetPrefix      = presetAnnotations + "/podpreset-"
	// presetExclude has a pod left alone.
	presetExclude = presetAnnotations + "/exclude"
	// maxPresets bounds how many of a namespace are looked at for one pod.
	maxPresets = 100
)

var presetResource = schema.GroupVersionResource{Group: "settings.k8s.io", Version: "v1alpha1", Resource: "podpresets"}

// preset is a PodPreset, as far as it is used.
type preset struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Selector     metav1.LabelSelector   `json:"selector"`
		Env          []corev1.EnvVar        `json:"env"`
		EnvFrom      []corev1.EnvFromSource `json:"envFrom"`
		Volumes      []corev1.Volume        `json:"volumes"`
		VolumeMounts []corev1.VolumeMount   `json:"volumeMounts"`
	} `json:"spec"`
}

type podPreset struct {
	*admission.Handler
	client dynamic.Interface
}

var (
	_ admission.MutationInterface    = (*podPreset)(nil)
	_ initializer.WantsDynamicClient = (*podPreset)(nil)
)

func newPodPreset() admission.Interface {
	return &podPreset{Handler: admission.NewHandler(admission.Create)}
}

// SetDynamicClient implements initializer.WantsDynamicClient.
func (p *podPreset) SetDynamicClient(c dynamic.Interface) { p.client = c }

// ValidateInitialization implements admission.InitializationValidator.
func (p *podPreset) ValidateInitialization() error {
	if p.client == nil {
		return errors.New("PodPreset needs a client")
	}
	return nil
}

// Admit implements admission.MutationInterface.
func (p *podPreset) Admit(ctx context.Context, a admission.Attributes, _ admission.ObjectInterfaces) error {
	pod, ok := a.GetObject().(*api.Pod)
	if !ok || a.GetSubresource() != "" || a.GetResource().GroupResource() != api.Resource("pods") {
		return nil
	}
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror || pod.Annotations[presetExclude] == "true" {
		return nil
	}
	matching, err := p.matching(ctx, a.GetNamespace(), pod.Labels)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("list the pod presets of namespace %s: %w", a.GetNamespace(), err))
	}
	if len(matching) == 0 {
		return nil
	}
	changed := pod.DeepCopy()
	if err := applyPresets(changed, matching); err != nil {
		// Upstream made an event of it; here who makes the pod is told.
		warning.AddWarning(ctx, "", "no PodPreset was applied: "+err.Error())
		return nil
	}
	*pod = *changed
	return nil
}

// matching are the namespace's presets for such a pod, by name.
func (p *podPreset) matching(ctx context.Context, namespace string, of map[string]string) (some []preset, err error) {
	// From the watch cache, as upstream's lister was.
	list, err := p.client.Resource(presetResource).Namespace(namespace).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil // none can be there before the kind is served
	}
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		var one preset
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &one); err != nil {
			return nil, fmt.Errorf("PodPreset %s: %w", list.Items[i].GetName(), err)
		}
		selector, err := metav1.LabelSelectorAsSelector(&one.Spec.Selector)
		if err != nil {
			return nil, fmt.Errorf("PodPreset %s: %w", one.Name, err)
		}
		if selector.Matches(labels.Set(of)) {
			if some = append(some, one); len(some) > maxPresets {
				return nil, fmt.Errorf("more than %d select this pod", maxPresets)
			}
		}
	}
	slices.SortFunc(some, func(a, b preset) int { return strings.Compare(a.Name, b.Name) })
	return some, nil
}

// applyPresets changes the pod by all of them, or says what is in the way; the pod is then not to be used.
func applyPresets(pod *api.Pod, presets []preset) error {
	for i := range presets {
		if err := applyPreset(pod, &presets[i]); err != nil {
			return fmt.Errorf("PodPreset %s: %w", presets[i].Name, err)
		}
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[presetPrefix+presets[i].Name] = presets[i].ResourceVersion
	}
	return nil
}

func applyPreset(pod *api.Pod, p *preset) error {
	env, err := converted(p.Spec.Env, corev1conversion.Convert_v1_EnvVar_To_core_EnvVar)
	if err != nil {
		return err
	}
	from, err := converted(p.Spec.EnvFrom, corev1conversion.Convert_v1_EnvFromSource_To_core_EnvFromSource)
	if err != nil {
		return err
	}
	volumes, err := converted(p.Spec.Volumes, corev1conversion.Convert_v1_Volume_To_core_Volume)
	if err != nil {
		return err
	}
	mounts, err := converted(p.Spec.VolumeMounts, corev1conversion.Convert_v1_VolumeMount_To_core_VolumeMount)
	if err != nil {
		return err
	}
	if pod.Spec.Volumes, err = merged("volume", pod.Spec.Volumes, volumes, func(v api.Volume) string { return v.Name }); err != nil {
		return err
	}
	for _, containers := range [][]api.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			if c.Env, err = merged("env", c.Env, env, func(e api.EnvVar) string { return e.Name }); err != nil {
				return err
			}
			c.EnvFrom = append(c.EnvFrom, from...)
			if c.VolumeMounts, err = merged("volumeMount", c.VolumeMounts, mounts, func(m api.VolumeMount) string { return m.MountPath }); err != nil {
				return err
			}
		}
	}
	return nil
}

// merged is what is there, with what is more; two of one name have to be the same.
func merged[T any](what string, there, more []T, name func(T) string) ([]T, error) {
	for _, m := range more {
		i := slices.IndexFunc(there, func(t T) bool { return name(t) == name(m) })
		if i < 0 {
			there = append(there, m)
		} else if !equality.Semantic.DeepEqual(there[i], m) {
			return nil, fmt.Errorf("%s %.120q is there already, and says something else", what, name(m))
		}
	}
	return there, nil
}

func converted[V, I any](in []V, convert func(*V, *I, conversion.Scope) error) ([]I, error) {
	out := make([]I, len(in))
	for i := range in {
		if err := convert(&in[i], &out[i], nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}
