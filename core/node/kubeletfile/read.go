package kubeletfile

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"sigs.k8s.io/yaml"
)

// Fields are the names of the fields that text has, in order.
func Fields(text []byte) ([]string, error) {
	var asked map[string]any
	if err := yaml.Unmarshal(text, &asked); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(asked)), nil
}

// Decode reads a KubeletConfiguration and fills in upstream's defaults.
func Decode(text []byte) (config *kubeletconfig.KubeletConfiguration, err error) {
	defer func() {
		if r := recover(); r != nil { // upstream's defaults, of a feature gate that there is not
			err = fmt.Errorf("%v", r)
		}
	}()
	_, codecs, err := scheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return nil, err
	}
	read, kind, err := codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	config, ok := read.(*kubeletconfig.KubeletConfiguration)
	if !ok {
		return nil, fmt.Errorf("it is a %s, and not a KubeletConfiguration", kind.Kind)
	}
	return config, nil
}
