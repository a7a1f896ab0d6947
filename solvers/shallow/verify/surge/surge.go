// Package surge checks what wind and the pressure of the air do to water, as fields over time.
package surge

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/config/overtime"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/timefield"
	"github.com/atoll-hpc/atoll/solvers/shallow/kernels/air"
	"github.com/atoll-hpc/atoll/solvers/shallow/meteo"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
	"github.com/atoll-hpc/atoll/solvers/shallow/weather"
)

// Air compares the level that wind and pressure hold in closed basins with that at which they are in balance with it,
// after they have grown, at both orders.
func Air(ctx context.Context, p *verify.Page) error {
	if err := setUp(ctx, p); err != nil {
		return err
	}
	return barometer(ctx, p)
}

// grid is a raster in a folder, which a case reads as a field over time that grows from a value to another one.
type grid struct {
	dir           string
	columns, rows int
	size          float64
	value         func(x, y float64) float64
	times         []float64
	share         []float64 // of value, at times
}

// write writes the rasters of the field, from -size/2 on, and returns the table of a case.
func (g *grid) write(name string) (*overtime.Field, error) {
	list := "time,file\n"
	for k, at := range g.times {
		text := fmt.Sprintf("ncols %d\nnrows %d\nxllcorner %g\nyllcorner %[3]g\ncellsize %g\n", g.columns, g.rows, -g.size/2,
			g.size)
		for row := g.rows - 1; row >= 0; row-- {
			for column := range g.columns {
				text += fmt.Sprintf("%.10g ", g.share[k]*g.value(float64(column)*g.size, float64(row)*g.size))
			}
			text += "\n"
		}
		path := filepath.Join(g.dir, fmt.Sprintf("%s%d.asc", name, k))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		list += fmt.Sprintf("%g,%s\n", at, path)
	}
	path := filepath.Join(g.dir, name+".csv")
	return &overtime.Field{List: path}, os.WriteFile(path, []byte(list), 0o600)
}

// open returns a function that opens a field of a case that ends at a time.
func open(from *overtime.Field, end float64, unit string) func(part *mesh.Part) (meteo.File, error) {
	c := new(config.Case)
	c.Time.End = end
	return func(part *mesh.Part) (meteo.File, error) {
		f, err := timefield.Open(c, from, part, timefield.Wanted{Unit: unit})
		return meteo.File{Field: f, Part: part, Name: from.List}, err
	}
}

