package cri

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

// namespace is the one in which the CRI plugin keeps its images.
const namespace = "k8s.io"

// Import brings the images of an OCI or docker archive into the containerd at socket (a path); out
// gets its progress. ctr comes with containerd.
func Import(ctx context.Context, socket, archive string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, "ctr", "--address", socket, "--namespace", namespace, "images", "import", archive)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("import %s: %w", archive, err)
	}
	return nil
}

// Pulls writes what the containerd at socket is fetching to out: a line for each layer, with what is
// there of it and since when. The CRI has no call for that, and the kubelet's events tell only when a
// pull begins and ends.
func Pulls(ctx context.Context, socket string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, "ctr", "--address", socket, "--namespace", namespace, "content", "active")
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("list what is being pulled: %w", err)
	}
	return nil
}
