package critrace

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What of a message is not kept, by the names of its fields in api.proto, and all that is bytes: values
// of variables, and what a command writes. A command may hold a secret, too: the kubelet puts values of
// variables into it, where it says $(NAME).
var (
	withheldLists = names("command", "args", "cmd")
	withheldTexts = names("url", "username", "password", "auth", "identity_token", "registry_token")
	withheldMaps  = names("annotations", "info")
)

// openAnnotations are those whose values the kubelet makes itself, of nothing that is secret
// (pkg/kubelet/kuberuntime/labels.go; its preStopHandler is a command).
var openAnnotations = names(
	"io.kubernetes.container.hash", "io.kubernetes.container.restartCount", "io.kubernetes.container.terminationMessagePath",
	"io.kubernetes.container.terminationMessagePolicy", "io.kubernetes.pod.terminationGracePeriod",
	"kubernetes.io/config.seen", "kubernetes.io/config.source",
)

func names(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, n := range list {
		m[n] = true
	}
	return m
}

// maxElements bounds a list or a map of a message.
const maxElements = 256

// cut is a copy of a message without what is not kept, with each text and list bounded; nil of nil.
func cut(m proto.Message) proto.Message {
	if m == nil || !m.ProtoReflect().IsValid() {
		return nil
	}
	c := proto.Clone(m)
	redact(c.ProtoReflect())
	return c
}

func redact(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := string(f.Name())
		switch {
		case f.IsMap():
			redactMap(name, f, v.Map())
		case f.IsList():
			redactList(name, f, v.List())
		case f.Message() != nil:
			redact(v.Message())
		case f.Kind() == protoreflect.StringKind && withheldTexts[name]:
			m.Set(f, protoreflect.ValueOfString(trace.Withheld))
		case f.Kind() == protoreflect.StringKind:
			m.Set(f, text(v.String()))
		case f.Kind() == protoreflect.BytesKind:
			m.Clear(f)
		}
		return true
	})
}

func redactMap(name string, f protoreflect.FieldDescriptor, values protoreflect.Map) {
	kept := 0
	values.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		if kept++; kept > maxElements || len(k.String()) > trace.MaxText {
			values.Clear(k)
			return true
		}
		switch {
		case f.MapValue().Message() != nil:
			redact(v.Message())
		case f.MapValue().Kind() != protoreflect.StringKind:
		case withheldMaps[name] && !openAnnotations[k.String()]:
			values.Set(k, protoreflect.ValueOfString(trace.Withheld))
		default:
			values.Set(k, text(v.String()))
		}
		return true
	})
}

func redactList(name string, f protoreflect.FieldDescriptor, list protoreflect.List) {
	if list.Len() > maxElements {
		list.Truncate(maxElements)
	}
	for i := range list.Len() {
		switch {
		case f.Message() != nil:
			redact(list.Get(i).Message())
		case f.Kind() == protoreflect.StringKind && withheldLists[name]:
			list.Set(i, protoreflect.ValueOfString(trace.Withheld))
		case f.Kind() == protoreflect.StringKind:
			list.Set(i, text(list.Get(i).String()))
		}
	}
}

// text bounds a text, and has it be UTF-8, which protobuf's JSON insists on.
func text(s string) protoreflect.Value {
	return protoreflect.ValueOfString(strings.ToValidUTF8(trace.Text(s), "�"))
}
