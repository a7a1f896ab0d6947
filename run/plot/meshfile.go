package plot

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/meshio"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// IsMesh reports whether a file is a mesh, by the extension of its name.
func IsMesh(path string) bool {
	return slices.Contains([]string{".msh", ".vtu", ".mesh", ".meshb"}, strings.ToLower(filepath.Ext(path)))
}

// Names of fields that every mesh has.
const (
	qualityField = "quality"
	shapeField   = "shape"
	groupField   = "group"
)

// Meshes draws meshes of triangles or tetrahedra side by side: named cell fields, the quality of cells with a common
// histogram if requested, or by default the groups of cells. Pictures are written to the current folder, unless the
// options name another.
func Meshes(paths []string, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.isAnimation() {
		return nil, fmt.Errorf("an animation shows the frames of a run, not meshes")
	}
	o.Edges = true
	fields := o.Fields
	if o.Quality || o.Histogram && len(fields) == 0 {
		fields = append(fields, qualityField)
	}
	if len(fields) == 0 {
		fields = []string{groupField}
	}
	r := &runner{options: o}
	r.pictureWriter = pictureWriter{options: &r.options, defaultDir: "."}
	names := runNames(paths)
	for _, field := range fields {
		r.options.Fields = []string{field}
		if err := r.drawMeshes(paths, names, field); err != nil {
			return &r.Result, err
		}
	}
	r.noteBeyond()
	return &r.Result, r.finish()
}

// drawMeshes draws one field of several meshes.
func (r *runner) drawMeshes(paths, names []string, name string) error {
	var loaded []*frameData
	var sets []*field
	spans := map[string]*span{}
	for _, path := range paths {
		d, err := r.loadMesh(path)
		if err != nil {
			return err
		}
		if len(d.fields) == 0 && (name != groupField || d.rank == nil) {
			return fmt.Errorf("%s: no field %q of cells to draw; there are %s", path, name, strings.Join(r.fields, ", "))
		}
		d.widenSpans(spans)
		loaded = append(loaded, d)
		if len(d.fields) > 0 {
			sets = append(sets, &d.fields[0])
		}
	}
	file := strings.TrimSuffix(filepath.Base(paths[0]), filepath.Ext(paths[0]))
	if !r.options.Histogram {
		var row []*figure.Figure
		for k, d := range loaded {
			title := r.title(fmt.Sprintf("%s, %s%s", names[k], words.Count(d.count, "cell"), d.slice), name, "")
			r.options.Page.NoBar = k+1 < len(loaded)
			var picture *figure.Figure
			var err error
			if len(d.fields) == 0 {
				picture, err = r.drawGroups(d, title)
			} else {
				picture, err = r.drawField(d, &d.fields[0], title, spans[name])
			}
			if err != nil {
				return fmt.Errorf("%s: %w", paths[k], err)
			}
			row = append(row, picture)
		}
		output := file + "-" + name
		if len(paths) > 1 {
			output += "-beside"
		}
		if err := r.save(output, -1, figure.Stack([][]*figure.Figure{row})); err != nil {
			return err
		}
	}
	if len(sets) < len(paths) || !r.options.Histogram && (name != qualityField || r.options.Out != "") {
		return nil
	}
	title := fmt.Sprintf("%s of the cells of %s", name, strings.Join(names, " and "))
	if len(paths) == 1 {
		names = nil
	}
	return r.drawHistogram(file+"-"+name+"-histogram", -1, r.title(title, name, ""), sets, names)
}

