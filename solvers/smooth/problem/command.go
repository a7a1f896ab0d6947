package problem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/solvers"
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
	Flags:   flags(),
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
var keys = []struct{ flag, key, usage string }{
	{"metric", "metric.field", "required sizes: implied (those of the cells of IN), uniform, linear, sinusoidal, " +
		"ugawg-linear; or give expressions (implied)"},
	{"low", "metric.low", "of linear: size at the lower left; of sinusoidal: the smallest size"},
	{"high", "metric.high", "of linear: size at the upper right; of sinusoidal: the largest size"},
	{"waves", "metric.waves", "of sinusoidal: number of periods across the mesh (1)"},
	{"width", "metric.width", "width of cells, along x, an expression over x, y and z"},
	{"height", "metric.height", "height of cells, along y, an expression"},
	{"depth", "metric.depth", "depth of tetrahedra, along z, an expression"},
	{"angle", "metric.angle", "degrees from the x axis to the direction of the width, around z, an expression"},
	{"m11", "metric.m11", "a component of the metric, an expression; with m12 and m22, and in space m13, m23 and m33"},
	{"m12", "metric.m12", "a component of the metric, an expression (0)"},
	{"m22", "metric.m22", "a component of the metric, an expression"},
	{"m13", "metric.m13", "a component of the metric, for tetrahedra (0)"},
	{"m23", "metric.m23", "a component of the metric, for tetrahedra (0)"},
	{"m33", "metric.m33", "a component of the metric, for tetrahedra"},
	{"sol", "metric.solution", "Medit file (.sol, .solb) of sizes or tensors at the vertices of IN"},
	{"met", "metric.solution", "Mmg's name of --sol"},
	{"background", "metric.background", "mesh that --sol belongs to (IN)"},
	{"hessian", "metric.hessian", "field whose second derivatives the metric follows: an expression, or " +
		"{mesh='NAME'} of IN's data"},
	{"also", "metric.also", "another field besides --hessian: sizes are no larger than either field requires"},
	{"norm", "metric.norm", "p of the Lp norm of the interpolation errors of the fields of --hessian and --also (2)"},
	{"curvature", "metric.curvature", "lower bound of the second derivatives of the fields of --hessian and --also, as " +
		"a share of the largest; smaller ones are raised to it (0.003)"},
	{"rounds", "metric.rounds", "number of recoveries of the second derivatives, each on the smoothed mesh of the one " +
		"before (3; for data of IN 1)"},
	{"hmin", "metric.hmin", "smallest size, before rescaling"},
	{"hmax", "metric.hmax", "largest size, before rescaling"},
	{"aspect", "metric.aspect", "largest ratio of the sizes at a position"},
	{"gradation", "metric.gradation", "largest growth factor of sizes per unit of length in the metric, such as 1.3"},
	{"hgrad", "metric.gradation", "Mmg's name of --gradation"},
	{"samples", "metric.samples", "nodes per side of the grid on which expressions are evaluated, a power of two; 0: " +
		"they are evaluated at the vertices of IN (512; of tetrahedra 64; 0 if --gradation is given)"},
	{"rescale", "metric.rescale", "scale the metric so that it requires as many cells as the mesh has (true)"},
	{"smoother", "method.smoother", "barrier, hybrid, fjp, smart, pain-exact or pain (barrier)"},
	{"sweeps", "method.sweeps", "maximum number of sweeps (200 of barrier, 100 of other smoothers)"},
	{"relax", "method.relax", "relaxation factor, above 0 and below 2 (barrier: by the number of vertices; pain 0.5; " +
		"others 1)"},
	{"guard", "method.guard", "how pain and pain-exact avoid inverted cells: none, halve or clip (halve)"},
	{"boundary", "method.boundary", "vertices of the boundary: slide (along the boundary) or fixed (slide)"},
	{"ridge", "method.ridge", "angle in degrees: edges and corners at which the boundary turns by more are kept (45); " +
		"0 does not move vertices of curved boundaries"},
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
}

