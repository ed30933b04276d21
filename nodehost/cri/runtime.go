package cri

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// Call is one that the kubelet made of the runtime, and what came of it.
type Call struct {
	Method            string // without its service: "RunPodSandbox"
	Began             time.Time
	Took              time.Duration
	Request, Response proto.Message // nil if it did not come to that
	Err               error
}

// Tap is told of calls. Messages says which: it makes an empty request and response of the method, or
// fails for one that nobody wants to know of.
type Tap struct {
	Messages func(method string) (request, response proto.Message, err error)
	// Call must not block, nor keep what it is given.
	Call func(Call)
}

// Runtime hands the kubelet's calls on to a runtime as they come, byte for byte, and tells of some. What
// is new in the CRI passes as well.
type Runtime struct {
	listener net.Listener
	conn     *grpc.ClientConn
	tap      Tap
}

// RuntimeSocket is the path in dir at which the runtime of an endpoint is served. Upstream knows CRI-O by
// the name of its socket (cadvisor.UsingLegacyCadvisorStats).
func RuntimeSocket(dir, endpoint string) string {
	if strings.HasSuffix(endpoint, "crio.sock") {
		return filepath.Join(dir, "crio.sock")
	}
	return filepath.Join(dir, "runtime.sock")
}

// ListenRuntime listens on a socket (a path) for the runtime at endpoint ("unix:///…").
func ListenRuntime(endpoint, socket string, tap Tap) (*Runtime, error) {
	conn, err := connect(endpoint)
	if err != nil {
		return nil, fmt.Errorf("reach the runtime at %s: %w", endpoint, err)
	}
	ln, err := listenUnix(socket)
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("serve the runtime: %w", err)
	}
	return &Runtime{ln, conn, tap}, nil
}

// Serve serves until ctx is done.
func (r *Runtime) Serve(ctx context.Context) error {
	defer r.conn.Close()
	s := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.ForceServerCodecV2(raw{}), grpc.UnknownServiceHandler(r.forward))
	defer context.AfterFunc(ctx, s.Stop)()
	if err := s.Serve(r.listener); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the runtime: %w", err)
	}
	return nil
}

// frame is a message as it is on the wire.
type frame struct{ bytes []byte }

// raw leaves messages as they are.
type raw struct{}

// Marshal implements encoding.CodecV2.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.(*frame).bytes)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	v.(*frame).bytes = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2: what is in a frame is protobuf.
func (raw) Name() string { return "proto" }

// forward makes one call of the runtime, of any kind.
func (r *Runtime) forward(_ any, kubelet grpc.ServerStream) error {
	began := time.Now()
	full, _ := grpc.MethodFromServerStream(kubelet)
	ctx, cancel := context.WithCancel(kubelet.Context())
	defer cancel()
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		ctx = metadata.NewOutgoingContext(ctx, md)
	}
	stream := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	runtime, err := r.conn.NewStream(ctx, stream, full, grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(maxMessage))
	if err != nil {
		return err
	}
	call := r.begin(full, began)
	go func() {
		// An error is the call's end, which the other direction sees, too.
		for {
			var f frame
			if err := kubelet.RecvMsg(&f); errors.Is(err, io.EOF) {
				_ = runtime.CloseSend()
				return
			} else if err != nil {
				cancel()
				return
			}
			call.asked(f)
			if runtime.SendMsg(&f) != nil {
				return
			}
		}
	}()
	for {
		var f frame
		if err := runtime.RecvMsg(&f); errors.Is(err, io.EOF) {
			call.end(nil)
			return nil
		} else if err != nil {
			call.end(err)
			return err
		}
		call.answered(f)
		if err := kubelet.SendMsg(&f); err != nil {
			return err
		}
	}
}

// tapped is a call that is told of; nil is one that is not.
type tapped struct {
	tap               *Tap
	call              Call
	request, response proto.Message
	requests          chan frame // the first one
}

func (r *Runtime) begin(full string, began time.Time) *tapped {
	_, method, _ := strings.Cut(strings.TrimPrefix(full, "/"), "/")
	if r.tap.Messages == nil || !strings.HasPrefix(full, "/runtime.v1.") {
		return nil
	}
	request, response, err := r.tap.Messages(method)
	if err != nil {
		return nil
	}
	return &tapped{tap: &r.tap, call: Call{Method: method, Began: began}, request: request, response: response, requests: make(chan frame, 1)}
}

func (t *tapped) asked(f frame) {
	if t == nil {
		return
	}
	select {
	case t.requests <- f:
	default:
	}
}

func (t *tapped) answered(f frame) {
	if t != nil && t.call.Response == nil && proto.Unmarshal(f.bytes, t.response) == nil {
		t.call.Response = t.response
	}
}

func (t *tapped) end(err error) {
	if t == nil {
		return
	}
	select {
	case f := <-t.requests:
		if proto.Unmarshal(f.bytes, t.request) == nil {
			t.call.Request = t.request
		}
	default:
	}
	t.call.Took, t.call.Err = time.Since(t.call.Began), err
	t.tap.Call(t.call)
}
