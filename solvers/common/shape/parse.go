package shape

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/config/expr"
)

// primitive is a shape that is given by numbers.
type primitive struct {
	dim   int    // 2 or 3; 0 for both
	names string // of the numbers
	make  func(v []float64) (Body, error)
}

// primitives are the shapes that a case can name, with a form for each dimension.
var primitives = map[string][]primitive{
	"circle": {{2, "x, y, radius", func(v []float64) (Body, error) {
		return Ball(v[0], v[1], 0, v[2]), positive("the radius", v[2])
	}}},
	"sphere": {{3, "x, y, z, radius", func(v []float64) (Body, error) {
		return Ball(v[0], v[1], v[2], v[3]), positive("the radius", v[3])
	}}},
	"ellipse": {{2, "x, y, a, b", func(v []float64) (Body, error) {
		return Ellipsoid(v[0], v[1], 0, v[2], v[3], v[3])
	}}},
	"ellipsoid": {{3, "x, y, z, a, b, c", func(v []float64) (Body, error) {
		return Ellipsoid(v[0], v[1], v[2], v[3], v[4], v[5])
	}}},
	"box": {
		{2, "x0, y0, x1, y1", func(v []float64) (Body, error) {
			far := math.Abs(v[2]-v[0]) + math.Abs(v[3]-v[1])
			return Box([3]float64{v[0], v[1], -far}, [3]float64{v[2], v[3], far})
		}},
		{3, "x0, y0, z0, x1, y1, z1", func(v []float64) (Body, error) {
			return Box([3]float64(v[:3]), [3]float64(v[3:]))
		}},
	},
	"plane": {
		{2, "x, y, nx, ny", func(v []float64) (Body, error) { return HalfSpace(v[0], v[1], 0, v[2], v[3], 0) }},
		{3, "x, y, z, nx, ny, nz", func(v []float64) (Body, error) {
			return HalfSpace(v[0], v[1], v[2], v[3], v[4], v[5])
		}},
	},
	"cylinder": {{3, "x, y, z, radius, axis (0, 1 or 2)", func(v []float64) (Body, error) {
		if v[4] != 0 && v[4] != 1 && v[4] != 2 {
			return Body{}, fmt.Errorf("the axis is %g; it must be 0, 1 or 2", v[4])
		}
		b, err := Cylinder(v[0], v[1], v[2], v[3], int(v[4]))
		if err == nil {
			err = positive("the radius", v[3])
		}
		return b, err
	}}},
	"torus": {{3, "x, y, z, ring radius, tube radius", func(v []float64) (Body, error) {
		err := positive("the ring radius", v[3])
		if err == nil {
			err = positive("the tube radius", v[4])
		}
		return Torus(v[0], v[1], v[2], v[3], v[4]), err
	}}},
	"slotted-disk": {{0, "x, y, radius, slot width, y of the slot's end", func(v []float64) (Body, error) {
		err := positive("the radius", v[2])
		if err == nil {
			err = positive("the width", v[3])
		}
		return SlottedDisk(v[0], v[1], v[2], v[3], v[4]), err
	}}},
}

func positive(what string, v float64) error {
	if v > 0 {
		return nil
	}
	return fmt.Errorf("%s is %g; it must be above 0", what, v)
}

// combinations are the operations on shapes. They have at least one operand.
var combinations = map[string]func(bodies []Body) (Body, error){
	"union":        func(b []Body) (Body, error) { return Union(b...), nil },
	"intersection": func(b []Body) (Body, error) { return Intersection(b...), nil },
	"difference": func(b []Body) (Body, error) {
		if len(b) != 2 {
			return Body{}, fmt.Errorf("takes 2 shapes, not %d", len(b))
		}
		return Difference(b[0], b[1]), nil
	},
	"complement": func(b []Body) (Body, error) {
		if len(b) != 1 {
			return Body{}, fmt.Errorf("takes 1 shape, not %d", len(b))
		}
		return Complement(b[0]), nil
	},
}

// maxShapes is the largest depth of nested shapes.
const maxShapes = 32

// Parse makes the body that a text describes in dim dimensions: a shape with its numbers, stl(FILE), a combination of
// shapes, or an expression over x, y and z that is negative inside. In the plane the body in a file is its section at
// z = 0. If an expression could not be evaluated at some
// point, failed returns the error after the evaluation. path returns the path of a file that the text names; if it is
// nil no file is read, and the body must not be evaluated.
func Parse(text string, dim int, path func(file string) string) (b Body, failed func() error, err error) {
	r := &shapeReader{dim: dim, path: path}
	if len(text) > expr.MaxLength {
		return b, nil, fmt.Errorf("has %d characters, more than %d", len(text), expr.MaxLength)
	}
	b, err = r.read(text, 0)
	return b, r.failures.Err, err
}

type shapeReader struct {
	dim      int
	path     func(file string) string
	failures expr.Failures // of evaluating expressions
}

