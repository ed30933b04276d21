package kubectl

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/docker/go-units"
	"github.com/spf13/pflag"
)

// nodeSize is a new node's, of cores and bytes; zero is as the others have it.
type nodeSize struct{ cores, memory, disk int64 }

// sizeOf reads the flags of `minikube node add`, which are those of `minikube start` and are written as those.
func sizeOf(args []string) (size nodeSize, err error) {
	flags := pflag.NewFlagSet("minikube node add", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	cpus, memory, disk := flags.String("cpus", "", ""), flags.String("memory", "", ""), flags.String("disk-size", "", "")
	if err := flags.Parse(args); err != nil {
		return size, err
	}
	if rest := flags.Args(); len(rest) > 0 {
		return size, fmt.Errorf("a new node's name is not chosen: what is %.100q", rest[0])
	}
	if *cpus != "" {
		n, err := strconv.ParseInt(*cpus, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt32 {
			return size, fmt.Errorf("--cpus: %.100q is no number of cores", *cpus)
		}
		size.cores = n
	}
	for _, f := range []struct {
		name, text string
		into       *int64
	}{{"memory", *memory, &size.memory}, {"disk-size", *disk, &size.disk}} {
		if f.text == "" {
			continue
		}
		text := f.text
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			text += "m" // as minikube takes a plain number
		}
		n, err := units.RAMInBytes(text)
		if err != nil || n <= 0 || n > 1<<50 {
			return size, fmt.Errorf("--%s: %.100q is no size: it is a number with a unit, b, k, m or g", f.name, f.text)
		}
		*f.into = n
	}
	return size, nil
}
