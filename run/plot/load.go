package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
	"github.com/atoll-hpc/atoll/run/plot/places"
	"github.com/atoll-hpc/atoll/run/plot/relief"
	"github.com/atoll-hpc/atoll/solvers"
)

// Cell types of VTK.
const (
	vertexCell   = 1
	edgeCell     = 3
	triangleCell = 5
)

// frameData is the data of a frame to draw.
type frameData struct {
	x, y   []float64
	cells  [][3]int32
	axes   chart.Axes
	fields []field
	rank   []int32 // nil if the frame has no ranks
	legend chart.Legend
	named  []chart.NamedLine // groups of edges
	lines  [][4]float64
	arrows *chart.Arrows // nil for none
	count  int           // number of cells; a cell of a grid is two triangles in cells
	slice  string        // position of the slice, for titles; "" for none

	relief []float64 // see relief.Shade

	// For views in space: tetrahedra, or a grid whose exterior is drawn.
	solid *mesh.Solid
	grid  *vtk.Image
}

// field is a cell field with one value per cell.
type field struct {
	name, label string
	values      []float64
	dry         []bool      // dry cells; nil for none
	offScale    []bool      // cells that do not influence the scale, dry ones and films; nil for none
	span        *[2]float64 // declared range of the colour bar; nil for the range of values
}

// drawField draws a field of a frame.
func (r *runner) drawField(d *frameData, f *field, title string, s *span) (*figure.Figure, error) {
	c := r.colouring(f, s)
	if d.solid != nil {
		return d.solidView(f, c, title, r.options.Page)
	}
	m := &chart.Map{Page: r.options.Page, Colouring: c, Title: title, Axes: d.axes, X: d.x, Y: d.y, Cells: d.cells,
		Values: f.values, Dry: f.dry, Relief: d.relief, OffScale: f.offScale, Edges: r.options.Edges, Lines: d.lines,
		Isolines: r.options.Isolines, Arrows: d.arrows}
	if d.slice == "" && len(r.places) > 0 {
		m.Over = func(on *chart.Canvas) { places.Draw(on, r.places) }
	}
	r.findBeyond(f.name, m)
	return m.Draw()
}

// drawPartition draws which rank owns which cells; in space as an exterior view.
func (d *frameData) drawPartition(title string, p chart.Page) (*figure.Figure, error) {
	if d.solid != nil || d.grid != nil {
		return d.exteriorView(title, p)
	}
	return (&chart.Partition{Page: p, Title: title, Axes: d.axes, X: d.x, Y: d.y, Cells: d.cells, Rank: d.rank}).Draw()
}

// load reads the triangles or tetrahedra of a file, or the cells of a grid, with the fields to draw.
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
		return nil, fmt.Errorf("%s: slice %v: slices need a mesh in space, and these triangles are in the plane", path,
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
		return nil, fmt.Errorf("%s: the file has no triangles to draw", path)
	}
	x, y := relief.InMetres(r.runCase, d.x, d.y)
	d.relief = relief.Of(g.CellData, triangles, x, y, d.cells)
	return d, r.addFields(d, path, g.CellData, triangles, 0, 1)
}

