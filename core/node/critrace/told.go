package critrace

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/trace"
)

// What follows is for a runtime that is called elsewhere: a node's own tap cuts the messages of a call
// (Cut), says them in protobuf's JSON, and whoever hears of it makes the call's details again (Told).

// changing are the calls that change something, by their methods.
var changing = func() map[string]*trace.Kind {
	m := map[string]*trace.Kind{}
	for _, k := range []*trace.Kind{
		runPodSandbox, stopPodSandbox, removePodSandbox, pullImage, createContainer, startContainer, stopContainer,
		removeContainer, execSync, exec, attach, portForward, updateResources, removeImage, updateConfig,
	} {
		m[strings.TrimPrefix(k.Name, "cri.")] = k
	}
	return m
}()

// Kind is the kind of a method's call; nil of one that changes nothing, which is no step.
func Kind(method string) *trace.Kind { return changing[method] }

// OfPod is whether a method's call is for a pod, whoever makes it: all are but those of images, and what the runtime is
// told of its own configuration.
func OfPod(method string) bool {
	switch changing[method] {
	case pullImage, removeImage, updateConfig, nil:
		return false
	}
	return true
}

// Messages makes an empty request and an empty response of a method that has a Kind.
func Messages(method string) (request, response proto.Message, err error) {
	if changing[method] == nil {
		return nil, nil, fmt.Errorf("the call %.50q is no step", method)
	}
	// Requests and responses of the CRI are called after their methods.
	for _, m := range []struct {
		suffix string
		into   *proto.Message
	}{{"Request", &request}, {"Response", &response}} {
		kind, err := protoregistry.GlobalTypes.FindMessageByName(pkg.Append(protoreflect.Name(method + m.suffix)))
		if err != nil {
			return nil, nil, err
		}
		*m.into = kind.New().Interface()
	}
	return request, response, nil
}

var pkg = (&runtimeapi.RunPodSandboxRequest{}).ProtoReflect().Descriptor().ParentFile().Package()

// Cut is a copy of a message without what is never kept, with each text and list bounded; nil of nil.
func Cut(m proto.Message) proto.Message { return cut(m) }

// Failure is what is told of a call's error: what a command was and said is not.
func Failure(method string, err error) string {
	switch {
	case err == nil:
		return ""
	case changing[method] == execSync:
		return exitOnly{err}.Error()
	}
	return trace.Failure(err.Error())
}

// MaxMessage bounds a message in JSON, in bytes.
const MaxMessage = 16 << 10

// Told makes the details of a call of a method that somebody else tells of. What is told is not trusted:
// it has to be the method's messages, and is cut as if it had not been. same is how many calls that came out
// the same were not told before it.
func Told(method string, request, response []byte, failure string, same int) (any, error) {
	d := &details{Method: method, By: Socket, Error: trace.Failure(failure), Same: max(0, same)}
	if failure != "" && changing[method] == execSync {
		d.Error = exitOnly{errors.New(failure)}.Error()
	}
	req, resp, err := Messages(method)
	if err != nil {
		return nil, err
	}
	for _, m := range []struct {
		text []byte
		into proto.Message
		kept *proto.Message
	}{{request, req, &d.Request}, {response, resp, &d.Response}} {
		if len(m.text) == 0 {
			continue
		}
		if len(m.text) > MaxMessage {
			return nil, fmt.Errorf("a message of %s has %d bytes, which are more than %d", method, len(m.text), MaxMessage)
		}
		if err := protojson.Unmarshal(m.text, m.into); err != nil {
			return nil, fmt.Errorf("what is told of %s is none of its messages", method) // not quoted
		}
		*m.kept = cut(m.into)
	}
	d.weight = d.weigh()
	return d, nil
}
