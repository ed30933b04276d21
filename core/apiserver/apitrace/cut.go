package apitrace

import (
	"errors"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	authenticationapi "k8s.io/kubernetes/pkg/apis/authentication"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/tabernetes/tabernetes/core/trace"
)

// message is a refusal's for people. That of a validation quotes values of the object, so that only
// its fields are kept.
func message(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Reason == metav1.StatusReasonInvalid {
		text := "invalid:"
		if details := status.Status().Details; details != nil {
			for _, c := range details.Causes {
				text += " " + c.Field + " (" + string(c.Type) + ")"
			}
		}
		return trace.Text(text)
	}
	return trace.Text(err.Error())
}

// cut takes away from a copy of an object what no step may hold.
func cut(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if u, ok := v.Interface().(*unstructured.Unstructured); ok {
			trace.CutTree(u.Object, "")
			return
		}
		cut(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			cut(v.Index(i))
		}
	case reflect.Struct:
		if v.CanAddr() && cutStruct(v.Addr().Interface()) {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cut(v.Field(i))
			}
		}
	}
}

// cutStruct cuts a struct of the API that is known to hold secrets; done is whether there is nothing
// more in it.
func cutStruct(s any) (done bool) {
	switch s := s.(type) {
	case *metav1.ObjectMeta:
		s.ManagedFields = nil
		trace.CutAnnotations(s.Annotations)
		return true
	case *core.EnvVar:
		if s.Value != "" {
			s.Value = trace.Withheld
		}
		return true
	case *core.ExecAction:
		s.Command = withheld(s.Command)
		return true
	case *core.Container:
		s.Args, s.Command = withheld(s.Args), withheld(s.Command)
	case *core.EphemeralContainerCommon:
		s.Args, s.Command = withheld(s.Args), withheld(s.Command)
	case *core.ContainerStateWaiting:
		s.Message = trace.Failure(s.Message)
	case *core.ContainerStateTerminated:
		if s.Message != "" {
			s.Message = trace.Withheld
		}
	case *core.HTTPGetAction:
		s.Path = trace.Path(s.Path)
	case *core.HTTPHeader:
		s.Value = trace.Withheld
		return true
	case *core.Secret:
		for name := range s.Data {
			s.Data[name] = []byte(trace.Withheld)
		}
	case *core.ConfigMap:
		for name := range s.Data {
			s.Data[name] = trace.Withheld
		}
		s.BinaryData = nil
	case *authenticationapi.TokenRequestStatus:
		s.Token = trace.Withheld
	case *authenticationapi.TokenReviewSpec:
		s.Token = trace.Withheld
	}
	return false
}

func withheld(words []string) []string {
	if len(words) == 0 {
		return words
	}
	return []string{trace.Withheld}
}
