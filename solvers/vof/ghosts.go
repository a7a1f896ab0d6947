package vof

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/vof/kernels"
)

// ghosts brings the ghosts of a block's fields up to date, one axis after the other, so that edges and corners come along:
// layers are as wide as the arrays. It allocates nothing after newGhosts.
type ghosts[F kernels.Float] struct {
	block      *Block
	comm       dist.Comm
	send, recv [3][2][]F // by axis, to and from below and above
	reqs       []dist.Request
}

// haloTag keeps the layers apart from other messages; six tags are used.
const haloTag = 1

func newGhosts[F kernels.Float](b *Block, comm dist.Comm) *ghosts[F] {
	g := &ghosts[F]{block: b, comm: comm, reqs: make([]dist.Request, 0, 4)}
	n, _ := b.shape()
	for axis := range b.Dim {
		size := n[0] * n[1] * n[2] / n[axis] * b.Ghost
		for side := range 2 {
			g.send[axis][side], g.recv[axis][side] = make([]F, size), make([]F, size)
		}
	}
	return g
}

// fill brings the ghosts of f up to date.
func (g *ghosts[F]) fill(ctx context.Context, f []F) error {
	b := g.block
	n, _ := b.shape()
	for axis := range b.Dim {
		below, above := b.neighbour(axis, -1), b.neighbour(axis, 1)
		me := g.comm.Rank()
		g.reqs = g.reqs[:0]
		for side, peer := range [2]int{below, above} {
			if peer < 0 {
				continue
			}
			from := b.Ghost
			if side == 1 {
				from = n[axis] - 2*b.Ghost
			}
			g.layers(axis, from, f, g.send[axis][side], false)
			if peer == me {
				continue
			}
			// What goes down arrives from above: the tag is that of the sender's side.
			in, err := g.comm.Irecv(ctx, peer, haloTag+2*axis+1-side, bytesOf(g.recv[axis][side]))
			if err != nil {
				return fmt.Errorf("ghosts: %w", err)
			}
			out, err := g.comm.Isend(ctx, peer, haloTag+2*axis+side, bytesOf(g.send[axis][side]))
			if err != nil {
				return fmt.Errorf("ghosts: %w", err)
			}
			g.reqs = append(g.reqs, in, out)
		}
		if err := g.comm.Wait(ctx, g.reqs); err != nil {
			return fmt.Errorf("ghosts: %w", err)
		}
		for side, peer := range [2]int{below, above} {
			to := side * (n[axis] - b.Ghost)
			switch peer {
			case -1:
				g.wall(axis, side, f)
			case me:
				g.layers(axis, to, f, g.send[axis][1-side], true)
			default:
				g.layers(axis, to, f, g.recv[axis][side], true)
			}
		}
	}
	return nil
}

// layers copies the layers of f from the given one on to buf, or back.
func (g *ghosts[F]) layers(axis, from int, f, buf []F, back bool) {
	n, stride := g.block.shape()
	var lo [3]int
	lo[axis], n[axis] = from, g.block.Ghost
	at := 0
	for k := range n[2] {
		for j := range n[1] {
			row := f[lo[0]+(lo[1]+j)*stride[1]+(lo[2]+k)*stride[2]:][:n[0]]
			if back {
				copy(row, buf[at:])
			} else {
				copy(buf[at:], row)
			}
			at += n[0]
		}
	}
}

// wall copies the outermost cells into the ghosts beyond the grid: nothing changes across its boundary. (Extrapolation of
// higher order would leave [0, 1].)
func (g *ghosts[F]) wall(axis, side int, f []F) {
	n, stride := g.block.shape()
	inside, step := g.block.Ghost, -1
	if side == 1 {
		inside, step = n[axis]-1-g.block.Ghost, 1
	}
	s, t := (axis+1)%3, (axis+2)%3
	for y := range n[t] {
		for x := range n[s] {
			row := x*stride[s] + y*stride[t]
			v := f[row+inside*stride[axis]]
			for k := 1; k <= g.block.Ghost; k++ {
				f[row+(inside+k*step)*stride[axis]] = v
			}
		}
	}
}

func bytesOf[F kernels.Float](f []F) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(f))), len(f)*int(unsafe.Sizeof(F(0))))
}
