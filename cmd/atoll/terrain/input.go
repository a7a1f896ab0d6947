package terrain

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/formats/epsg"
	"github.com/atoll-hpc/atoll/formats/features"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/constrained"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/mesh/terrain"
	"github.com/atoll-hpc/atoll/solvers/common/raster"
)

// outlineGroup is the group of what is left of the outline.
const outlineGroup = "outline"

// input is what is read of the files.
type input struct {
	*request
	before, after int // vertices of the outline, before and after --simplify

	epsg   int    // of the first file that says it
	epsgBy string // that file
	box    raster.Box
	ground raster.Stack   // nil for none
	rings  [][][2]float64 // on the map
	groups []mesh.Group
	notes  []string
}

// options reads all files.
func (in *input) options() (*terrain.Options, error) {
	o := &terrain.Options{Triangles: in.triangles, Least: in.least, Most: in.most, Growth: in.growth, Slope: in.slope,
		Tolerance: in.tolerance, Threads: in.threads}
	if in.simplify < 0 || !(in.tolerance > 0) || !(in.across > 0) {
		return nil, fmt.Errorf("--simplify %g, --tolerance %g, --across %g: want positive numbers", in.simplify, in.tolerance,
			in.across)
	}
	if in.most > 0 && in.least > in.most {
		return nil, fmt.Errorf("--min-size %g is above --max-size %g", in.least, in.most)
	}
	outline, err := in.read(in.domain)
	if err != nil {
		return nil, err
	}
	if err := in.openDEM(outline); err != nil {
		return nil, err
	}
	if in.geographic() {
		o.Scale = sphere.MercatorScale
	}
	if err := in.setRings(outline); err != nil {
		return nil, err
	}
	other := in.group(outlineGroup)
	arcs, err := in.readBoundaries()
	if err != nil {
		return nil, err
	}
	var furthest float64
	o.Lines, furthest = terrain.Outline(in.rings, arcs, other)
	furthest /= in.onMap(1, slices.Concat(in.rings...))
	if furthest > 2*o.Mean(in.area())+in.simplify {
		return nil, fmt.Errorf("--boundaries: a part is %.4g m from the outline: its middle must be near that", furthest)
	}
	if err := in.readLines(o); err != nil {
		return nil, err
	}
	if err := in.readChannels(o); err != nil {
		return nil, err
	}
	if err := in.readZones(o); err != nil {
		return nil, err
	}
	o.Groups = in.groups
	return o, in.setHeight(o)
}

// read reads a file, whose coordinate reference system must be that of the others.
func (in *input) read(path string) (*features.File, error) {
	f, err := features.Read(path)
	if err != nil {
		return nil, err
	}
	if f.Unit == degree && f.EPSG == 0 {
		f.EPSG = degrees84
	}
	if f.EPSG == 0 {
		return f, nil
	}
	if in.epsg != 0 && in.epsg != f.EPSG {
		return nil, fmt.Errorf("%s has coordinates in EPSG:%d, %s in EPSG:%d: ogr2ogr -t_srs EPSG:%[4]d out.geojson %[1]s "+
			"converts it", path, f.EPSG, in.epsgBy, in.epsg)
	}
	in.epsg, in.epsgBy = f.EPSG, path
	return f, nil
}

// group returns the number of a group of edges, which it adds if it is new.
func (in *input) group(name string) int32 {
	for i, g := range in.groups {
		if g.Name == name {
			return int32(i)
		}
	}
	in.groups = append(in.groups, mesh.Group{Dim: 1, Tag: len(in.groups) + 1, Name: name})
	return int32(len(in.groups) - 1)
}

const (
	degree    = "degree"
	degrees84 = 4326 // WGS 84
)

// geographic reports whether positions are longitudes and latitudes. Those on the map are then those of Mercator's.
func (in *input) geographic() bool { return epsg.Unit(in.epsg) == degree }

// onMap returns the length of a length on the ground at positions on the map, the least of all.
func (in *input) onMap(length float64, at [][2]float64) float64 {
	if !in.geographic() {
		return length
	}
	scale := math.Inf(1)
	for _, p := range at {
		scale = min(scale, sphere.MercatorScale(p[1]))
	}
	return length * scale
}

// plane returns the positions of a part on the map, without heights.
func (in *input) plane(part []features.Position) [][2]float64 {
	x := make([][2]float64, len(part))
	for i, p := range part {
		if x[i] = [2]float64{p.X, p.Y}; in.geographic() {
			x[i][1] = sphere.Mercator(p.Y)
		}
	}
	return x
}

func wrongKind(path string, x *features.Feature, want string) error {
	return fmt.Errorf("%s: feature %d is a %s, want %s", path, x.Number, x.Kind, want)
}

