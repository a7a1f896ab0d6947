package ground

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/formats/features"
)

// beside is how far, in m, lines are moved to their left, and beyond their ends, before the cells that they cross are
// found: lines that are edges of cells, as atoll mesh terrain makes them, then cross the cells on their left.
const beside = 0.05

// Crests are lines with heights, such as the crests of levees.
type Crests struct {
	segments []crest
	ofGround bool    // whether some have the height of the ground
	size     float64 // of the boxes of an index
	boxes    map[[2]int][]int32
}

// crest is a segment with the heights of its ends, or with those of the ground under it.
type crest struct {
	a, b     Point
	za, zb   float64
	ofGround bool
}

// Ground is the height of the ground, false where it is not known, and the distance over which it changes.
type Ground struct {
	Height func(x, y float64) (z float64, known bool)
	Step   func(x, y float64) float64
}

// ofRaster is the property crest of lines that have the height of the ground under them.
const ofRaster = "raster"

// ReadCrests reads lines. Their height is the property crest, a number or "raster" for that of the ground under them,
// or else the third coordinates. wantedEPSG is the code of
// the coordinate reference system of the case, 0 if it is not known.
func ReadCrests(paths []string, wantedEPSG int) (*Crests, error) {
	c := &Crests{}
	for _, path := range paths {
		f, err := read(path, wantedEPSG)
		if err != nil {
			return nil, err
		}
		for i := range f.Features {
			if err := c.add(path, &f.Features[i]); err != nil {
				return nil, err
			}
		}
	}
	c.index()
	return c, nil
}

// read reads a file of features in the coordinate reference system of the case.
func read(path string, wantedEPSG int) (*features.File, error) {
	f, err := features.Read(path)
	if err != nil {
		return nil, err
	}
	if f.EPSG != 0 && wantedEPSG != 0 && f.EPSG != wantedEPSG {
		return nil, fmt.Errorf("%s has coordinates in EPSG:%d, the case has EPSG:%d: ogr2ogr -t_srs EPSG:%[3]d out.geojson "+
			"%[1]s converts it", path, f.EPSG, wantedEPSG)
	}
	return f, nil
}

func (c *Crests) add(path string, x *features.Feature) error {
	if x.Kind == features.Points {
		return fmt.Errorf("%s: feature %d is a point, want lines", path, x.Number)
	}
	ofGround := x.Text("crest") == ofRaster
	var height float64
	given := ofGround
	if !ofGround {
		var err error
		if height, given, err = x.Value("crest"); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	c.ofGround = c.ofGround || ofGround
	for _, part := range x.Parts {
		for k := 1; k < len(part); k++ {
			s := crest{Point{part[k-1].X, part[k-1].Y}, Point{part[k].X, part[k].Y}, part[k-1].Z, part[k].Z,
				ofGround}
			if given {
				s.za, s.zb = height, height
			}
			if s.za-s.za != 0 || s.zb-s.zb != 0 {
				return fmt.Errorf("%s: feature %d has neither the property crest, the height of the line or \"raster\", nor "+
					"heights as third coordinates", path, x.Number)
			}
			if s.a != s.b {
				c.segments = append(c.segments, s.moved())
			}
		}
	}
	return nil
}

// moved returns a segment to the left of it, and longer at both ends.
func (s crest) moved() crest {
	dx, dy := s.b[0]-s.a[0], s.b[1]-s.a[1]
	l := math.Hypot(dx, dy)
	dx, dy = beside*dx/l, beside*dy/l
	s.a = Point{s.a[0] - dx - dy, s.a[1] - dy + dx}
	s.b = Point{s.b[0] + dx - dy, s.b[1] + dy + dx}
	return s
}

// index enters the segments in boxes.
func (c *Crests) index() {
	total := 0.0
	for _, s := range c.segments {
		total += math.Hypot(s.b[0]-s.a[0], s.b[1]-s.a[1])
	}
	c.size = max(1, 4*total/float64(len(c.segments)+1))
	c.boxes = map[[2]int][]int32{}
	for i, s := range c.segments {
		c.each(min(s.a[0], s.b[0]), min(s.a[1], s.b[1]), max(s.a[0], s.b[0]), max(s.a[1], s.b[1]), func(box [2]int) {
			c.boxes[box] = append(c.boxes[box], int32(i))
		})
	}
}

// each calls f with the boxes that a rectangle touches.
func (c *Crests) each(west, south, east, north float64, f func(box [2]int)) {
	for i := int(math.Floor(west / c.size)); i <= int(math.Floor(east/c.size)); i++ {
		for j := int(math.Floor(south / c.size)); j <= int(math.Floor(north/c.size)); j++ {
			f([2]int{i, j})
		}
	}
}

// OfGround reports whether some lines have the height of the ground under them.
func (c *Crests) OfGround() bool { return c.ofGround }

// Over returns the highest crest in a triangle, and false if no line crosses it. It needs the ground if some lines have
// its height, and takes that at positions in the triangle alone.
func (c *Crests) Over(t *Triangle, g *Ground) (height float64, crossed bool) {
	height = math.Inf(-1)
	c.each(min(t[0][0], t[1][0], t[2][0]), min(t[0][1], t[1][1], t[2][1]), max(t[0][0], t[1][0], t[2][0]),
		max(t[0][1], t[1][1], t[2][1]), func(box [2]int) {
			for _, i := range c.boxes[box] {
				if z, ok := c.segments[i].over(t, g); ok {
					height, crossed = max(height, z), true
				}
			}
		})
	return height, crossed
}

// over returns the highest point of a segment in a triangle.
func (s *crest) over(t *Triangle, g *Ground) (height float64, crossed bool) {
	from, to := t.Clip(s.a, s.b)
	if !(from < to) {
		return 0, false
	}
	if s.ofGround {
		return s.highest(from, to, g)
	}
	return max(s.za+from*(s.zb-s.za), s.za+to*(s.zb-s.za)), true
}

// highest returns the highest ground under a part of a segment, at the middles of pieces that are at most half as long
// as the distance over which the ground changes.
func (s *crest) highest(from, to float64, g *Ground) (height float64, known bool) {
	dx, dy := s.b[0]-s.a[0], s.b[1]-s.a[1]
	middle := (from + to) / 2
	n := 1 + int(2*(to-from)*math.Hypot(dx, dy)/g.Step(s.a[0]+middle*dx, s.a[1]+middle*dy))
	height = math.Inf(-1)
	for k := range n {
		at := from + (float64(k)+.5)/float64(n)*(to-from)
		if z, ok := g.Height(s.a[0]+at*dx, s.a[1]+at*dy); ok {
			height, known = max(height, z), true
		}
	}
	return height, known
}
