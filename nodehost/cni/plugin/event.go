package plugin

import (
	"encoding/json"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
)

// Event is one call of one plugin in the chain.
type Event struct {
	Time     time.Time     `json:"time"` // when it began
	Duration time.Duration `json:"duration"`
	// Command is ADD, DEL, CHECK, STATUS or GC; Plugin is the delegate.
	Command   string `json:"command"`
	Plugin    string `json:"plugin"`
	Container string `json:"container,omitempty"` // the sandbox's ID
	Interface string `json:"interface,omitempty"`
	Netns     string `json:"netns,omitempty"`
	// Args are CNI_ARGS; Namespace, Pod and UID are what the runtime says there.
	Args      string `json:"args,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Pod       string `json:"pod,omitempty"`
	UID       string `json:"uid,omitempty"`
	// Idle says that the delegate was not called: the pod wants nothing of it.
	Idle bool `json:"idle,omitempty"`
	// IPs are the addresses given, in CIDR notation.
	IPs []string `json:"ips,omitempty"`
	// Stdin is the configuration that the delegate was called with, and Stdout the result that the runtime was
	// given: nil if there is none, or it is longer than maxJSON.
	Stdin  json.RawMessage `json:"stdin,omitempty"`
	Stdout json.RawMessage `json:"stdout,omitempty"`
	// Code and Error are CNI's; 0 and "" when it went well.
	Code  uint   `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
}

// maxJSON bounds a configuration or a result in an event, in bytes: all of it is one datagram.
const maxJSON = 16 << 10

func newEvent(command string, args *skel.CmdArgs, c *Config, result types.Result, begin time.Time, err error) Event {
	e := Event{
		Time: begin, Duration: time.Since(begin), Command: command, Plugin: c.delegate(),
		Container: args.ContainerID, Interface: args.IfName, Netns: args.Netns, Args: args.Args, Idle: (command == "ADD" || command == "CHECK") && c.idle(),
	}
	if conf, err := c.forDelegate(); err == nil && !e.Idle {
		e.Stdin = within(conf)
	}
	for pair := range strings.SplitSeq(args.Args, ";") {
		key, value, _ := strings.Cut(pair, "=")
		switch key {
		case "K8S_POD_NAMESPACE":
			e.Namespace = value
		case "K8S_POD_NAME":
			e.Pod = value
		case "K8S_POD_UID":
			e.UID = value
		}
	}
	var failed *types.Error
	if errors.As(err, &failed) {
		e.Code, e.Error = failed.Code, failed.Msg
	}
	if result == nil {
		return e
	}
	if r, err := types100.GetResult(result); err == nil {
		for _, ip := range r.IPs {
			e.IPs = append(e.IPs, ip.Address.String())
		}
	}
	// As types.PrintResult prints it.
	if told, err := result.GetAsVersion(c.CNIVersion); err == nil {
		if text, err := json.Marshal(told); err == nil {
			e.Stdout = within(text)
		}
	}
	return e
}

func within(text []byte) json.RawMessage {
	if len(text) > maxJSON {
		return nil
	}
	return text
}

// tell sends the event if somebody listens; a pod never waits for that.
func (c *Config) tell(e Event) {
	if c.Events == "" {
		return
	}
	b, err := json.Marshal(e)
	if err != nil {
		return
	}
	conn, err := net.Dial("unixgram", c.Events)
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	_, _ = conn.Write(b)
}
