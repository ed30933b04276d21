package initializers

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const modelPrefix = "io.k8s.api.admissionregistration.v1alpha1."

// OpenAPIModelName is the name of the schema, as it was.
func (InitializerConfiguration) OpenAPIModelName() string {
	return modelPrefix + "InitializerConfiguration"
}

// OpenAPIModelName is the name of the schema, as it was.
func (InitializerConfigurationList) OpenAPIModelName() string {
	return modelPrefix + "InitializerConfigurationList"
}

// OpenAPIModelName is the name of the schema, as it was.
func (Initializer) OpenAPIModelName() string { return modelPrefix + "Initializer" }

// describe adds the schemas to those that a server knows.
func describe(c *genericapiserver.Config) {
	with := func(next common.GetOpenAPIDefinitions) common.GetOpenAPIDefinitions {
		return func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
			all := next(ref)
			for name, d := range definitions(ref) {
				all[name] = d
			}
			return all
		}
	}
	// Copies: the other servers of the chain have been given theirs.
	if c.OpenAPIConfig != nil {
		v2 := *c.OpenAPIConfig
		v2.GetDefinitions = with(v2.GetDefinitions)
		c.OpenAPIConfig = &v2
	}
	if c.OpenAPIV3Config != nil {
		v3 := *c.OpenAPIV3Config
		v3.GetDefinitions, v3.Definitions = with(v3.GetDefinitions), nil
		c.OpenAPIV3Config = &v3
	}
}

// definitions are what openapi-gen would make of the types.
func definitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	rule, meta, list := admissionregistrationv1.Rule{}.OpenAPIModelName(), metav1.ObjectMeta{}.OpenAPIModelName(), metav1.ListMeta{}.OpenAPIModelName()
	text := func(description string) spec.Schema {
		return spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"string"}, Description: description}}
	}
	object := func(description string, needs []string, properties map[string]spec.Schema, dependencies ...string) common.OpenAPIDefinition {
		return common.OpenAPIDefinition{Dependencies: dependencies, Schema: spec.Schema{SchemaProps: spec.SchemaProps{
			Type: []string{"object"}, Description: description, Properties: properties, Required: needs,
		}}}
	}
	of := func(name string) spec.SchemaProps {
		return spec.SchemaProps{Default: map[string]any{}, Ref: ref(name)}
	}
	array := func(description, item string, keyed bool) spec.Schema {
		s := spec.Schema{SchemaProps: spec.SchemaProps{
			Type: []string{"array"}, Description: description, Items: &spec.SchemaOrArray{Schema: &spec.Schema{SchemaProps: of(item)}},
		}}
		if keyed {
			s.Extensions = spec.Extensions{
				"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
				"x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge",
			}
		}
		return s
	}
	typed := func(properties map[string]spec.Schema) map[string]spec.Schema {
		properties["kind"] = text(metav1.TypeMeta{}.SwaggerDoc()["kind"])
		properties["apiVersion"] = text(metav1.TypeMeta{}.SwaggerDoc()["apiVersion"])
		return properties
	}
	one, all, initializer := InitializerConfiguration{}.OpenAPIModelName(), InitializerConfigurationList{}.OpenAPIModelName(), Initializer{}.OpenAPIModelName()
	return map[string]common.OpenAPIDefinition{
		one: object("InitializerConfiguration describes which initializers there are for which resources. It was removed from Kubernetes in 1.14.", nil,
			typed(map[string]spec.Schema{
				"metadata": {SchemaProps: of(meta)},
				"initializers": array("initializers is a list of initializers and the resources that they are for. They act in this order; "+
					"those of several configurations in the order of the configurations' names.", initializer, true),
			}), meta, initializer),
		all: object("InitializerConfigurationList is a list of InitializerConfiguration.", []string{"items"},
			typed(map[string]spec.Schema{
				"metadata": {SchemaProps: of(list)},
				"items":    array("items are the InitializerConfigurations.", one, false),
			}), list, one),
		initializer: object("Initializer describes the name of an initializer, and the resources that it is for.", []string{"name"},
			map[string]spec.Schema{
				"name":  text("name is what stands in the list of an object that waits for it: a domain of at least three parts, as alwayspullimages.kubernetes.io."),
				"rules": array("rules are the resources that it is for; one that matches is enough. resources must not name subresources.", rule, false),
			}, rule),
	}
}
