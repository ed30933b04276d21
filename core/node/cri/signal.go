package cri

import (
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/tabernetes/tabernetes/core/program"
)

// signalNumbers are Linux's on amd64 and arm64, for those without a name in core/program.
var signalNumbers = map[string]program.Signal{
	"SIGILL": 4, "SIGTRAP": 5, "SIGIOT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGSEGV": 11, "SIGSTKFLT": 16,
	"SIGCLD": 17, "SIGTTIN": 21, "SIGTTOU": 22, "SIGURG": 23, "SIGXCPU": 24, "SIGXFSZ": 25,
	"SIGVTALRM": 26, "SIGPROF": 27, "SIGIO": 29, "SIGPOLL": 29, "SIGPWR": 30, "SIGSYS": 31,
	"SIGRTMIN": 34, "SIGRTMAX": 64,
}

// stopSignal is the signal that asks a container to end: the kubelet's, the image's or SIGTERM.
func stopSignal(want runtimeapi.Signal, image program.Signal) (program.Signal, error) {
	if want == runtimeapi.Signal_RUNTIME_DEFAULT {
		if image != 0 {
			return image, nil
		}
		return program.SIGTERM, nil
	}
	name := want.String()
	if s, ok := program.ParseSignal(name); ok {
		return s, nil
	}
	if s, ok := signalNumbers[name]; ok {
		return s, nil
	}
	for prefix, sign := range map[string]int{"SIGRTMINPLUS": 1, "SIGRTMAXMINUS": -1} {
		if text, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.Atoi(text); err == nil {
				if sign > 0 {
					return program.Signal(34 + n), nil
				}
				return program.Signal(64 - n), nil
			}
		}
	}
	return 0, status.Errorf(codes.InvalidArgument, "unknown stop signal %s", name)
}

// toCRISignal is the CRI's number for a signal.
func toCRISignal(s program.Signal) runtimeapi.Signal {
	for _, sig := range []runtimeapi.Signal{
		runtimeapi.Signal_SIGTERM, runtimeapi.Signal_SIGQUIT, runtimeapi.Signal_SIGINT, runtimeapi.Signal_SIGKILL,
		runtimeapi.Signal_SIGHUP, runtimeapi.Signal_SIGUSR1, runtimeapi.Signal_SIGUSR2,
	} {
		if n, _ := stopSignal(sig, 0); n == s {
			return sig
		}
	}
	for n := range runtimeapi.Signal_name {
		if n == int32(runtimeapi.Signal_RUNTIME_DEFAULT) {
			continue
		}
		if got, err := stopSignal(runtimeapi.Signal(n), 0); err == nil && got == s {
			return runtimeapi.Signal(n)
		}
	}
	return runtimeapi.Signal_RUNTIME_DEFAULT
}