func (r *shapeReader) read(text string, depth int) (Body, error) {
	if depth > maxShapes {
		return Body{}, fmt.Errorf("shapes are nested more than %d deep", maxShapes)
	}
	name, args, isCall := call(text)
	if forms, ok := primitives[name]; isCall && ok {
		return r.primitive(name, forms, args)
	}
	if isCall && name == "stl" {
		return r.stl(strings.TrimSpace(strings.Join(args, ",")))
	}
	combine, ok := combinations[name]
	if !isCall || !ok {
		return r.implicit(text)
	}
	var bodies []Body
	for _, a := range args {
		b, err := r.read(a, depth+1)
		if err != nil {
			return b, err
		}
		bodies = append(bodies, b)
	}
	b, err := combine(bodies)
	if err != nil {
		err = fmt.Errorf("%s %w", name, err)
	}
	return b, err
}

func (r *shapeReader) primitive(name string, forms []primitive, args []string) (Body, error) {
	i := slices.IndexFunc(forms, func(p primitive) bool { return p.dim == 0 || p.dim == r.dim })
	if i < 0 {
		return Body{}, fmt.Errorf("%s is a shape of %d dimensions, the grid has %d", name, forms[0].dim, r.dim)
	}
	want := strings.Count(forms[i].names, ", ") + 1
	if name == "cylinder" {
		want = 5 // the list explains the axis
	}
	if len(args) != want {
		return Body{}, fmt.Errorf("%s has %d numbers; write %s(%s)", name, len(args), name, forms[i].names)
	}
	numbers := make([]float64, len(args))
	for k, a := range args {
		n, err := strconv.ParseFloat(strings.TrimSpace(a), 64)
		if err != nil || n-n != 0 {
			return Body{}, fmt.Errorf("%s: %q is not a number; write %s(%s)", name, strings.TrimSpace(a), name,
				forms[i].names)
		}
		numbers[k] = n
	}
	b, err := forms[i].make(numbers)
	if err == nil {
		b.levels, err = levelsOfPrimitive(name, r.dim, numbers)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return b, err
}

// stl reads the body in a file.
func (r *shapeReader) stl(file string) (Body, error) {
	switch {
	case file == "":
		return Body{}, fmt.Errorf("stl has no file; write stl(FILE)")
	case r.path == nil:
		return Body{Phi: func(_, _, _ float64) float64 { return 1 }}, nil
	}
	b, err := STLFile(r.path(file))
	if err == nil && r.dim == 2 {
		b = b.Section(0)
	}
	for n, note := range b.Notes {
		b.Notes[n] = fmt.Sprintf("stl(%s): %s", file, note)
	}
	return b, err
}

func (r *shapeReader) implicit(text string) (Body, error) {
	p, err := expr.Compile(text)
	if err != nil {
		names := slices.Sorted(maps.Keys(primitives))
		names = append(append(names, "stl"), slices.Sorted(maps.Keys(combinations))...)
		return Body{}, fmt.Errorf("is not one of the shapes (%s), nor a valid expression: %w", strings.Join(names, ", "),
			err)
	}
	if p.Mentions("t") {
		return Body{}, fmt.Errorf("the expression %q depends on t; a shape depends on x, y and z only", text)
	}
	return Body{Phi: func(x, y, z float64) float64 { return r.value(p, x, y, z) },
		levels: levelsOf(p.Tree(), levelSet{eval: r.value, failures: &r.failures}), coarse: &coarse{}}, nil
}

// value evaluates an expression: 1 if that fails, or if a failure at a position before this one is known, which is the
// one to report.
func (r *shapeReader) value(p *expr.Program, x, y, z float64) float64 {
	if r.failures.Irrelevant(x, y, z) {
		return 1
	}
	v, err := p.Eval(x, y, z, 0)
	if err != nil {
		r.failures.Add(x, y, z, err)
		return 1
	}
	return v
}

// call splits name(args) at the commas that are not in inner parentheses.
func call(text string) (name string, args []string, ok bool) {
	text = strings.TrimSpace(text)
	open := strings.IndexByte(text, '(')
	if open < 0 || text[len(text)-1] != ')' {
		return "", nil, false
	}
	name = strings.TrimSpace(text[:open])
	depth, start := 0, open+1
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 && i < len(text)-1 {
				return "", nil, false
			}
		case ',':
			if depth == 1 {
				args = append(args, text[start:i])
				start = i + 1
			}
		}
	}
	return name, append(args, text[start:len(text)-1]), depth == 0
}

// stlCall matches a body from a file.
var stlCall = regexp.MustCompile(`\bstl\s*\(`)

// HasSTL reports whether a body from a file is among the shapes of a text.
func HasSTL(text string) bool { return stlCall.MatchString(text) }

// MixesSTL reports whether a body from a file is combined with other shapes, so that volume fractions are
// computed by subdividing cells.
func MixesSTL(text string) bool {
	name, _, isCall := call(text)
	return HasSTL(text) && !(isCall && name == "stl")
}