// addFields adds the cell arrays to draw, for some of the cells in their order. across and up are the axes of the
// picture.
func (r *runner) addFields(d *frameData, path string, data vtk.Arrays, cells []int, across, up int) (err error) {
	anyDeclared := false
	for _, a := range data {
		switch a.Name {
		case "rank":
			addUnique(&r.fields, a.Name)
			if d.rank, err = ranks(a, cells); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		case "cell", "physical":
			// Ids are not fields.
		default:
			addUnique(&r.fields, a.Name)
			declared, _, ok := solvers.FieldOf(a.Name)
			anyDeclared = anyDeclared || ok
			// Fields that are only there for restarts, such as interface planes, are drawn on request only.
			if wants(r.options.Fields, a.Name) || len(r.options.Fields) == 0 && !declared.OnRequest {
				d.fields = append(d.fields, r.newField(data, a, cells))
			}
		}
	}
	d.axes = axes(across, up, anyDeclared || r.runCase != nil)
	if r.runCase != nil && epsg.Geographic(r.runCase.EPSG()) {
		d.axes, r.options.Page.Earth = chart.Axes{"longitude", "latitude"}, true
	}
	if len(r.options.Arrows) > 0 {
		if d.arrows, err = r.arrowVectors(data, cells, across, up); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// axes returns the names of two axes, with the unit m if the file is from a solver.
func axes(across, up int, meters bool) chart.Axes {
	a := chart.Axes{string("xyz"[across]), string("xyz"[up])}
	if meters {
		a[0], a[1] = a[0]+" (m)", a[1]+" (m)"
	}
	return a
}

// newField returns the values of an array for some cells; of an array with several components, the lengths of the
// vectors.
func (r *runner) newField(data vtk.Arrays, a vtk.Array, cells []int) field {
	f := field{name: a.Name, label: withUnit(a.Name), values: make([]float64, len(cells)), span: rangeOf(a.Name)}
	numbers, width := a.Float64s(), max(a.Components, 1)
	for i, c := range cells {
		tuple := numbers[c*width : (c+1)*width]
		f.values[i] = tuple[0]
		if width > 1 {
			f.values[i] = vectorLength(tuple)
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
	if mask, _, _ := solvers.FieldOf(declared.Mask); !ok && mask.MaskOptional {
		return f
	}
	if !ok || depth.Components > 1 {
		r.addNote("%s: cells cannot be masked, because the frames lack field %q: add it to [output] fields", a.Name,
			declared.Mask)
		return f
	}
	r.dryCells(&f, depth.Float64s(), cells, a.Name == declared.Mask, r.dryThreshold(declared.Mask))
	return f
}

// arrowVectors returns the arrows: the components of one field along the axes of the picture, or two fields.
func (r *runner) arrowVectors(data vtk.Arrays, cells []int, across, up int) (*chart.Arrows, error) {
	names := r.options.Arrows
	a := &chart.Arrows{Name: strings.Join(names, ", "), Unit: unitOf(names[0])}
	var components [2][]float64
	for k, axis := range [2]int{across, up} {
		name := names[min(k, len(names)-1)]
		array, ok := data.Find(name)
		width := max(array.Components, 1)
		switch {
		case !ok:
			hint := ""
			if _, _, known := solvers.FieldOf(name); known {
				hint = "; add it to [output] fields of the case"
			}
			return nil, fmt.Errorf("no field %q for arrows; there are %s%s", name, strings.Join(namesOf(data), ", "), hint)
		case len(names) > 2 || len(names) == 2 && width > 1:
			return nil, fmt.Errorf("arrows of %q: want one field with several components, or two fields with one", names)
		case len(names) == 1 && width <= axis:
			return nil, fmt.Errorf("field %q has no component along %c: for arrows name two fields, such as u,v", name,
				"xyz"[axis])
		case len(names) == 2:
			axis = 0
		}
		values := array.Float64s()
		for _, c := range cells {
			components[k] = append(components[k], values[c*width+axis])
		}
	}
	a.U, a.V = components[0], components[1]
	return a, nil
}

func namesOf(data vtk.Arrays) (names []string) {
	for _, a := range data {
		names = append(names, a.Name)
	}
	return names
}

func vectorLength(tuple []float64) float64 {
	l := 0.0
	for _, v := range tuple {
		l = math.Hypot(l, v)
	}
	return l
}

func ranks(a vtk.Array, cells []int) ([]int32, error) {
	numbers, ok := a.Int64s()
	if !ok || a.Components > 1 {
		return nil, fmt.Errorf("the cell array \"rank\" has %T in tuples of %d, want single integers",
			a.Data, a.Components)
	}
	rank := make([]int32, len(cells))
	for i, c := range cells {
		if numbers[c] < 0 || numbers[c] > math.MaxInt32 {
			return nil, fmt.Errorf("cell %d has rank %d, want 0 or more", c, numbers[c])
		}
		rank[i] = int32(numbers[c])
	}
	return rank, nil
}
