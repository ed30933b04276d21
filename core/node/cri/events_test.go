package cri

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestContainerEvents(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	ch := make(chan *runtimeapi.ContainerEventResponse)
	established := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- f.GetContainerEvents(ctx, ch, func(runtimeapi.RuntimeService_GetContainerEventsClient) { close(established) })
	}()
	<-established
	id, sc := f.start("exit", "3")
	f.wait(id)
	go func() {
		list, _ := f.ListPodSandbox(ctx, nil)
		_ = f.StopPodSandbox(ctx, list[0].Id)
		_ = f.StopPodSandbox(ctx, list[0].Id)
		_ = f.RemovePodSandbox(ctx, list[0].Id)
	}()
	var got []string
	for range 8 {
		e := <-ch
		if e.PodSandboxStatus.Metadata.Uid != sc.Metadata.Uid || e.CreatedAt == 0 {
			t.Errorf("event %+v", e)
		}
		who := "sandbox"
		if e.ContainerId == id {
			who = "container"
		}
		what := strings.TrimSuffix(strings.TrimPrefix(e.ContainerEventType.String(), "CONTAINER_"), "_EVENT")
		states := ""
		for _, c := range e.ContainersStatuses {
			states += fmt.Sprint(" ", c.ExitCode)
		}
		got = append(got, who+" "+what+states)
	}
	// The container had ended before its start was read: statuses are of the time of the event.
	want := "sandbox CREATED, sandbox STARTED, container CREATED 0, container STARTED 0, container STOPPED 3, " +
		"sandbox STOPPED 3, container DELETED, sandbox DELETED"
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("after the context ended: %v", err)
	}
}

func TestContainerEventsLost(t *testing.T) {
	f := newFixture(t)
	established := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- f.GetContainerEvents(t.Context(), make(chan *runtimeapi.ContainerEventResponse), func(runtimeapi.RuntimeService_GetContainerEventsClient) { close(established) })
	}()
	<-established
	id, _ := f.pod()
	s, _ := f.sandbox(id)
	for range eventQueue + 10 {
		f.tell(s, id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
	}
	wantCode(t, "a listener that does not read", <-done, codes.ResourceExhausted)
	f.stop()
	wantCode(t, "after the end", f.GetContainerEvents(t.Context(), nil, nil), codes.Unavailable)
}