// loadMesh reads a mesh, with the quality of its cells as a field and their groups as ranks.
func (r *runner) loadMesh(path string) (*frameData, error) {
	m, s, err := meshio.ReadAny(path)
	if err != nil {
		return nil, err
	}
	if s != nil {
		d, err := r.tetrahedralMesh(path, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return d, nil
	}
	if r.options.Slice != nil {
		return nil, fmt.Errorf("%s: slice %v: slices need a mesh in space, and these triangles are in the plane", path,
			r.options.Slice)
	}
	d := &frameData{x: m.X, y: m.Y, cells: m.Cells, count: len(m.Cells)}
	data, cells := vtk.Arrays{}, make([]int, len(m.Cells))
	quality := make([]float64, len(m.Cells))
	for c := range m.Cells {
		cells[c], quality[c] = c, m.Quality(c)
	}
	for name, values := range m.CellData {
		data = append(data, vtk.Array{Name: name, Components: 1, Data: values})
	}
	if err := r.addFields(d, path, withShape(data, quality), cells, 0, 1); err != nil {
		return nil, err
	}
	d.axes = axes(0, 1, false)
	d.rank, d.legend = make([]int32, len(m.Cells)), chart.Legend{Heading: groupField, Names: map[int32]string{0: "none"}}
	for c, g := range m.CellGroup {
		if d.rank[c] = g + 1; g >= 0 {
			d.legend.Names[g+1] = m.Groups[g].Name
		}
	}
	d.named = edgeGroups(m)
	return d, nil
}

// edgeGroups returns the groups of edges that have edges, in the order of the file.
func edgeGroups(m *mesh.Mesh) (lines []chart.NamedLine) {
	segments := map[int32][][4]float64{}
	for _, e := range m.Tagged {
		segments[e.Group] = append(segments[e.Group], [4]float64{m.X[e.A], m.Y[e.A], m.X[e.B], m.Y[e.B]})
	}
	for i, g := range m.Groups {
		if s := segments[int32(i)]; s != nil {
			lines = append(lines, chart.NamedLine{Name: g.Name, Segments: s})
		}
	}
	return lines
}

func (r *runner) tetrahedralMesh(path string, s *mesh.Solid) (*frameData, error) {
	quality := make([]float64, len(s.Cells))
	for c := range s.Cells {
		quality[c] = s.Quality(c)
	}
	if s.CellData == nil {
		s.CellData = map[string][]float64{}
	}
	delete(s.CellData, "rank")
	s.CellData[shapeField] = quality
	if _, ok := s.CellData[qualityField]; !ok {
		s.CellData[qualityField] = quality
	}
	groups := s.CellTag
	if r.options.Slice != nil || groups == nil {
		groups = make([]int32, len(s.Cells))
	}
	d, err := r.solidData(s)
	if err != nil {
		return nil, err
	}
	d.axes, d.rank = chart.Axes{d.axes[0][:1], d.axes[1][:1]}, groups
	d.legend = chart.Legend{Heading: groupField, Names: map[int32]string{0: "none"}}
	for _, g := range s.Groups {
		if g.Dim == 3 {
			d.legend.Names[int32(g.Tag)] = g.Name
		}
	}
	return d, nil
}

// withShape adds the shapes of cells to the fields: their qualities without a metric. They are the field "quality" too,
// unless the file has one, which is the quality in the metric to which the mesh was smoothed.
func withShape(data vtk.Arrays, shape []float64) vtk.Arrays {
	data = slices.DeleteFunc(data, func(a vtk.Array) bool { return a.Name == shapeField || a.Name == "rank" })
	slices.SortFunc(data, func(a, b vtk.Array) int { return strings.Compare(a.Name, b.Name) })
	data = append(vtk.Arrays{{Name: shapeField, Components: 1, Data: shape}}, data...)
	if _, ok := data.Find(qualityField); !ok {
		data = append(vtk.Arrays{{Name: qualityField, Components: 1, Data: shape}}, data...)
	}
	return data
}

// drawGroups draws the cells of each group in one colour, with the edges of all cells, and those of groups as lines.
func (r *runner) drawGroups(d *frameData, title string) (*figure.Figure, error) {
	if d.solid != nil {
		v := &chart.View{Page: r.options.Page, Title: title, Axes: axes3D(d.axes), Edges: true}
		cells, err := d.addBoundary(v, func(int) bool { return true })
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			v.Rank = append(v.Rank, d.rank[c])
		}
		v.Legend = d.legend
		return v.Draw()
	}
	p := &chart.Partition{Page: r.options.Page, Title: title, Axes: d.axes, X: d.x, Y: d.y, Cells: d.cells, Rank: d.rank,
		Legend: d.legend, Edges: true, Lines: d.named,
		Plain: len(d.named) > 0 && !slices.ContainsFunc(d.rank, func(g int32) bool { return g > 0 })}
	return p.Draw()
}