// setRings sets the rings of the region.
func (in *input) setRings(f *features.File) error {
	for i := range f.Features {
		x := &f.Features[i]
		if x.Kind != features.Polygons {
			return wrongKind(in.domain, x, "polygons")
		}
		for _, part := range x.Parts {
			off := slices.IndexFunc(part, func(p features.Position) bool { return math.Abs(p.Y) > sphere.MostLatitude })
			if off >= 0 && in.geographic() {
				return fmt.Errorf("%s: latitude %g of feature %d: latitudes go from -%[4]g to %[4]g", in.domain, part[off].Y,
					x.Number, sphere.MostLatitude)
			}
			ring := in.plane(part)
			if in.simplify > 0 {
				ring = terrain.Simplify(ring, in.onMap(in.simplify, ring))
			}
			in.before, in.after = in.before+len(part)-1, in.after+len(ring)-1
			if len(ring) < 4 {
				in.notes = append(in.notes, fmt.Sprintf("%s: feature %d has a ring at (%.10g, %.10g) that is narrower than "+
					"--simplify, and is left out", in.domain, x.Number, part[0].X, part[0].Y))
				continue
			}
			in.rings = append(in.rings, ring)
		}
	}
	if len(in.rings) == 0 {
		return fmt.Errorf("%s: nothing is left of the outline with --simplify %g", in.domain, in.simplify)
	}
	if in.simplify > 0 {
		in.notes = append(in.notes, fmt.Sprintf("the outline has %d of its %d vertices", in.after, in.before))
	}
	return nil
}

// advice tells how the input that asks for too many triangles can ask for fewer.
func (in *input) advice(e *terrain.TooMany, mean float64) string {
	switch {
	case strings.Contains(e.From, "--across"):
		return fmt.Sprintf("choose fewer edges across the channels than --across %g, a size as a property of some, or more "+
			"--triangles", in.across)
	case e.From != "":
		return "choose larger sizes there, or more --triangles"
	}
	text := "have fewer vertices in lines, or more --triangles"
	vertices := 0
	for _, r := range in.rings {
		vertices += len(terrain.Simplify(r, in.onMap(0.3*mean, r))) - 1
	}
	if 10*vertices < 9*in.after {
		text += fmt.Sprintf("; --simplify %s leaves %d of the %d vertices of the outline", words.Rounded(0.3*mean, 2),
			vertices, in.after)
	}
	return text
}

// area is the area inside the rings.
func (in *input) area() float64 {
	sum := 0.0
	for _, r := range in.rings {
		a := 0.0
		for k := 1; k < len(r); k++ {
			a += (r[k-1][0]-r[0][0])*(r[k][1]-r[0][1]) - (r[k][0]-r[0][0])*(r[k-1][1]-r[0][1])
		}
		scale := in.onMap(1, r)
		sum = max(sum, 0) + math.Abs(a)/2/(scale*scale)
	}
	return sum
}

// readBoundaries reads the parts of the outline that become groups.
func (in *input) readBoundaries() (arcs []terrain.Arc, err error) {
	for _, path := range in.boundaries {
		f, err := in.read(path)
		if err != nil {
			return nil, err
		}
		for i := range f.Features {
			x := &f.Features[i]
			name := x.Name()
			if name == "" {
				return nil, fmt.Errorf("%s: feature %d has no name, which its group of edges needs", path, x.Number)
			}
			switch x.Kind {
			case features.Points:
				width, found, err := x.Value("width")
				if err != nil || !found || !(width > 0) {
					return nil, fmt.Errorf("%s: feature %d is a point: want a positive width, the length of the outline around it",
						path, x.Number)
				}
				for _, part := range x.Parts {
					at := in.plane(part)
					arcs = append(arcs, terrain.Arc{Through: at[0], Width: in.onMap(width, at), Group: in.group(name)})
				}
			case features.Lines:
				for _, part := range x.Parts {
					p := in.plane(part)
					arcs = append(arcs, terrain.Arc{From: p[0], To: p[len(p)-1], Through: middle(p), Group: in.group(name)})
				}
			default:
				return nil, wrongKind(path, x, "points or lines")
			}
		}
	}
	return arcs, nil
}

// middle returns the position at half the length of a line.
func middle(p [][2]float64) [2]float64 {
	total := 0.0
	for k := 1; k < len(p); k++ {
		total += math.Hypot(p[k][0]-p[k-1][0], p[k][1]-p[k-1][1])
	}
	left := total / 2
	for k := 1; k < len(p); k++ {
		d := math.Hypot(p[k][0]-p[k-1][0], p[k][1]-p[k-1][1])
		if d >= left && d > 0 {
			w := left / d
			return [2]float64{p[k-1][0] + w*(p[k][0]-p[k-1][0]), p[k-1][1] + w*(p[k][1]-p[k-1][1])}
		}
		left -= d
	}
	return p[0]
}

// size returns the property size, which must be positive.
func size(path string, x *features.Feature) (v float64, found bool, err error) {
	v, found, err = x.Value("size")
	switch {
	case err != nil:
		return 0, false, fmt.Errorf("%s: %w", path, err)
	case found && !(v > 0):
		return 0, false, fmt.Errorf("%s: feature %d: size = %g, want more than 0", path, x.Number, v)
	}
	return v, found, nil
}

