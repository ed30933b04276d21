package retired

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// servePodPresets makes the kind PodPreset, which upstream served itself: before the server is ready. It stays when the
// plugin is switched off, with the presets of that time.
func servePodPresets(ctx context.Context, c *rest.Config) error {
	client, err := apiextensions.NewForConfig(c)
	if err != nil {
		return fmt.Errorf("serve PodPresets: %w", err)
	}
	told := false
	_ = wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := client.CustomResourceDefinitions().Create(ctx, podPresets(), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) && !told {
			told = true
			klog.ErrorS(err, "PodPresets are not served yet; it is tried again")
		}
		return err == nil || apierrors.IsAlreadyExists(err), nil
	})
	return nil // if it ended before, so did the server
}

func podPresets() *apiextensionsv1.CustomResourceDefinition {
	yes := true
	object := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &yes}
	list := func(what string) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "array", Description: what, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object}}
	}
	selector := object
	selector.Description = "selector selects pods by their labels; the empty one selects all."
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{
			Name:        presetResource.GroupResource().String(),
			Annotations: map[string]string{"api-approved.kubernetes.io": "unapproved, retired in Kubernetes 1.20"},
		},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: presetResource.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "PodPreset", ListKind: "PodPresetList", Plural: presetResource.Resource, Singular: "podpreset"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: presetResource.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Description: "PodPreset is what is added to new pods. It was removed from Kubernetes in 1.20.",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"selector":     selector,
						"env":          list("env are variables of each container."),
						"envFrom":      list("envFrom are sources of variables of each container."),
						"volumes":      list("volumes are those of the pod."),
						"volumeMounts": list("volumeMounts are those of each container."),
					}}},
				}},
			}},
		},
	}
}
