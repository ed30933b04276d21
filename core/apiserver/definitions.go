package apiserver

import (
	extensionsopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	openapiutil "k8s.io/apiserver/pkg/util/openapi"
	aggregatoropenapi "k8s.io/kube-aggregator/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
)

// The definitions that the outer servers of the chain need for the OpenAPI documents of their own
// few resources. Upstream hands them those of all native APIs, which each of them makes anew, a
// call of tens of thousands of lines, while it starts.
var (
	extensionsDefinitions common.GetOpenAPIDefinitions = extensionsopenapi.GetOpenAPIDefinitions
	aggregatorDefinitions common.GetOpenAPIDefinitions = aggregatoropenapi.GetOpenAPIDefinitions
)

// describe gives a server its own definitions.
func describe(c *genericapiserver.Config, definitions common.GetOpenAPIDefinitions) {
	definitions = openapiutil.GetOpenAPIDefinitionsWithoutDisabledFeatures(definitions)
	v2, v3 := *c.OpenAPIConfig, *c.OpenAPIV3Config
	v2.GetDefinitions = definitions
	v3.GetDefinitions, v3.Definitions = definitions, nil
	c.OpenAPIConfig, c.OpenAPIV3Config = &v2, &v3
}
