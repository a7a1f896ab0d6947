package adaptation

import (
	"context"
	"slices"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// Command is the command atoll adapt.
var Command = solvers.Command{
	Use:   "adapt IN OUT",
	Args:  []string{"the mesh to read", "the one to write"},
	Short: "Adapt a mesh to a metric by split, collapse, swap and smoothing, keeping its groups and fields",
	Long: `Adapt a mesh of triangles or tetrahedra until its edges have the lengths that a metric requires: long edges
are split, short ones collapsed, edges and faces swapped, and vertices moved. Boundaries, interfaces between
materials, groups, corners, ridges and required entities are kept, and no cell is ever inverted. The mesh is the
same for any number of ranks and threads, and, of triangles, on a GPU.

IN is a .msh, .mesh, .meshb, .vtu or .pvtu file; OUT is written by its extension: .msh, .mesh, .meshb or .vtu.
Flags of Mmg may be given as Mmg has them: -in, -out, -sol, -met, -hsiz, -hmin, -hmax, -hgrad, -hausd, -ar, -nr,
-nosurf, -optim, -ls. Without a metric, sizes are those of IN.sol or IN.solb beside a Medit file, or else those of the
cells of IN. Values in parentheses are defaults.`,
	Example: `  atoll adapt plate.msh fine.msh --size 0.02
  atoll adapt in.mesh out.mesh                        # sizes of in.sol, if there is one
  atoll adapt in.msh out.vtu --width '0.01 + 0.1*abs(y)' --height 0.02 --gradation 1.3
  atoll adapt in.msh out.msh --hessian 'tanh(20*(x - y))' --target 4000
  atoll adapt frame.vtu next.vtu --hessian "{mesh='u'}" --hmin 0.001`,
	Flags:   request.Flags(keys),
	Foreign: foreign,
	Run: func(ctx context.Context, w solvers.Work) (solvers.Report, error) {
		if w.Comm.Rank() > 0 {
			return nil, help(ctx, w.Comm, w.Threads)
		}
		return run(ctx, w)
	},
}

// keys are the flags of the command.
var keys = slices.Concat([]request.Key{
	{"metric", "metric.field", "required sizes: implied (those of the cells of IN), uniform (as many cells, or " +
		"--target), linear, sinusoidal; or give --size or expressions (implied)"},
	{"size", "metric.size", "one size for all cells"},
	{"hsiz", "metric.size", "Mmg's name of --size"},
	{"target", "metric.target", "number of vertices for which the metric is scaled (0: sizes as given)"},
	{"complexity", "metric.complexity", "of --hessian: integral of √det M, instead of --target (as many cells as IN has)"},
}, request.MetricKeys, []request.Key{
	{"hausdorff", "method.hausdorff", "largest distance of boundaries and interfaces in the plane, and of ridges, from " +
		"those of IN (a thousandth of the diagonal of the mesh)"},
	{"hausd", "method.hausdorff", "Mmg's name of --hausdorff"},
	{"ridge", "method.ridge", "angle in degrees: edges and corners at which the boundary turns by more are kept (45); " +
		"180: none but those that IN marks"},
	{"ar", "method.ridge", "Mmg's name of --ridge"},
	{"boundary", "method.boundary", "free, or fixed: boundaries and interfaces stay as they are (free)"},
	{"level", "method.level", "function along a level of which the mesh is cut, before it is adapted once more: an " +
		"expression, or {mesh='NAME'} of IN's data; cells below get groups of their own (none)"},
	{levelFileFlag, "method.level_file", "Medit file of the function at the vertices of IN, instead of --level"},
	{"isovalue", "method.isovalue", "value of --level at which the mesh is cut; without --level of --sol (0)"},
	{"conserve", "method.conserve", "fields of cells whose integrals over each material are kept: all, or names " +
		"separated by commas (none: each cell gets the value at its centre)"},
})

// source is what the case of the command is made of: its path, and the keys that flags set.
type source struct {
	Path string
	Sets []string
}

func caseOf(in, out string, flag func(string) (value string, given bool)) (c *config.Case, from source, err error) {
	c, err = request.CaseOf(in, out, keys, levelFlags(in, flag), func(path string, sets []string) (*config.Case, error) {
		from = source{path, sets}
		return from.parse()
	})
	return c, from, err
}

func (s *source) parse() (*config.Case, error) {
	return config.Parse(s.Path, []byte("solver = \""+solverName+"\"\n"), s.Sets,
		map[string]config.Decoder{solverName: decode})
}

// foreign are flags of Mmg (mmg2d, mmg3d) that have other names here, or that are refused with what to do instead.
var foreign = []solvers.ForeignFlag{
	{Name: "-in"}, // the mesh file follows
	{Name: "-optim", Args: []string{"--metric", "implied"}},
	{Name: "-A", Args: []string{}}, // metrics are anisotropic where the mesh or the file is
	{Name: "-nosurf", Args: []string{"--boundary", "fixed"}},
	{Name: "-nr", Args: []string{"--ridge", "180"}},
	{Name: "-noinsert", Refused: "atoll smooth moves vertices alone"},
	{Name: "-noswap", Refused: "atoll smooth moves vertices alone"},
	{Name: "-nomove", Refused: "vertices move where that improves cells: leave it out"},
	{Name: "-hgradreq", Refused: "required entities have no separate gradation: --hgrad applies to all"},
	{Name: "-nosizreq", Refused: "required entities prescribe no sizes: leave it out"},
	{Name: "-v", Refused: "--quiet prints errors alone; there are no other levels of printing"},
	{Name: "-m", Refused: "the memory cannot be limited: leave it out"},
	{Name: "-ls", Args: []string{"--isovalue", "0"}, Number: true},
	{Name: "-lag", Refused: "the boundary does not move: leave it out"},
	{Name: "-opnbdy", Refused: "groups inside the mesh stay where they are: leave it out"},
	{Name: "-nreg", Refused: "normals are not regularised: leave it out"},
	{Name: "-xreg", Refused: "the boundary is not regularised: leave it out"},
	{Name: "-nsd", Refused: "all materials are kept: leave it out"},
	{Name: "-lssurf", Refused: "the boundary is not cut alone: -ls cuts cells"},
	{Name: "-rmc", Refused: "small parts on a side of the level are kept: leave it out"},
	{Name: "-3dMedit", Refused: "the output mesh has the dimension of the input mesh: leave it out"},
	{Name: "-f", Refused: "there are no parameters of single references; a metric may be an expression over x, y and z"},
	{Name: "-rn", Refused: "vertices are numbered in the order of their creation; atoll mesh reorders them"},
	{Name: "-val", Refused: defaults},
	{Name: "-default", Refused: defaults},
}

const defaults = "atoll adapt --help shows the default of each flag"
