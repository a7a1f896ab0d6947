package swarm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/mesh/vtk"
	"github.com/atoll-hpc/atoll/run/summary"
)

// outcome is all that a run computed, by what it is and when: the state and the metrics at the end, the cells of tables
// by step or time and column, and hashes of frames by format, time and field. It does not depend on ranks.
type outcome map[string]string

// compare returns the first difference from the reference, which has all that any run writes. Values at the end come
// last: a row tells when the difference began.
func (o outcome) compare(reference outcome) error {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		want, found := reference[key]
		if !found {
			return fmt.Errorf("%s is %s, and the reference has none", key, o[key])
		}
		if o[key] != want {
			return fmt.Errorf("%s is %s, in the reference %s", key, o[key], want)
		}
	}
	return nil
}

// overRows is a metric that is defined as the largest value in the rows of conservation.csv.
const overRows = "escaped_max"

// outcomeOf reads the folder of a run. alone is true if it had one rank.
func outcomeOf(dir string, c *config.Case, s *summary.Summary, alone bool) (outcome, error) {
	o := outcome{"zz state": s.StateSHA256, "zz steps": fmt.Sprint(s.Steps), "zz time": fmt.Sprint(s.Time),
		"zz stopped": fmt.Sprint(s.Stopped)}
	for name, v := range s.Metrics {
		if name != overRows {
			o["z metric "+name] = fmt.Sprint(v)
		}
	}
	for name, v := range s.Conservation {
		o["z drift of "+name] = fmt.Sprint(v)
	}
	tables := []string{"conservation.csv"}
	for _, g := range c.Gauges {
		tables = append(tables, "gauges/"+g.Name+".csv")
	}
	for _, l := range c.Transects {
		tables = append(tables, "transects/"+l.Name+".csv")
	}
	for _, name := range tables {
		if err := o.addTable(dir, name); err != nil {
			return nil, err
		}
	}
	for k, format := range c.Output.Format {
		series := c.Name
		if k > 0 {
			series += "_" + format
		}
		if err := o.addFrames(dir, series, format, alone); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// addTable adds the cells of a table, whose first column tells when a row is of. Steps are aligned, so that the keys
// are in order.
func (o outcome) addTable(dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	columns := strings.Split(lines[0], ",")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if len(cells) != len(columns) {
			return fmt.Errorf("%s: %q has not the columns of %q", name, line, lines[0])
		}
		for k, cell := range cells {
			key := fmt.Sprintf("%s %s %s, %s", name, columns[0], aligned(cells[0]), columns[k])
			if before, twice := o[key]; twice && k == 0 {
				return fmt.Errorf("%s has two rows, %s and %s", key, before, cell)
			}
			o[key] = cell
		}
	}
	return nil
}

// aligned writes steps with leading zeros.
func aligned(step string) string {
	if len(step) < 6 && !strings.ContainsAny(step, ".e") {
		return fmt.Sprintf("%06s", step)
	}
	return step
}

// addFrames adds the hashes of the frames of a series. Formats that are not VTK's are compared byte for byte, between
// runs on one rank.
func (o outcome) addFrames(dir, series, format string, alone bool) error {
	frames, err := vtk.ReadPVD(filepath.Join(dir, series+".pvd"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // without an index: files of other formats
	}
	if err != nil {
		return err
	}
	for _, f := range frames {
		key := fmt.Sprintf("frame %s t %v, ", format, f.Time)
		path := filepath.Join(dir, f.File)
		switch filepath.Ext(path) {
		case ".vti", ".pvti":
			err = o.addImage(key, path)
		case ".vtu", ".pvtu":
			err = o.addGrid(key, path)
		case ".vtp", ".pvtp":
			err = o.addPolyData(key, path)
		default:
			if !alone {
				continue
			}
			var data []byte
			if data, err = os.ReadFile(path); err == nil {
				o[key+"bytes"] = hashOf([]string{string(data)})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addImage adds the fields of a uniform grid.
func (o outcome) addImage(key, path string) error {
	m, err := vtk.ReadImage(path)
	if err != nil {
		return err
	}
	o.addArrays(key, m.CellData, func(i int) string { return fmt.Sprint(i) }, m.Cells())
	return nil
}

// addGrid adds the fields of an unstructured grid, by the corners of cells; or by points, if each is a cell.
func (o outcome) addGrid(key, path string) error {
	g, err := vtk.Read(path)
	if err != nil {
		return err
	}
	cells := vtk.Cells{Connectivity: g.Connectivity, Offsets: g.Offsets}
	o.addArrays(key, g.CellData, func(i int) string { return corners(g.Points, cells.Cell(i)) }, len(g.Types))
	if len(g.PointData) > 0 && len(g.Types) == len(g.Points)/3 {
		o.addArrays(key, g.PointData, func(i int) string { return bits(g.Points[3*i : 3*i+3]) }, len(g.Points)/3)
	}
	return nil
}

// addPolyData adds the lines, polygons and points of an interface or of particles.
func (o outcome) addPolyData(key, path string) error {
	p, err := vtk.ReadPolyData(path)
	if err != nil {
		return err
	}
	var shapes []string
	for _, cells := range []*vtk.Cells{&p.Lines, &p.Polys} {
		for i := range cells.Len() {
			shapes = append(shapes, corners(p.Points, cells.Cell(i)))
		}
	}
	o[key+"shapes"] = hashOf(shapes)
	if p.Verts.Len() > 0 {
		o.addArrays(key, p.PointData, func(i int) string { return bits(p.Points[3*i : 3*i+3]) }, len(p.Points)/3)
	}
	return nil
}

// addArrays adds a hash of each array but the ranks: of its values, each with where it is, in any order.
func (o outcome) addArrays(key string, arrays vtk.Arrays, where func(i int) string, count int) {
	for _, a := range arrays {
		values := a.Float64s()
		if a.Name == "rank" || count == 0 {
			continue
		}
		n := len(values) / count
		all := make([]string, count)
		for i := range all {
			all[i] = where(i) + " " + bits(values[n*i:n*i+n])
		}
		o[key+a.Name] = hashOf(all)
	}
}

// corners returns the corners of a cell, the least first; those of a line keep their order.
func corners(points []float64, cell []int64) string {
	var all []string
	for _, n := range cell {
		all = append(all, bits(points[3*n:3*n+3]))
	}
	if len(all) > 2 {
		least := slices.Index(all, slices.Min(all))
		all = append(all[least:], all[:least]...)
	}
	return strings.Join(all, " ")
}

func bits(values []float64) string {
	var b strings.Builder
	for _, v := range values {
		fmt.Fprintf(&b, "%x,", math.Float64bits(v))
	}
	return b.String()
}

func hashOf(all []string) string {
	slices.Sort(all)
	sum := sha256.New()
	for _, v := range all {
		sum.Write([]byte(v + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}
