package kernels

import (
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels/lookup"
)

// Window is the box of a metric grid's nodes that a tile holds: Nx per row, from node (I, J). Outside of it the
// samples are read from the grid itself, so that the bits do not depend on windows.
type Window struct{ I, J, Nx, Ny int32 }

// metric returns the metric at a position, as Field.At does, from the window if possible.
func (b *sharedTile[F]) metric(f *Field[F], x, y F) Tensor[F] {
	if f.Kind != lookup.Grid {
		return f.At(x, y)
	}
	i, s := lookup.Locate(x, f.X, f.PerX, f.Nx)
	j, t := lookup.Locate(y, f.Y, f.PerY, f.Ny)
	w := b.window
	di, dj := i-w.I, j-w.J
	if di < 0 || dj < 0 || di >= w.Nx-1 || dj >= w.Ny-1 {
		return f.bilinear(i, j, s, t)
	}
	k := dj*w.Nx + di
	var m Tensor[F]
	p, q, r, u := &b.nodeRow[k], &b.nodeRow[k+1], &b.nodeRow[k+w.Nx], &b.nodeRow[k+w.Nx+1]
	m.M11 = f.Scale * lookup.Bilinear(p.M11, q.M11, r.M11, u.M11, s, t)
	m.M12 = f.Scale * lookup.Bilinear(p.M12, q.M12, r.M12, u.M12, s, t)
	m.M22 = f.Scale * lookup.Bilinear(b.nodeRest[k], b.nodeRest[k+1], b.nodeRest[k+w.Nx], b.nodeRest[k+w.Nx+1], s, t)
	return m
}

// windowThreads is the number of threads that compute a tile's window.
const windowThreads = 128

// BoxRange is a range of a grid's boxes.
type BoxRange struct{ I0, I1, J0, J1 int32 }

// CentreWindows computes the window of tile t around the current positions of the vertices that it moves, or around
// their centre if that is too large. A window that would hold less than half of the nodes needed is left empty.
//
//atoll:kernel tile
func CentreWindows[F num.Float](t int, m *TiledMesh[F], field *Field[F], v *TileVertices[F], windows []Window,
	ranges *[windowThreads]BoxRange) {
	slot, visits := m.Tiles[t].Slot, m.Tiles[t].End[TileSets-1]
	for a := range int32(windowThreads) {
		b := BoxRange{field.Nx, -1, field.Ny, -1}
		for k := a; k < visits; k += windowThreads {
			p := &v.Place[m.Slots[slot+k]>>SlotBits]
			i, _ := lookup.Locate(p.X, field.X, field.PerX, field.Nx)
			j, _ := lookup.Locate(p.Y, field.Y, field.PerY, field.Ny)
			b.I0, b.I1, b.J0, b.J1 = min(b.I0, i), max(b.I1, i), min(b.J0, j), max(b.J1, j)
		}
		ranges[a] = b
	}
	for range 1 {
		b := ranges[0]
		for a := 1; a < windowThreads; a++ {
			c := &ranges[a]
			b.I0, b.I1, b.J0, b.J1 = min(b.I0, c.I0), max(b.I1, c.I1), min(b.J0, c.J0), max(b.J1, c.J1)
		}
		windows[t] = b.window(field.Kind)
	}
}

// window returns the nodes of all boxes, or of those in the centre.
func (b *BoxRange) window(kind int32) Window {
	w := Window{b.I0, b.J0, b.I1 - b.I0 + 2, b.J1 - b.J0 + 2}
	if kind != lookup.Grid || w.Nx < 2 || w.Ny < 2 || int64(w.Nx)*int64(w.Ny) > 2*TileNodes {
		return Window{}
	}
	if w.Nx >= w.Ny {
		limit := TileNodes / w.Ny
		if w.Nx > limit {
			w.I += (w.Nx - limit) / 2
			w.Nx = limit
		}
		return w
	}
	limit := TileNodes / w.Nx
	if w.Ny > limit {
		w.J += (w.Ny - limit) / 2
		w.Ny = limit
	}
	return w
}
