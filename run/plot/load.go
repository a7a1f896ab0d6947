package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/solvers"
)

// VTK's numbers for the cells of a mesh.
const (
	vertexCell   = 1
	edgeCell     = 3
	triangleCell = 5
)

// frameData is what one frame of a run holds for drawing.
type frameData struct {
	x, y   []float64
	cells  [][3]int32
	axes   chart.Axes
	fields []field
	rank   []int32 // nil if the frame does not say
	legend chart.Legend
	lines  [][4]float64
	arrows *chart.Arrows // nil if none are asked for
	count  int           // of cells, of which those of a grid are two triangles each
	slice  string        // where a mesh or a grid in space is cut; else empty

	// In space: the tetrahedra, whose fields are not cut; the grid, from outside.
	solid *mesh.Solid
	grid  *vtk.Image
}

// field is one value a cell.
type field struct {
	name, label string
	values      []float64
	dry         []bool      // nil if it has no dry cells
	apart       []bool      // cells that do not set the scale: dry ones and films; nil for none
	span        *[2]float64 // of its colour bar; nil for what the values span
}

// picture draws a field of a frame.
func (r *runner) picture(d *frameData, f *field, title string, s *span) (*figure.Figure, error) {
	c := r.colouring(f, s)
	if d.solid != nil {
		return d.solidView(f, c, title, r.options.Page)
	}
	m := &chart.Map{Page: r.options.Page, Colouring: c, Title: title, Axes: d.axes, X: d.x, Y: d.y, Cells: d.cells,
		Values: f.values, Dry: f.dry, Apart: f.apart, Edges: r.options.Edges, Lines: d.lines, Isolines: r.options.Isolines,
		Arrows: d.arrows}
	return m.Draw()
}

// partition draws which rank has which cells: in space from outside.
func (d *frameData) partition(title string, p chart.Page) (*figure.Figure, error) {
	if d.solid != nil || d.grid != nil {
		return d.outside(title, p)
	}
	return (&chart.Partition{Page: p, Title: title, Axes: d.axes, X: d.x, Y: d.y, Cells: d.cells, Rank: d.rank}).Draw()
}

// load reads the triangles or tetrahedra of a file, or the cells of a grid, and the fields to draw on them.
func (r *runner) load(path string) (*frameData, error) {
	if isImage(path) {
		return r.loadImage(path)
	}
	g, err := vtk.Read(path)
	if err != nil {
		return nil, err
	}
	if slices.Contains(g.Types, tetrahedronCell) {
		return r.loadSolid(path)
	}
	if r.options.Slice != nil {
		return nil, fmt.Errorf("%s: a slice, %v, is of what lies in space, and these are triangles of the plane", path,
			r.options.Slice)
	}
	d := &frameData{x: make([]float64, len(g.Points)/3), y: make([]float64, len(g.Points)/3)}
	for i := range d.x {
		d.x[i], d.y[i] = g.Points[3*i], g.Points[3*i+1]
	}
	var triangles []int
	for i, t := range g.Types {
		c := g.Cell(i)
		switch {
		case t == vertexCell || t == edgeCell: // no area
		case t == triangleCell && len(c) == 3 && len(d.x) <= math.MaxInt32:
			triangles = append(triangles, i)
			d.cells = append(d.cells, [3]int32{int32(c[0]), int32(c[1]), int32(c[2])})
		default:
			return nil, fmt.Errorf("%s: cell %d is of VTK type %d with %d points; only triangles can be drawn", path, i, t,
				len(c))
		}
	}
	d.count = len(triangles)
	if d.count == 0 {
		return nil, fmt.Errorf("%s: there is no triangle to draw", path)
	}
	return d, r.take(d, path, g.CellData, triangles, 0, 1)
}

