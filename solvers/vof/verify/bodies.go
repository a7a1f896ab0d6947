package verify

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers/common/shape"
)

// bodies compares the initial volume of the fluid with the volume of its body.
func bodies(ctx context.Context, p *verify.Page) error {
	ellipse, err := shape.Ellipsoid(.5, .48, .53, .3, .2, .35)
	if err != nil {
		return err
	}
	cube, volume, err := rotatedCube()
	if err != nil {
		return err
	}
	lens := shape.Intersection(shape.Ball(.4, .5, .5, .3), shape.Ball(.6, .5, .5, .3))
	shell := shape.Difference(shape.Ball(.5, .5, .5, .4), shape.Ball(.5, .5, .5, .2))
	const quadrature = -1
	t := p.Table("Volumes of bodies in the unit box", "body", "fractions", "cells", "volume", "relative error")
	for _, c := range []struct {
		name   string
		body   shape.Body
		dim, n int
		levels int
		want   float64
		bound  float64
	}{
		{"circle", shape.Ball(.5, .5, 0, .25), 2, 64, quadrature, math.Pi / 16, 1e-12},
		{"circle", shape.Ball(.5, .5, 0, .25), 2, 256, 5, math.Pi / 16, 1e-6},
		{"ball", shape.Ball(.5, .5, .5, .25), 3, 16, quadrature, math.Pi / 48, 1e-12},
		{"ball", shape.Ball(.5, .5, .5, .25), 3, 16, 4, math.Pi / 48, 3e-4},
		{"ellipsoid", ellipse, 3, 24, quadrature, 4 * math.Pi / 3 * .021, 1e-12},
		{"torus", shape.Torus(.5, .5, .5, .3, .12), 3, 24, quadrature, 2 * math.Pi * math.Pi * .3 * .0144, 1e-12},
		{"shell", shell, 3, 16, quadrature, 4 * math.Pi / 3 * .056, 1e-12},
		{"lens", lens, 3, 16, quadrature, 2 * math.Pi / 3 * .04 * .7, 1e-12},
		{"turned cube, STL", cube, 3, 16, quadrature, volume, 1e-12},
		{"turned cube, STL", cube, 3, 16, 3, volume, 1e-2},
	} {
		if p.Options.Quick && c.dim == 3 && c.n > 16 {
			continue
		}
		g := unit(c.dim, c.n)
		b, err := g.Whole(0)
		if err != nil {
			return err
		}
		p.Progress("%s, %d cells an axis", c.name, c.n)
		f, err := shape.Fill(ctx, b, c.body, c.levels, true)
		if err != nil {
			return err
		}
		sum := 0.0
		for _, v := range f {
			sum += v
		}
		sum *= g.CellVolume()
		method := "quadrature"
		if c.levels >= 0 {
			method = fmt.Sprintf("divided %d times", c.levels)
		}
		rel := math.Abs(sum/c.want - 1)
		t.Row(verify.AtMost(rel, c.bound), c.name, method, c.n, fmt.Sprintf("%.12g", sum), fmt.Sprintf("%.1e", rel))
	}
	t.Flush()
	return nil
}

// rotatedCube returns a cube that stands on a corner, as an STL body, and its volume.
func rotatedCube() (shape.Body, float64, error) {
	var corners [8][3]float64
	for n := range corners {
		// Rows of the rotation, scaled by 1/2.
		for axis, row := range [3][3]float64{{2, 2, -1}, {-1, 2, 2}, {2, -1, 2}} {
			v := .5
			for d, r := range row {
				v += r / 6 * (float64(n>>d&1) - .5)
			}
			corners[n][axis] = float64(float32(v)) // rounded as in the file
		}
	}
	faces := [][4]int{{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}
	data := binary.LittleEndian.AppendUint32(make([]byte, 80), uint32(2*len(faces)))
	volume := 0.0
	for _, f := range faces {
		for _, t := range [2][3]int{{f[0], f[1], f[2]}, {f[0], f[2], f[3]}} {
			data = append(data, make([]byte, 12)...) // the normal, which is ignored
			for _, n := range t {
				for _, x := range corners[n] {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
				}
			}
			data = append(data, 0, 0)
			a, b, c := corners[t[0]], corners[t[1]], corners[t[2]]
			volume += (a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0])) / 6
		}
	}
	body, err := shape.STL(data)
	return body, volume, err
}