func flags() (list []solvers.Flag) {
	for _, k := range keys {
		list = append(list, solvers.Flag{Name: k.flag, Key: k.key, Usage: k.usage, Switch: k.flag == "force"})
	}
	return list
}

// caseOf makes the case of arguments and flags.
func caseOf(in, out string, flag func(string) (value string, given bool)) (*config.Case, error) {
	if err := meshio.Writable(out); err != nil {
		return nil, err
	}
	if err := atomicfile.CheckWritable(out); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(in)
	if err != nil {
		return nil, err
	}
	file, err := quoted(path)
	if err != nil {
		return nil, err
	}
	sets := []string{"mesh.file=" + file}
	metric := false
	for _, k := range keys {
		if value, given := flag(k.flag); given {
			if k.flag == "sol" || k.flag == "background" {
				if value, err = filepath.Abs(value); err != nil {
					return nil, err
				}
				if value, err = quoted(value); err != nil {
					return nil, err
				}
			}
			if k.flag == "hgrad" && value == "-1" { // as in Mmg, no gradation
				value = "0"
			}
			sets = append(sets, k.key+"="+number(value))
			metric = metric || strings.HasPrefix(k.key, "metric.") &&
				!slices.Contains([]string{"rescale", "samples", "hmin", "hmax", "aspect", "gradation", "hgrad"},
					k.flag)
		}
	}
	if !metric {
		sizes, err := sizesOf(path)
		if err != nil {
			return nil, err
		}
		if sizes != "" {
			sets = append(sets, sizes)
		}
	}
	c, err := solvers.Parse(caseName(in)+".toml", []byte("solver = \"smooth\"\n"), sets)
	if err != nil {
		return nil, errors.New(inFlags(err.Error()))
	}
	return c, nil
}

// sizesOf returns the metric of a mesh beside which there is one: as in Mmg the solution file with the name of a Medit
// file; "" for none.
func sizesOf(path string) (string, error) {
	name, found := strings.TrimSuffix(path, filepath.Ext(path)), false
	if e := strings.ToLower(filepath.Ext(path)); e == ".mesh" || e == ".meshb" {
		for _, e := range []string{".sol", ".solb"} {
			if info, err := os.Stat(name + e); err == nil && info.Mode().IsRegular() {
				name, found = name+e, true
				break
			}
		}
	}
	if !found {
		return "", nil // the default of a case
	}
	file, err := quoted(name)
	return "metric.solution=" + file, err
}

// number formats a number in TOML, with a digit on either side of the point; other values are returned as they are.
func number(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err != nil || !strings.Contains(value, ".") {
		return value
	}
	sign, rest := "", value
	if strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		sign, rest = rest[:1], rest[1:]
	}
	whole, part, _ := strings.Cut(rest, ".")
	if part == "" || part[0] == 'e' || part[0] == 'E' {
		part = "0" + part
	}
	if whole == "" {
		whole = "0"
	}
	return sign + whole + "." + part
}

// quoted formats the name of a file as a TOML string.
func quoted(path string) (string, error) {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return "", fmt.Errorf("%q: file names in cases must be UTF-8 without control characters", path)
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, nil
}

// caseName makes a valid case name from the name of a mesh file.
func caseName(file string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_. ", r) {
			return r
		}
		return '-'
	}, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	if name = strings.Trim(name, ". "); name == "" || len(name) > 100 {
		return "mesh"
	}
	return name
}

// inFlags replaces keys by the flags that set them in messages.
func inFlags(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, k := range keys {
			table, name, _ := strings.Cut(k.key, ".")
			line = strings.ReplaceAll(line, "--set "+k.key+":", "--"+k.flag+":")
			line = strings.ReplaceAll(line, fmt.Sprintf("--set %s: [%s] %s:", table, table, name), "--"+k.flag+":")
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
