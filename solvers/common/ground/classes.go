package ground

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/formats/table"
)

// Table has the values of classes.
type Table struct {
	path   string
	values map[string]float64
}

// ReadTable reads a column of a CSV file whose first row has titles. The column class has the classes: texts, or
// numbers. Errors have the line.
func ReadTable(path, column string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := table.New(f)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", path, err)
	}
	t := &Table{path: path, values: map[string]float64{}}
	if err := t.read(in, column); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", path, max(1, in.Line), err)
	}
	return t, nil
}

func (t *Table) read(in *table.Reader, column string) error {
	titles, err := in.Next()
	if err == io.EOF {
		return errors.New("the file is empty, want a first row with the titles of columns, as in class," + column)
	}
	if err != nil {
		return err
	}
	titled := func(title string) int {
		return slices.IndexFunc(titles, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), title) })
	}
	class, value := titled("class"), titled(column)
	for title, k := range map[string]int{"class": class, column: value} {
		if k < 0 {
			return fmt.Errorf("the first row has no title %q: %q", title, titles)
		}
	}
	for {
		row, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		v, err := in.ParseNumber(row[value])
		if err != nil {
			return fmt.Errorf("%s: %w", column, err)
		}
		name := classOf(row[class])
		if _, twice := t.values[name]; twice {
			return fmt.Errorf("class %s is in the table twice", name)
		}
		t.values[strings.Clone(name)] = v
	}
	if len(t.values) == 0 {
		return errors.New("the table has no classes")
	}
	return nil
}

// classOf returns the name of a class: numbers in the same form, however they are written.
func classOf(text string) string {
	text = strings.TrimSpace(text)
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return text
}

// Number returns the value of a class that is a number.
func (t *Table) Number(class float64) (float64, error) {
	return t.Value(strconv.FormatFloat(class, 'g', -1, 64))
}

// Value returns the value of a class.
func (t *Table) Value(class string) (float64, error) {
	v, found := t.values[class]
	if !found {
		return 0, fmt.Errorf("class %.40s is not in %s", class, t.path)
	}
	return v, nil
}

// Cover is a map of polygons with values.
type Cover struct {
	path  string
	areas []area
}

// area is a feature of polygons. Its edges are in slabs of equal height, each in all that it crosses.
type area struct {
	value                    float64
	west, south, east, north float64
	slabs                    [][][2]Point
}

// ReadCover reads polygons whose property is a class of the table.
func ReadCover(paths []string, property string, t *Table, wantedEPSG int) (*Cover, error) {
	c := &Cover{path: strings.Join(paths, ", ")}
	for _, path := range paths {
		f, err := read(path, wantedEPSG)
		if err != nil {
			return nil, err
		}
		for i := range f.Features {
			x := &f.Features[i]
			class := classOf(x.Text(property))
			if x.Kind != features.Polygons {
				return nil, fmt.Errorf("%s: feature %d is a %s, want polygons", path, x.Number, x.Kind)
			}
			if class == "" {
				return nil, fmt.Errorf("%s: feature %d has no property %s, which is its class", path, x.Number, property)
			}
			v, err := t.Value(class)
			if err != nil {
				return nil, fmt.Errorf("%s: feature %d: %w", path, x.Number, err)
			}
			c.areas = append(c.areas, newArea(x, v))
		}
	}
	return c, nil
}

func newArea(x *features.Feature, value float64) area {
	a := area{value: value, west: math.Inf(1), south: math.Inf(1), east: math.Inf(-1), north: math.Inf(-1)}
	edges := 0
	for _, ring := range x.Parts {
		edges += len(ring)
		for _, p := range ring {
			a.west, a.south, a.east, a.north = min(a.west, p.X), min(a.south, p.Y), max(a.east, p.X), max(a.north, p.Y)
		}
	}
	a.slabs = make([][][2]Point, max(1, min(1024, edges/8)))
	for _, ring := range x.Parts {
		for k := 1; k < len(ring); k++ {
			p, q := Point{ring[k-1].X, ring[k-1].Y}, Point{ring[k].X, ring[k].Y}
			for i := a.slab(min(p[1], q[1])); i <= a.slab(max(p[1], q[1])); i++ {
				a.slabs[i] = append(a.slabs[i], [2]Point{p, q})
			}
		}
	}
	return a
}

// slab returns the number of the slab of a height.
func (a *area) slab(y float64) int {
	n := len(a.slabs)
	return max(0, min(n-1, int(float64(n)*(y-a.south)/(a.north-a.south))))
}

// contains reports whether a position is inside an odd number of rings.
func (a *area) contains(x, y float64) bool {
	if x < a.west || x > a.east || y < a.south || y > a.north {
		return false
	}
	inside := false
	for _, e := range a.slabs[a.slab(y)] {
		p, q := e[0], e[1]
		if (p[1] > y) != (q[1] > y) && x < p[0]+(y-p[1])/(q[1]-p[1])*(q[0]-p[0]) {
			inside = !inside
		}
	}
	return inside
}

// At returns the value of the last polygon that contains a position.
func (c *Cover) At(x, y float64) (float64, error) {
	for i := len(c.areas) - 1; i >= 0; i-- {
		if c.areas[i].contains(x, y) {
			return c.areas[i].value, nil
		}
	}
	return 0, fmt.Errorf("%s: no polygon contains point (%g, %g)", c.path, x, y)
}