// readLines reads the lines that become edges.
func (in *input) readLines(o *terrain.Options) error {
	for _, path := range in.lines {
		f, err := in.read(path)
		if err != nil {
			return err
		}
		base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		for i := range f.Features {
			x := &f.Features[i]
			if x.Kind == features.Points {
				return wrongKind(path, x, "lines or polygons")
			}
			h, found, err := size(path, x)
			if err != nil {
				return err
			}
			name := x.Name()
			if name == "" {
				name = base
			}
			for _, part := range x.Parts {
				line := in.plane(part)
				o.Lines = append(o.Lines, constrained.Line{X: line, Group: in.group(name)})
				if found {
					o.Along = append(o.Along, terrain.Along{X: line, Size: h, From: "--lines " + path})
				}
			}
		}
	}
	return nil
}

// readChannels reads the middles of channels.
func (in *input) readChannels(o *terrain.Options) error {
	for _, path := range in.channels {
		f, err := in.read(path)
		if err != nil {
			return err
		}
		for i := range f.Features {
			x := &f.Features[i]
			if x.Kind != features.Lines {
				return wrongKind(path, x, "lines")
			}
			width, _, err := x.Value("width")
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			h, found, err := size(path, x)
			if err != nil {
				return err
			}
			from := "--channels " + path
			if !found {
				h = width / in.across
				from += fmt.Sprintf(" with --across %g", in.across)
			}
			if !(width >= 0 && h > 0) {
				return fmt.Errorf("%s: feature %d: want a positive width or size", path, x.Number)
			}
			for _, part := range x.Parts {
				o.Along = append(o.Along, terrain.Along{X: in.plane(part), Size: h, Width: width, From: from})
			}
		}
	}
	return nil
}

// readZones reads the polygons with sizes.
func (in *input) readZones(o *terrain.Options) error {
	for _, path := range in.zones {
		f, err := in.read(path)
		if err != nil {
			return err
		}
		for i := range f.Features {
			x := &f.Features[i]
			if x.Kind != features.Polygons {
				return wrongKind(path, x, "polygons")
			}
			h, found, err := size(path, x)
			if err != nil {
				return err
			}
			if !found {
				return fmt.Errorf("%s: feature %d has no property size", path, x.Number)
			}
			z := terrain.Zone{Size: h, From: "--zones " + path}
			for _, part := range x.Parts {
				z.Rings = append(z.Rings, in.plane(part))
			}
			o.Zones = append(o.Zones, z)
		}
	}
	return nil
}

// openDEM opens the rasters of the ground around the outline.
func (in *input) openDEM(outline *features.File) (err error) {
	if len(in.dem) == 0 {
		return nil
	}
	b := &in.box
	*b = raster.Box{West: math.Inf(1), South: math.Inf(1), East: math.Inf(-1), North: math.Inf(-1)}
	for _, x := range outline.Features {
		for _, part := range x.Parts {
			for _, p := range part {
				b.West, b.South = min(b.West, p.X), min(b.South, p.Y)
				b.East, b.North = max(b.East, p.X), max(b.North, p.Y)
			}
		}
	}
	degrees := epsg.Unit(in.epsg) == degree
	if in.ground, err = raster.OpenAll(in.dem, raster.Options{Box: *b, Longitudes: degrees}); err != nil {
		return err
	}
	for _, g := range in.ground {
		if _, unit := g.Unit(); unit == degree && in.epsg == 0 {
			in.epsg, in.epsgBy = cmp.Or(g.EPSG, degrees84), "--dem"
		}
	}
	notes, err := in.ground.Convert(raster.Wanted{EPSG: in.epsg, Unit: "m", Positive: "up"})
	in.notes = append(in.notes, notes...)
	return err
}

// setHeight makes the rasters the ground, some of which must be near the outline.
func (in *input) setHeight(o *terrain.Options) error {
	if in.ground == nil {
		return nil
	}
	o.Height = func(x, y, side float64) (float64, bool) {
		b := raster.Box{West: x - side/2, South: y - side/2, East: x + side/2, North: y + side/2}
		if in.geographic() {
			b.South, b.North = sphere.Latitude(b.South), sphere.Latitude(b.North)
		}
		return in.ground.Mean(b)
	}
	side := 4 * o.Mean(in.area())
	for _, r := range in.rings {
		for _, p := range r {
			if _, known := o.Height(p[0], p[1], in.onMap(side, r)); known {
				return nil
			}
		}
	}
	extents := make([]string, len(in.ground))
	for k, g := range in.ground {
		extents[k] = g.Extent()
	}
	return fmt.Errorf("--dem: no raster has heights near the outline, which has x from %.10g to %.10g and y from %.10g "+
		"to %.10g; the rasters have %s: are the coordinates in the same system?", in.box.West, in.box.East, in.box.South,
		in.box.North, strings.Join(extents, ", "))
}
