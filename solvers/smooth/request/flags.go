package request

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

// Key is a flag of a command, the key of the case that it sets, such as metric.hmin, and the usage of the flag.
type Key [3]string

// MetricKeys are the keys of [metric] that all commands have as flags.
var MetricKeys = []Key{
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
		"a share of the largest; smaller ones are raised to it (of adapt 1e-5, of smooth 0.003)"},
	{"rounds", "metric.rounds", "number of recoveries of the second derivatives, each on the mesh that the one " +
		"before has given (3; for data of IN 1)"},
	{"hmin", "metric.hmin", "smallest size, before the metric is scaled"},
	{"hmax", "metric.hmax", "largest size, before the metric is scaled"},
	{"aspect", "metric.aspect", "largest ratio of the sizes at a position"},
	{"gradation", "metric.gradation", "largest growth factor of sizes per unit of length in the metric, such as 1.3"},
	{"hgrad", "metric.gradation", "Mmg's name of --gradation"},
}

// Flags returns the flags of a command.
func Flags(keys []Key) (list []solvers.Flag) {
	for _, k := range keys {
		list = append(list, solvers.Flag{Name: k[0], Key: k[1], Usage: k[2], Switch: k[0] == "force"})
	}
	return list
}

// levelFile is the key of the file of a function; a file with the name of the mesh is then not its metric.
const levelFile = "method.level_file"

// CaseOf makes the case of a command that reads the mesh `in` and writes `out`, from flags that set keys. parse decodes
// the case with these overrides.
func CaseOf(in, out string, keys []Key, flag func(string) (value string, given bool),
	parse func(path string, sets []string) (*config.Case, error)) (*config.Case, error) {
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
		if value, given := flag(k[0]); given {
			if k[0] == "sol" || k[0] == "background" || k[1] == levelFile {
				if value, err = filepath.Abs(value); err != nil {
					return nil, err
				}
				if value, err = quoted(value); err != nil {
					return nil, err
				}
			}
			if k[0] == "hgrad" && value == "-1" { // as in Mmg, no gradation
				value = "0"
			}
			sets = append(sets, k[1]+"="+number(value))
			metric = metric || k[1] == levelFile || strings.HasPrefix(k[1], "metric.") &&
				!slices.Contains([]string{"rescale", "samples", "target", "hmin", "hmax", "aspect", "gradation", "hgrad"},
					k[0])
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
	c, err := parse(caseName(in)+".toml", sets)
	if err != nil {
		return nil, errors.New(inFlags(err.Error(), keys))
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
func inFlags(text string, keys []Key) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		for _, k := range keys {
			table, name, _ := strings.Cut(k[1], ".")
			line = strings.ReplaceAll(line, "--set "+k[1]+":", "--"+k[0]+":")
			line = strings.ReplaceAll(line, fmt.Sprintf("--set %s: [%s] %s:", table, table, name), "--"+k[0]+":")
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
