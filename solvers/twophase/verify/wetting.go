package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
)

const wettingCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 1, 1], cells = [%[1]d, %[1]d] }
fluids = { density = [1, 0.1], viscosity = [0.1, 0.05], surface_tension = 1 }
initial = { shape = "circle(0, 0, 0.4)" }
sides = { y_low = { kind = "slip", contact_angle = %[2]g } }
time = { end = 6 }
`

const wettingInSpaceCase = `
solver = "two-phase"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [%[1]d, %[1]d, %[1]d] }
fluids = { density = [1, 0.1], viscosity = [0.2, 0.1], surface_tension = 1 }
initial = { shape = "sphere(0, 0, 0, 0.5)" }
sides = { z_low = { kind = "slip", contact_angle = %[2]g } }
time = { end = 4 }
`

// wetting lets drops that begin with a right angle relax on a wall: without gravity they end as parts of circles and of
// spheres, whose size follows from the angle and the volume.
func wetting(ctx context.Context, p *verify.Page) error {
	t := p.Table("Drops on a wall, R/h about 10", "dimensions", "contact angle", "cells", "steps", "height / exact",
		"error of the half width at the wall, cells", "change of volume")
	for _, c := range []struct {
		dim, n, resolution int
		angle              float64
	}{{2, 24, 0, 30}, {2, 24, 0, 60}, {2, 24, 0, 90}, {2, 24, 0, 120}, {2, 24, 0, 135}, {2, 24, 0, 150}, {2, 48, 2, 30},
		{2, 48, 2, 150}, {3, 20, 1, 30}, {3, 20, 1, 60}, {3, 20, 1, 90}, {3, 20, 1, 120}, {3, 20, 1, 135}, {3, 20, 1, 150}} {
		if skipped(p, c.resolution) {
			continue
		}
		p.Progress("%d dimensions, %g degrees", c.dim, c.angle)
		text := map[int]string{2: wettingCase, 3: wettingInSpaceCase}[c.dim]
		o, err := testRun{text: fmt.Sprintf(text, c.n, c.angle)}.run(ctx, p, 1)
		if err != nil {
			return err
		}
		exact, volume := capOf(c.dim, c.angle*math.Pi/180)
		n, h, f := c.n, 1/float64(c.n), o.fields["f"]
		plane := 1 // the number of cells of a layer along the wall, and 1/h to that power
		for range c.dim - 1 {
			plane *= n
		}
		height, base := 0., 0.
		for k := range n {
			height += f[k*plane] * h
		}
		for k := range n {
			base += f[k] * h // the row along x in the layer at the wall
		}
		height /= exact.height()
		base -= (exact.halfWidth(0) + 4*exact.halfWidth(h/2) + exact.halfWidth(h)) / 6 // the mean over the layer
		total := 0.
		for _, v := range f {
			total += v * h / float64(plane)
		}
		change := total/volume - 1
		v := verify.AtMost(math.Abs(height-1), .02).And(verify.AtMost(math.Abs(base/h), .3), "width").
			And(verify.AtMost(math.Abs(change), .003), "volume") // the initial one is approximate in cells at the axis
		t.Row(v, c.dim, c.angle, c.n, o.steps, fmt.Sprintf("%.4f", height), fmt.Sprintf("%+.2f", base/h),
			fmt.Sprintf("%.1e", change))
	}
	t.Flush()
	return nil
}

// sphericalCap is a part of a circle or sphere above a wall, with a contact angle in radians.
type sphericalCap struct{ radius, angle float64 }

func (c sphericalCap) height() float64 { return c.radius * (1 - math.Cos(c.angle)) }

// halfWidth is that at a height above the wall.
func (c sphericalCap) halfWidth(y float64) float64 {
	y += c.radius * math.Cos(c.angle)
	return math.Sqrt(c.radius*c.radius - y*y)
}

// capOf is the cap of the drops of the check, and the volume of the part in the grid.
func capOf(dim int, angle float64) (c sphericalCap, volume float64) {
	sin, cos := math.Sincos(angle)
	if dim == 2 {
		volume = math.Pi * .4 * .4 / 4
		return sphericalCap{math.Sqrt(2 * volume / (angle - sin*cos)), angle}, volume
	}
	volume = math.Pi * .5 * .5 * .5 / 6
	return sphericalCap{math.Cbrt(12 * volume / (math.Pi * (2 - 3*cos + cos*cos*cos))), angle}, volume
}
