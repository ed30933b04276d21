package beside

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// OnlyFlags refuses every flag that was set and is not among those: most flags of a component name files,
// addresses or variables of its process.
func OnlyFlags(fs *pflag.FlagSet, those []string) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(those, f.Name) {
			err = fmt.Errorf("--%s reaches past the pod: this program shares its process with the cluster. Leave it out; what can be set is --%s",
				f.Name, strings.Join(those, ", --"))
		}
	})
	return err
}
