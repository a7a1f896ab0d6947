package plot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/mesh/vtk"
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
	fields []field
	rank   []int32 // nil if the frame does not say
	lines  [][4]float64
	count  int    // of cells, of which those of a grid are two triangles each
	slice  string // where a grid in space is cut; else empty
}

// field is one value a cell.
type field struct {
	name, label string
	values      []float64
	dry         []bool      // nil if it has no dry cells
	span        *[2]float64 // of its colour bar; nil for what the values span
}

// frames draws the chosen frames of a .pvd file.
func (r *runner) frames(path string) error {
	all, err := vtk.ReadPVD(path)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("%s: the series has no frame yet", path)
	}
	chosen := []int{r.options.Frame}
	switch n := r.options.Frame; {
	case n == AllFrames:
		chosen = chosen[:0]
		for i := range all {
			chosen = append(chosen, i)
		}
	case n == LastFrame:
		chosen[0] = len(all) - 1
	case n < 0 || n >= len(all):
		return fmt.Errorf("%s: there is no frame %d; the frames are 0 to %d", path, n, len(all)-1)
	}
	if isLines(all[0].File) {
		return r.surfaces(path, all, chosen)
	}
	if solid, err := isSolid(frameFile(path, all[chosen[0]])); err != nil || solid {
		if err == nil {
			err = r.solids(path, all, chosen)
		}
		return err
	}
	load := func(i int) (*frameData, error) { return r.load(frameFile(path, all[i])) }
	// Several frames can only be compared by one colour bar: a first pass finds what it must span.
	spans := map[string]*[2]float64{}
	if len(chosen) > 1 {
		for _, i := range chosen {
			d, err := load(i)
			if err != nil {
				return err
			}
			for _, f := range d.fields {
				lo, hi := (&Map{Values: f.values, Dry: f.dry}).extent()
				if s := spans[f.name]; s == nil {
					spans[f.name] = &[2]float64{lo, hi}
				} else {
					*s = [2]float64{math.Min(s[0], lo), math.Max(s[1], hi)}
				}
			}
		}
		for _, s := range spans {
			if s[0] < 0 && s[1] > 0 {
				s[1] = math.Max(-s[0], s[1])
				s[0] = -s[1]
			}
		}
	}
	name := strings.TrimSuffix(filepath.Base(path), ".pvd")
	for k, i := range chosen {
		d, err := load(i)
		if err != nil {
			return err
		}
		if err := r.draw(d, name, i, all[i].Time, spans, k == 0); err != nil {
			return fmt.Errorf("%s: frame %d: %w", path, i, err)
		}
	}
	if len(all) < 2 || r.options.Field != "" && rangeOf(r.options.Field) == nil {
		return nil
	}
	first, err := load(0)
	if err != nil || first.compared() < 0 {
		return err
	}
	last, err := load(len(all) - 1)
	if err != nil {
		return err
	}
	end := all[len(all)-1].Time
	return r.panels(name, first, last, [2]string{name + ": before", name + ": " + last.moment(end)})
}

// frameFile is where the frame of a series is.
func frameFile(series string, f vtk.Frame) string {
	if filepath.IsAbs(f.File) {
		return f.File
	}
	return filepath.Join(filepath.Dir(series), f.File)
}

// draw draws the fields of a frame, and the partition if asked to.
func (r *runner) draw(
	d *frameData, name string, frame int, time float64, spans map[string]*[2]float64, partition bool,
) error {
	for _, f := range d.fields {
		span := f.span
		if span == nil {
			span = spans[f.name]
		}
		m := &Map{
			X: d.x, Y: d.y, Cells: d.cells, Values: f.values, Dry: f.dry,
			Title: fmt.Sprintf("%s: %s%s, %s", name, f.name, d.slice, d.moment(time)), Label: f.label,
			Range: span, Edges: r.options.Edges, Lines: d.lines, Width: r.options.Width,
		}
		img, err := m.Draw()
		if err != nil {
			return err
		}
		if err := r.save(fmt.Sprintf("%s-%s-%04d", name, f.name, frame), img); err != nil {
			return err
		}
	}
	if !partition || d.rank == nil || r.options.Field != "" && r.options.Field != "rank" {
		return nil
	}
	p := &Partition{X: d.x, Y: d.y, Cells: d.cells, Rank: d.rank, Width: r.options.Width,
		Title: fmt.Sprintf("%s: partition of %d cells%s", name, d.count, d.slice)}
	img, err := p.Draw()
	if err != nil {
		return err
	}
	return r.save(name+"-partition", img)
}

// load reads the triangles of a file, or the cells of a grid, and the fields to draw on them.
func (r *runner) load(path string) (*frameData, error) {
	if isImage(path) {
		return r.loadImage(path)
	}
	g, err := vtk.Read(path)
	if err != nil {
		return nil, err
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
	for _, a := range g.CellData {
		switch a.Name {
		case "rank":
			r.note(a.Name)
			if d.rank, err = ranks(a, triangles); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		case "cell", "physical":
			// Ids are not fields.
		default:
			r.note(a.Name)
			if r.options.Field == "" || r.options.Field == a.Name {
				d.fields = append(d.fields, r.field(g, a, triangles))
			}
		}
	}
	return d, nil
}

// note records that a field is there.
func (r *runner) note(name string) {
	if !slices.Contains(r.fields, name) {
		r.fields = append(r.fields, name)
	}
	r.fieldFound = r.fieldFound || name == r.options.Field
}

// field takes out of an array the values of the triangles: the length of tuples of several components.
func (r *runner) field(g *vtk.Grid, a vtk.Array, triangles []int) field {
	f := field{name: a.Name, label: withUnit(a.Name), values: make([]float64, len(triangles))}
	all, width := a.Float64s(), max(a.Components, 1)
	for i, c := range triangles {
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
	depth, ok := g.CellData.Find(declared.Where)
	if !ok || depth.Components > 1 {
		return f
	}
	h := depth.Float64s()
	for i, c := range triangles {
		if h[c] <= r.options.Dry {
			if f.dry == nil {
				f.dry = make([]bool, len(triangles))
			}
			f.dry[i] = true
		}
	}
	return f
}

func length(tuple []float64) float64 {
	l := 0.0
	for _, v := range tuple {
		l = math.Hypot(l, v)
	}
	return l
}

func ranks(a vtk.Array, triangles []int) ([]int32, error) {
	all, ok := a.Int64s()
	if !ok || a.Components > 1 {
		return nil, fmt.Errorf("the cell array \"rank\" holds %T in tuples of %d; ranks are single integers",
			a.Data, a.Components)
	}
	rank := make([]int32, len(triangles))
	for i, c := range triangles {
		if all[c] < 0 || all[c] > math.MaxInt32 {
			return nil, fmt.Errorf("cell %d belongs to rank %d", c, all[c])
		}
		rank[i] = int32(all[c])
	}
	return rank, nil
}
