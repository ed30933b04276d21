package cri

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// namespace is the one in which the CRI plugin keeps its images.
const namespace = "k8s.io"

// Import brings the images of an OCI or docker archive into the containerd at socket (a path); out
// gets its progress. ctr comes with containerd.
func Import(ctx context.Context, socket, archive string, out io.Writer) error {
	if err := ctr(ctx, socket, out, "images", "import", archive); err != nil {
		return fmt.Errorf("import %s: %w", archive, err)
	}
	return nil
}

// Pulls writes what the containerd at socket is fetching to out: a line for each layer, with what is
// there of it and since when. The CRI has no call for that, and the kubelet's events tell only when a
// pull begins and ends.
func Pulls(ctx context.Context, socket string, out io.Writer) error {
	if err := ctr(ctx, socket, out, "content", "active"); err != nil {
		return fmt.Errorf("list what is being pulled: %w", err)
	}
	return nil
}

// ctr runs a command of ctr's. From containerd 2 on it would say each time what of the machine or the
// configuration will not be supported one day; containerd's own log has that.
func ctr(ctx context.Context, socket string, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "ctr", append([]string{"--address", socket, "--namespace", namespace}, args...)...)
	cmd.Env = append(os.Environ(), "CONTAINERD_SUPPRESS_DEPRECATION_WARNINGS=1")
	cmd.Stdout, cmd.Stderr = out, out
	return cmd.Run()
}