// take takes from cell arrays what is to be drawn on some of the cells, in their order; across and up are the axes of
// the picture.
func (r *runner) take(d *frameData, path string, data vtk.Arrays, cells []int, across, up int) (err error) {
	known := false
	for _, a := range data {
		switch a.Name {
		case "rank":
			note(&r.fields, a.Name)
			if d.rank, err = ranks(a, cells); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		case "cell", "physical":
			// Ids are not fields.
		default:
			note(&r.fields, a.Name)
			declared, _, ok := solvers.FieldOf(a.Name)
			known = known || ok
			// What is kept to continue from, as the planes in cells of a grid, is drawn if asked for.
			if wants(r.options.Fields, a.Name) || len(r.options.Fields) == 0 && !declared.OnRequest {
				d.fields = append(d.fields, r.field(data, a, cells))
			}
		}
	}
	d.axes = axes(across, up, known || r.of != nil)
	if len(r.options.Arrows) > 0 {
		if d.arrows, err = r.vectors(data, cells, across, up); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// axes names two axes, in meters as all that solvers write.
func axes(across, up int, meters bool) chart.Axes {
	a := chart.Axes{string("xyz"[across]), string("xyz"[up])}
	if meters {
		a[0], a[1] = a[0]+" (m)", a[1]+" (m)"
	}
	return a
}

// field takes out of an array the values of cells: the length of tuples of several components.
func (r *runner) field(data vtk.Arrays, a vtk.Array, cells []int) field {
	f := field{name: a.Name, label: withUnit(a.Name), values: make([]float64, len(cells)), span: rangeOf(a.Name)}
	all, width := a.Float64s(), max(a.Components, 1)
	for i, c := range cells {
		tuple := all[c*width : (c+1)*width]
		f.values[i] = tuple[0]
		if width > 1 {
			f.values[i] = length(tuple)
		}
	}
	if width > 1 {
		f.label = "|" + a.Name + "|" + strings.TrimPrefix(f.label, a.Name)
	}
	declared, _, _ := solvers.FieldOf(a.Name)
	if declared.Mask == "" {
		return f
	}
	depth, ok := data.Find(declared.Mask)
	if !ok || depth.Components > 1 {
		r.tell("%s: where there is none cannot be told apart, as frames do not hold %q: add it to fields in [output]", a.Name,
			declared.Mask)
		return f
	}
	r.dryCells(&f, depth.Float64s(), cells, a.Name == declared.Mask, r.least(declared.Mask))
	return f
}

// vectors takes out the arrows: of a field of several components those along the axes of the picture, or two fields.
func (r *runner) vectors(data vtk.Arrays, cells []int, across, up int) (*chart.Arrows, error) {
	of := r.options.Arrows
	a := &chart.Arrows{Name: strings.Join(of, ", "), Unit: unitOf(of[0])}
	var parts [2][]float64
	for k, axis := range [2]int{across, up} {
		name := of[min(k, len(of)-1)]
		array, ok := data.Find(name)
		width := max(array.Components, 1)
		switch {
		case !ok:
			hint := ""
			if _, _, known := solvers.FieldOf(name); known {
				hint = "; a case writes what its [output] fields name"
			}
			return nil, fmt.Errorf("no field %q for arrows; there are %s%s", name, strings.Join(namesOf(data), ", "), hint)
		case len(of) > 2 || len(of) == 2 && width > 1:
			return nil, fmt.Errorf("arrows of %q: give one field of several components, or two of one", of)
		case len(of) == 1 && width <= axis:
			return nil, fmt.Errorf("field %q has no component along %c: for arrows give two fields, as in u,v", name,
				"xyz"[axis])
		case len(of) == 2:
			axis = 0
		}
		values := array.Float64s()
		for _, c := range cells {
			parts[k] = append(parts[k], values[c*width+axis])
		}
	}
	a.U, a.V = parts[0], parts[1]
	return a, nil
}

func namesOf(data vtk.Arrays) (names []string) {
	for _, a := range data {
		names = append(names, a.Name)
	}
	return names
}

func length(tuple []float64) float64 {
	l := 0.0
	for _, v := range tuple {
		l = math.Hypot(l, v)
	}
	return l
}

func ranks(a vtk.Array, cells []int) ([]int32, error) {
	all, ok := a.Int64s()
	if !ok || a.Components > 1 {
		return nil, fmt.Errorf("the cell array \"rank\" holds %T in tuples of %d; ranks are single integers",
			a.Data, a.Components)
	}
	rank := make([]int32, len(cells))
	for i, c := range cells {
		if all[c] < 0 || all[c] > math.MaxInt32 {
			return nil, fmt.Errorf("cell %d belongs to rank %d", c, all[c])
		}
		rank[i] = int32(all[c])
	}
	return rank, nil
}
