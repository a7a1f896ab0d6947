// Package earth checks shallow water on the sphere, on meshes of longitudes and latitudes.
package earth

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/shallow"
	"github.com/atoll-hpc/atoll/solvers/shallow/verify/basin"
)

const (
	degree = math.Pi / 180
	omega  = 7.2921e-5 // of the earth's rotation, 1/s
)

// ranks are numbers of ranks on which flows are computed again: their states have the same bits.
var ranks = []int{3, 7}

// Earth compares flow on the sphere with exact solutions.
func Earth(ctx context.Context, p *verify.Page) error {
	for _, check := range []func(context.Context, *verify.Page) error{rest, zonal, standing} {
		if err := check(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// sector returns a mesh between two meridians and two parallels.
func sector(west, south, east, north float64, cells int) (*mesh.Mesh, error) {
	m, err := mesh.Rectangle(west, south, east, north, cells, basin.MeshSeed)
	if err == nil {
		m.Geographic = true
	}
	return m, err
}

// settings are those of one layer.
func settings(order int) shallow.Config {
	c := basin.SecondOrder("pvm-ifcp", 1, 1e-3)
	c.Order, c.Layers = order, 1
	return c
}

// coriolis returns the Coriolis parameter at a latitude.
func coriolis(_, latitude float64) float64 { return 2 * omega * math.Sin(latitude*degree) }

// rest is an ocean at rest with islands, over a bed that differs from cell to cell by kilometres, across the 180th
// meridian, with one layer and two. It must not move at all.
func rest(ctx context.Context, p *verify.Page) error {
	cells, end := 4000, 40000.0
	if p.Options.Quick {
		cells, end = 1000, 10000
	}
	m, err := sector(150, -70, 215, 72, cells)
	if err != nil {
		return err
	}
	bed := func(x, y float64) float64 {
		return 3000 + 2000*math.Sin(7*x)*math.Cos(11*y) + 1500*math.Sin(.2*x)*math.Sin(.3*y)
	}
	t := p.Table(fmt.Sprintf("an ocean at rest over a rough bed: %d cells, %g s", len(m.Cells), end), "layers", "order",
		"precision", "steps", "largest speed, m/s")
	for _, layers := range []int{1, 2} {
		for _, order := range []int{1, 2} {
			for _, precision := range []string{"float64", "float32"} {
				p.Progress("rest, %d layers, order %d, %s", layers, order, precision)
				cfg := settings(order)
				cfg.Layers, cfg.DensityRatio = layers, .98
				f := basin.Flow{Mesh: m, Config: cfg, Precision: precision, CoriolisAt: coriolis, Ranks: ranks,
					Initial: func(x, y float64) basin.State {
						s := basin.State{Depth: bed(x, y)}
						if s.H2 = max(0, s.Depth); layers == 2 {
							s.H2 = max(0, s.Depth-1000)
							s.H1 = max(0, s.Depth) - s.H2
						}
						return s
					}}
				err := basin.Evolve(ctx, p, f, end, func(b *basin.Basin) error {
					now, err := b.Diagnose(ctx)
					t.Row(verify.Exactly(now.SpeedMax, 0), layers, order, precision, b.Steps(), now.SpeedMax)
					return err
				})
				if err != nil {
					return err
				}
			}
		}
	}
	t.Flush()
	return nil
}

// zonal is test 2 of D. L. Williamson, J. B. Drake, J. J. Hack, R. Jakob and P. N. Swarztrauber, J. Comput. Phys. 102,
// 1992, on a sector: steady flow to the east, in balance with the earth's rotation and with the curvature of the
// parallels. Cells near the boundary have the exact state after each step.
func zonal(ctx context.Context, p *verify.Page) error {
	const fast, wide, south, north, margin, day = 2 * math.Pi * sphere.Radius / (12 * 86400), 80, 0, 80, 6, 86400
	const deep = 2.94e4 / basin.Gravity
	high := func(y float64) float64 {
		s := math.Sin(y * degree)
		return deep - (sphere.Radius*omega*fast+fast*fast/2)/basin.Gravity*s*s
	}
	c := convergence{page: p, title: "steady zonal flow, Williamson's test 2, after a day", sector: [4]float64{0, south,
		wide, north}, order: 1.8, end: day, scale: 3000, bound: [2]float64{1e-5, 3e-4}, speed: fast}
	c.inside = func(x, y float64) bool {
		return x > margin && x < wide-margin && y > south+margin && y < north-margin
	}
	c.flow = func(m *mesh.Mesh) basin.Flow {
		return basin.Flow{Mesh: m, Config: settings(2), CoriolisAt: coriolis, Initial: func(_, y float64) basin.State {
			return basin.State{Depth: deep, H2: high(y), U2: fast * math.Cos(y*degree)}
		}}
	}
	c.exact = func(_, y, _ float64) (z, u, v float64) { return high(y) - deep, fast * math.Cos(y*degree), 0 }
	c.each = func(ctx context.Context, b *basin.Basin) error {
		return b.ModifyState(ctx, func(cell int, w *[6]float64) {
			if x, y := b.Part.Centroid(cell); !c.inside(x, y) {
				w[3], w[4], w[5] = high(y), high(y)*fast*math.Cos(y*degree), 0
			}
		})
	}
	return c.compare(ctx)
}

// standing is a wave that stands between walls on the equator, on a parallel and on two meridians of a sphere that does
// not rotate: in linear theory level ~ P(φ) cos(mλ) cos(ωt), with the associated Legendre function of degree l = m+2,
// P = cosᵐφ ((2m+3) sin²φ - 1), and ω² = g H l(l+1)/R². dP/dφ is 0 on the equator and where sin²φ is
// (5m+6)/((2m+3)(m+2)).
func standing(ctx context.Context, p *verify.Page) error {
	const m, deep, high = 2.0, 4000.0, .1
	north := math.Asin(math.Sqrt((5*m+6)/((2*m+3)*(m+2)))) / degree
	frequency := math.Sqrt(basin.Gravity*deep*(m+2)*(m+3)) / sphere.Radius
	c := convergence{page: p, title: "a standing wave of the sphere, after 1.1 periods", sector: [4]float64{0, 0, 180 / m,
		north}, order: 1.8, end: 2.2 * math.Pi / frequency, scale: high, bound: [2]float64{2e-4, 4e-4},
		speed: high * math.Sqrt(basin.Gravity/deep)}
	c.exact = func(x, y, t float64) (z, u, v float64) {
		sin, cos := math.Sincos(y * degree)
		across, along := math.Sincos(m * x * degree)
		shape := cos * cos * ((2*m+3)*sin*sin - 1)
		slope := -m*cos*sin*((2*m+3)*sin*sin-1) + cos*cos*2*(2*m+3)*sin*cos
		part := basin.Gravity / (sphere.Radius * frequency) * high * math.Sin(frequency*t)
		return high * shape * along * math.Cos(frequency*t), part * m / cos * shape * across, -part * slope * along
	}
	c.flow = func(m *mesh.Mesh) basin.Flow {
		return basin.Flow{Mesh: m, Config: settings(2), Initial: func(x, y float64) basin.State {
			z, _, _ := c.exact(x, y, 0)
			return basin.State{Depth: deep, H2: deep + z}
		}}
	}
	return c.compare(ctx)
}

// convergence compares a flow with an exact solution on three meshes of a sector.
type convergence struct {
	page   *verify.Page
	title  string
	sector [4]float64 // west, south, east, north
	flow   func(m *mesh.Mesh) basin.Flow
	exact  func(x, y, t float64) (z, u, v float64)         // level over the datum, and velocity
	each   func(ctx context.Context, b *basin.Basin) error // after each step; nil for nothing
	inside func(x, y float64) bool                         // where errors are measured; nil for everywhere
	end    float64                                         // s
	scale  float64                                         // of levels, m
	speed  float64                                         // scale of speeds, m/s
	order  float64                                         // the least
	bound  [2]float64                                      // of both errors on the finest mesh
}

func (c *convergence) compare(ctx context.Context) error {
	p, meshes := c.page, []int{1000, 4000, 16000}
	if p.Options.Quick {
		meshes = meshes[:2]
	}
	t := p.Table(c.title, "cells", "steps", "error of the level", "order", "of the velocity", "order")
	var before [2]float64
	for k, cells := range meshes {
		m, err := sector(c.sector[0], c.sector[1], c.sector[2], c.sector[3], cells)
		if err != nil {
			return err
		}
		p.Progress("%s: %d cells", c.title, len(m.Cells))
		f := c.flow(m)
		if k == 0 {
			f.Ranks = ranks
		}
		now, steps, err := c.errors(ctx, f)
		if err != nil {
			return err
		}
		if k == 0 {
			t.Row(verify.Info, len(m.Cells), steps, now[0], "", now[1], "")
		} else {
			orders := [2]float64{verify.Order(before[0], now[0]), verify.Order(before[1], now[1])}
			verdict := verify.AtLeast(min(orders[0], orders[1]), c.order)
			if k == len(meshes)-1 && !p.Options.Quick {
				verdict = verify.AtMost(now[0], c.bound[0]).And(verify.AtMost(now[1], c.bound[1]), "velocity").And(verdict,
					"order")
			}
			t.Row(verdict, len(m.Cells), steps, now[0], orders[0], now[1], orders[1])
		}
		before = now
	}
	t.Flush()
	return nil
}

// errors runs a flow, and returns the mean errors of level and velocity at its end, by their scales.
func (c *convergence) errors(ctx context.Context, f basin.Flow) (e [2]float64, steps int, err error) {
	b, err := basin.Start(ctx, c.page, f)
	if err != nil {
		return e, 0, err
	}
	defer b.Close(ctx)
	err = b.Until(ctx, c.end, func(float64) error {
		if c.each == nil {
			return nil
		}
		return c.each(ctx, b)
	})
	if err != nil {
		return e, 0, err
	}
	share := func(x, y float64) float64 {
		if c.inside == nil || c.inside(x, y) {
			return 1
		}
		return 0
	}
	all := b.Mean(func(_ int, x, y float64) float64 { return share(x, y) })
	e[0] = b.Mean(func(i int, x, y float64) float64 {
		z, _, _ := c.exact(x, y, c.end)
		return share(x, y) * math.Abs(b.Value("z2", i)-z)
	}) / (all * c.scale)
	e[1] = b.Mean(func(i int, x, y float64) float64 {
		_, u, v := c.exact(x, y, c.end)
		return share(x, y) * math.Hypot(b.Value("u2", i)-u, b.Value("v2", i)-v)
	}) / (all * c.speed)
	return e, b.Steps(), nil
}
