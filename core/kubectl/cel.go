package kubectl

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/tabernetes/tabernetes/core/program"
)

const (
	maxCELObject     = 8 << 20 // bytes of JSON; an object in etcd has 1.5 MB at most
	maxCELExpression = 16 << 10
)

// celTool is `kubectl get deploy/web -o json | cel 'object.spec.replicas == 3'`: it says what an expression
// of Kubernetes' CEL is of an object in JSON. It ends with 0 if that is true or no bool, with 1 if it is
// false, and with 2 if it cannot be said. The libraries and the bound of the cost are those of
// ValidatingAdmissionPolicies (k8s.io/apiserver/pkg/cel/environment).
func celTool(ctx context.Context, p *program.Process) int {
	value, err := evaluate(ctx, p)
	if err != nil {
		fmt.Fprintln(p.Stderr, "cel:", err)
		return 2
	}
	fmt.Fprintln(p.Stdout, written(value))
	if value.Equal(types.False) == types.True {
		return 1
	}
	return 0
}

// written is a value in JSON; of a type, which has none, its name.
func written(value ref.Val) string {
	if native, err := value.ConvertToNative(reflect.TypeFor[*structpb.Value]()); err == nil {
		if v, ok := native.(*structpb.Value); ok {
			if raw, err := json.Marshal(v.AsInterface()); err == nil {
				return string(raw)
			}
		}
	}
	return fmt.Sprint(value.Value())
}

func evaluate(ctx context.Context, p *program.Process) (ref.Val, error) {
	if len(p.Args) != 2 || len(p.Args[1]) > maxCELExpression {
		return nil, fmt.Errorf("one expression is wanted, such as: kubectl get deploy/web -o json | cel 'object.spec.replicas == 3'")
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: environment.DefaultCompatibilityVersion(),
		EnvOptions:        []cel.EnvOption{cel.Variable("object", cel.DynType)},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare Kubernetes' libraries: %w", err)
	}
	env := set.NewExpressionsEnv()
	ast, issues := env.Compile(p.Args[1])
	if err := issues.Err(); err != nil {
		return nil, fmt.Errorf("read the expression: %w", err)
	}
	prog, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return nil, fmt.Errorf("read the expression: %w", err)
	}
	var in io.Reader = strings.NewReader("")
	if p.Stdin != nil {
		in = io.LimitReader(p.Stdin, maxCELObject+1)
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read the object: %w", err)
	}
	if len(raw) > maxCELObject {
		return nil, fmt.Errorf("the object has more than %d bytes", maxCELObject)
	}
	var object any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Errorf("read the object, which is JSON on standard input: %w", err)
	}
	out, _, err := prog.ContextEval(program.Yield(ctx), map[string]any{"object": object})
	if err != nil {
		return nil, fmt.Errorf("evaluate the expression: %w", err)
	}
	return out, nil
}
