// Package adaptation is the command atoll adapt: it reads a mesh, adapts it to the metric that its flags request, and
// writes it with its groups, materials and fields.
package adaptation

import (
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// sections are what the flags of the command say, in the form of a case.
type sections struct {
	File   string // of the mesh
	Metric request.Metric
	Method method
}

// method is the section [method]. Defaults follow the semicolons.
type method struct {
	Hausdorff float64 // largest distance of the lines that are read from the new edges; a thousandth of the diagonal
	Ridge     float64 // angle in degrees from which the boundary has a ridge or corner, which is kept; 45; 180: none
	Boundary  string  // free, or fixed: boundaries and interfaces stay as they are; free
	Conserve  string  // fields of cells whose integrals are kept: all, or names separated by commas; none
	Cuts      bool    // the mesh is cut where Level, or the function in LevelFile, has the value Isovalue
	Level     config.Field
	LevelFile string
	Isovalue  float64
}

// solverName is that of cases of the command.
const solverName = "adapt"

func decode(root *config.Section, c *config.Case) {
	w := &sections{}
	s := root.Sub("mesh")
	w.File = s.Text("file", config.Required)
	s.Finish()
	w.Metric = request.DecodeAdaptive(root.Sub("metric"))
	s = root.Sub("method")
	w.Method = method{
		Hausdorff: s.Number("hausdorff", config.NonNegative.Or(0)),
		Ridge:     s.Number("ridge", config.Bound{Most: 180, Optional: true, Fallback: 45}),
		Boundary:  s.Choice("boundary", "free", "free", "fixed"),
		Conserve:  s.Text("conserve", ""),
	}
	w.Method.decodeLevel(s)
	s.Finish()
	c.Sections = w
}

// Print prints the sections as in a case file.
func (w *sections) Print(p *config.Printer) {
	p.Section("[mesh]")
	p.Pair("file", w.File)
	w.Metric.Print(p)
	p.Section("[method]")
	p.Pair("hausdorff", w.Method.Hausdorff)
	p.Pair("ridge", w.Method.Ridge)
	p.Pair("boundary", w.Method.Boundary)
	p.Pair("conserve", w.Method.Conserve)
	p.Pair("isovalue", w.Method.Isovalue)
	p.Pair("level_file", w.Method.LevelFile)
	if w.Method.Cuts && w.Method.LevelFile == "" {
		p.Pair("level", w.Method.Level)
	}
}
