package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist/local"
	estimates "github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/run/summary"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow/coefficients"
)

// puddle is a case without coefficients, to which tests add them.
const puddle = `
solver = "shallow-water"
mesh = { generate = "rectangle", bounds = [-5, -5, 5, 5], cells = 2000 }
physics = { layers = 1, dry_depth = 1e-3 }
initial = { depth = 1, h = "x < 0 ? 1 : 0.5", u = 0.1 }
time = { end = 1, max_steps = 6 }
output = { format = [] }
`

// needed is a setting of a case that gives what a coefficient needs.
func needed(k *coefficients.Coefficient) string {
	keys := ""
	if k.Needs != nil && k.Section == "" {
		keys = "rain = 1, "
		if k.Needs[0] != "rain" {
			keys += k.Needs[0] + " = 0, "
		}
	}
	return "forcing = { " + keys + "}"
}

// settingOf is needed with the coefficient, of which value is an expression.
func settingOf(k *coefficients.Coefficient, value string) string {
	key := k.Key + " = '" + value + "'"
	roughness := []string{coefficients.ManningShallow, coefficients.DepthShallow, coefficients.DepthDeep}
	if slices.Contains(roughness, k.Key) {
		for n, other := range []string{"manning_shallow = 0.1", "depth_shallow = 0.01", "depth_deep = 2"} {
			if roughness[n] != k.Key {
				key += ", " + other
			}
		}
		return "physics = { layers = 1, dry_depth = 1e-3, manning = 0.02, " + key + " }"
	}
	if k.Section != "" {
		return k.Section + "." + key
	}
	if k.Table != "" {
		for _, other := range coefficients.All {
			if other.Table == k.Table && other.Key != k.Key {
				least := map[string]float64{coefficients.InitialRate: 2}[other.Key] // not below the last rate
				key += fmt.Sprintf(", %s = %g", other.Key, max(least, within(&other)))
			}
		}
		key = k.Table + " = { " + key + " }"
	}
	return strings.TrimSuffix(needed(k), "}") + key + " }"
}

// within returns a value within the bounds of a coefficient.
func within(k *coefficients.Coefficient) float64 { return min(max(.05, k.Bound.Least), k.Bound.Most) }

// TestEachCoefficient: the memory of each coefficient is estimated, the state depends on its values, but not on the
// number of ranks, and a value out of bounds is refused: a constant when the case is read, others before the first
// step, with the cell.
func TestEachCoefficient(t *testing.T) {
	for _, k := range coefficients.All {
		if k.OfMesh {
			continue
		}
		t.Run(k.Key, func(t *testing.T) {
			t.Parallel()
			right, most := fmt.Sprint(within(&k)), k.Bound.Most
			if most > 1e9 {
				most = 1
			}
			run := func(set string, ranks int) (*summary.Summary, float64) {
				s, err := runtest.Run(t, puddle, ranks, 1, runtest.Local, t.TempDir(), set)
				if err != nil {
					t.Fatal(err)
				}
				n, err := estimates.MemoryOf(runtest.Parse(t, puddle, set), 1, 1, false)
				if err != nil {
					t.Fatal(err)
				}
				return s, float64(n.Arrays)
			}
			set := settingOf(&k, fmt.Sprintf("%s + %g*(x + 5)", right, .099*(most-within(&k))))
			one, estimated := run(set, 1)
			without, estimatedWithout := run(needed(&k), 1)
			used := float64(one.ArrayBytes - without.ArrayBytes)
			if math.Abs(estimated-estimatedWithout-used) > .05*used {
				t.Errorf("%s: %g bytes are estimated, it takes %g", set, estimated-estimatedWithout, used)
			}
			if three, _ := run(set, 3); three.StateSHA256 != one.StateSHA256 {
				t.Errorf("%s: the state depends on the number of ranks", set)
			}
			if constant, _ := run(settingOf(&k, right), 1); constant.StateSHA256 == one.StateSHA256 {
				t.Errorf("%s: the state is that of the constant %s", set, right)
			}
			if k.Bound.Least < -1e300 {
				return
			}
			wrong := fmt.Sprint(k.Bound.Least - .5)
			_, err := config.Parse("c.toml", []byte(puddle), []string{settingOf(&k, wrong)},
				map[string]config.Decoder{"shallow-water": Decode})
			if err == nil || !strings.Contains(err.Error(), k.Key+": "+wrong+" must be ") {
				t.Errorf("%s = %s: error %v", k.Key, wrong, err)
			}
			c := runtest.Parse(t, puddle, settingOf(&k, "x > 4 && y > 4 ? "+wrong+" : "+right))
			for rank, err := range runtest.RunEach(t, c, local.New(2), onCPU) {
				var bad *solvers.BadInput
				if !errors.As(err, &bad) || !strings.Contains(err.Error(), k.Key+" at cell ") {
					t.Errorf("%s out of bounds in a corner, on rank %d: error %v", k.Key, rank, err)
				}
			}
		})
	}
}
