package problem

import (
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// command is the command atoll smooth.
var command = solvers.Command{
	Use:   "smooth IN OUT",
	Args:  []string{"the mesh to read", "the one to write"},
	Short: "Move the vertices of a mesh so that its cells fit a metric, keeping its connectivity and groups",
	Long: `Move the vertices of a mesh of triangles or tetrahedra so that its cells have the sizes that a metric
requires, keeping its connectivity and groups.

IN is a .msh, .mesh, .meshb, .vtu or .pvtu file; OUT is written by its extension: .msh, .mesh, .meshb or .vtu.
Flags of Mmg may be given as Mmg has them: -in, -out, -sol, -met, -hmin, -hmax, -hgrad, -ar, -optim, -nosurf.
Without a metric, sizes are those of IN.sol or IN.solb beside a Medit file, or else those of the cells of IN.
OUT is not written if it would be worse than IN, unless --force is given. Values in parentheses are defaults.`,
	Example: `  atoll smooth wing.msh better.msh
  atoll smooth in.mesh out.mesh                               # sizes of in.sol, if there is one
  atoll smooth in.mesh out.vtu --metric linear --low 0.5 --high 0.05 --smoother pain-exact --relax 1.8
  atoll smooth in.msh out.msh --width '0.01 + 0.1*abs(y)' --height 0.02 --worst 0.3
  atoll smooth block.msh better.msh --width 0.1 --height 0.1 --depth '0.02 + 0.2*abs(z)'`,
	Flags:   request.Flags(keys),
	Foreign: foreign,
	Make: func(args []string, flag func(string) (string, bool)) (*config.Case, solvers.Reporter, error) {
		c, err := caseOf(args[0], args[1], flag)
		if err != nil {
			return nil, nil, &solvers.BadInput{Err: err}
		}
		return c, reporter(args[1]), nil
	},
}

// keys are the keys of a case that are also flags, with their descriptions.
var keys = slices.Concat([]request.Key{
	{"metric", "metric.field", "required sizes: implied (those of the cells of IN), uniform, linear, sinusoidal, " +
		"ugawg-linear; or give expressions (implied)"},
}, request.MetricKeys, []request.Key{
	{"samples", "metric.samples", "nodes per side of the grid on which expressions are evaluated, a power of two; 0: " +
		"they are evaluated at the vertices of IN (512; of tetrahedra 64; 0 if --gradation is given)"},
	{"rescale", "metric.rescale", "scale the metric so that it requires as many cells as the mesh has (true)"},
	{"smoother", "method.smoother", "barrier, hybrid, fjp, smart, pain-exact or pain (barrier)"},
	{"sweeps", "method.sweeps", "maximum number of sweeps (200 of barrier, 100 of other smoothers)"},
	{"relax", "method.relax", "relaxation factor, above 0 and below 2 (barrier: by the number of vertices; pain 0.5; " +
		"others 1)"},
	{"guard", "method.guard", "how pain and pain-exact avoid inverted cells: none, halve or clip (halve)"},
	{"boundary", "method.boundary", "vertices of the boundary: slide (along the boundary) or fixed (slide)"},
	{"ridge", "method.ridge", "angle in degrees, such as 45: vertices slide on curved boundaries, except at edges and " +
		"corners where these turn by more (0: they slide only where the boundary is straight)"},
	{"ar", "method.ridge", "Mmg's name of --ridge"},
	{"colouring", "method.colouring", "jones-plassmann or first-fit (jones-plassmann)"},
	{"floor", "method.floor", "hybrid optimises below this quality (the mean; of tetrahedra half of it)"},
	{"untangle", "method.untangle",
		"true: untangle inverted cells before the sweeps (false: they are an error)"},
	{"precision", "method.precision", "float64 or float32 (float64)"},
	{"force", "method.force", "write OUT even if the report says that it is worse than IN"},
	{"every", "stop.every", "sweeps between two checks of the stopping rules (10)"},
	{"move", "stop.move", "stop when no vertex moves by more than this, in the metric"},
	{"mean", "stop.mean", "stop when the mean quality is at least this"},
	{"worst", "stop.worst", "stop when the worst quality is at least this"},
	{"advance", "stop.advance", "stop when neither the mean nor the worst quality has increased by this since the " +
		"last check (0: never)"},
})

// caseOf makes the case of arguments and flags.
func caseOf(in, out string, flag func(string) (value string, given bool)) (*config.Case, error) {
	return request.CaseOf(in, out, keys, flag, func(path string, sets []string) (*config.Case, error) {
		return solvers.Parse(path, []byte("solver = \"smooth\"\n"), sets)
	})
}