// setUp has wind along a channel that doubles from one end to the other: g h dh/dx = C w², so that h² is the integral,
// with the volume of the water at rest. The wind grows during whole periods of the channel's seiche, which leaves
// little of it.
func setUp(ctx context.Context, p *verify.Page) error {
	const long, wide, deep = 10e3, 1e3, 10.0
	cells := 1200
	if p.Options.Quick {
		cells = 400
	}
	speed := func(x float64) float64 { return 15 * (1 + x/long) }
	drag := air.Drag[float64]{Still: .75e-6, PerSpeed: .067e-6, Most: 2.5e-6} // that of Garratt, until 26 m/s
	grown := 8 * 2 * long / math.Sqrt(basin.Gravity*deep)
	end := 1.25 * grown
	dir, err := os.MkdirTemp("", "atoll-verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	g := grid{dir: dir, columns: 12, rows: 3, size: 1e3, times: []float64{0, grown / 2, grown, end},
		share: []float64{0, .5, 1, 1}, value: func(x, _ float64) float64 { return speed(x) }}
	along, err := g.write("x")
	if err != nil {
		return err
	}
	g.value = func(_, _ float64) float64 { return 0 }
	across, err := g.write("y")
	if err != nil {
		return err
	}
	x, y := open(along, end, "m/s"), open(across, end, "m/s")
	m, err := mesh.Rectangle(0, 0, long, wide, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	depth := heldBy(func(x float64) float64 {
		w := speed(x)
		return min(drag.Still+drag.PerSpeed*w, drag.Most) * w * w / basin.Gravity
	}, long, deep)
	held := balance{about: "wind along a channel, 15 m/s to 30 m/s", mesh: m, deep: deep, drag: drag, end: end,
		what: "difference of levels of both ends, m", most: depth(long) - depth(0),
		level: func(x, _ float64) float64 { return depth(x) - deep }}
	held.air = func(part *mesh.Part) (f weather.Fields, err error) {
		var parts [2]meteo.File
		if parts[0], err = x(part); err != nil {
			return f, err
		}
		if parts[1], err = y(part); err != nil {
			return f, err
		}
		f.Wind, err = meteo.Wind(parts[0], parts[1])
		return f, err
	}
	return held.compare(ctx, p)
}

// balance is water that the air holds at a level.
type balance struct {
	about, what string
	mesh        *mesh.Mesh
	deep, end   float64 // m, s
	drag        air.Drag[float64]
	air         func(part *mesh.Part) (weather.Fields, error)
	level       func(x, y float64) float64 // at the end, m
	most        float64                    // what of it, m
}

// compare compares the level with that of runs at both orders.
func (h *balance) compare(ctx context.Context, p *verify.Page) error {
	t := p.Table(fmt.Sprintf("%s: %d cells", h.about, len(h.mesh.Cells)), "order", "quantity", "reference", "Atoll")
	for _, order := range []int{1, 2} {
		cfg := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
		cfg.Order, cfg.Layers, cfg.Forcing.Drag = order, 1, h.drag
		p.Progress("%s, order %d", h.about, order)
		f := basin.Flow{Mesh: h.mesh, Config: cfg, Manning: .03, OverTime: h.air, Initial: func(_, _ float64) basin.State {
			return basin.State{Depth: h.deep, H2: h.deep}
		}}
		err := basin.Evolve(ctx, p, f, h.end, func(b *basin.Basin) error {
			found := slopeOf(b, h.level) * h.most
			t.Row(verify.Near(found, h.most, .01), order, h.what, h.most, found)
			e := b.MeanError("z2", h.level) / h.most
			t.Row(verify.AtMost(e, .01), order, "error of the level, as a share of it", 0, e)
			return nil
		})
		if err != nil {
			return err
		}
	}
	t.Flush()
	return nil
}

// heldBy returns the depth in a channel in which h dh/dx is a function of x, with a mean depth.
func heldBy(push func(x float64) float64, long, mean float64) func(x float64) float64 {
	const pieces = 2000 // of the midpoint rule
	var sums [pieces + 1]float64
	for k := range pieces {
		sums[k+1] = sums[k] + 2*push((float64(k)+.5)*long/pieces)*long/pieces
	}
	at := func(square, x float64) float64 {
		k := max(0, min(x/long*pieces, pieces))
		n := min(int(k), pieces-1)
		return math.Sqrt(square + sums[n] + (k-float64(n))*(sums[n+1]-sums[n]))
	}
	low, high := 0.0, 2*mean*mean
	for range 100 {
		square, all := (low+high)/2, 0.0
		for k := range pieces {
			all += at(square, (float64(k)+.5)*long/pieces) / pieces
		}
		if all < mean {
			low = square
		} else {
			high = square
		}
	}
	return func(x float64) float64 { return at(low, x) }
}

// slopeOf returns by which factor of a level the level of a basin differs least from it.
func slopeOf(b *basin.Basin, level func(x, y float64) float64) float64 {
	var product, square float64
	for i := range b.Part.Owned {
		x, y := b.Part.Centroid(i)
		product += b.Part.Area(i) * b.Value("z2", i) * level(x, y)
		square += b.Part.Area(i) * level(x, y) * level(x, y)
	}
	return product / square
}

// barometer has a low of 50 hPa that grows over a square sea: the level is that of the inverse barometer.
func barometer(ctx context.Context, p *verify.Page) error {
	const long, deep, radius, low, density = 40e3, 20.0, 10e3, 5000.0, 1025.0
	cells, end := 6000, 30000.0
	if p.Options.Quick {
		cells = 1000
	}
	dir, err := os.MkdirTemp("", "atoll-verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fall := func(x, y float64) float64 {
		return low * math.Exp(-(math.Pow(x-long/2, 2)+math.Pow(y-long/2, 2))/(radius*radius))
	}
	g := grid{dir: dir, columns: 81, rows: 81, size: 500, value: func(x, y float64) float64 { return -fall(x, y) },
		times: []float64{0, 12000, 24000, end}, share: []float64{0, .5, 1, 1}}
	from, err := g.write("p")
	if err != nil {
		return err
	}
	at := open(from, end, "Pa")
	m, err := mesh.Rectangle(0, 0, long, long, cells, basin.MeshSeed)
	if err != nil {
		return err
	}
	rise := func(x, y float64) float64 { return fall(x, y) / (density * basin.Gravity) }
	mean := math.Pi * math.Pow(math.Erf(long/2/radius)*radius/long, 2) * low / (density * basin.Gravity)
	held := balance{about: "a low of 50 hPa over a sea", mesh: m, deep: deep, end: end, what: "rise at the centre, m",
		most: low / (density * basin.Gravity), level: func(x, y float64) float64 { return rise(x, y) - mean }}
	held.air = func(part *mesh.Part) (weather.Fields, error) {
		file, err := at(part)
		return weather.Fields{Pressure: meteo.Pressure(file, density)}, err
	}
	return held.compare(ctx, p)
}
