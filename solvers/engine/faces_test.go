package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/halo/halotest"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/common/exact"
	"github.com/atoll-hpc/atoll/solvers/engine"
)

// faceGrids are grids, and their division into boxes.
var faceGrids = []halo.Boxes{
	{Dim: 2, Cuts: [3][]int{{0, 4, 9}, {0, 3, 7}, {0, 1}}},
	{Dim: 2, Cuts: [3][]int{{0, 4, 9}, {0, 3, 7}, {0, 1}}, Periodic: [3]bool{true, false, false}},
	{Dim: 2, Cuts: [3][]int{{0, 3, 6, 8}, {0, 5}, {0, 1}}, Periodic: [3]bool{false, true, false}},
	{Dim: 3, Cuts: [3][]int{{0, 4}, {0, 3, 7}, {0, 2, 5}}, Periodic: [3]bool{false, false, true}},
}

// TestFacesAreExchanged: every rank gets the faces of others in its ghosts, those beyond the last cell of an axis too;
// the faces of all ranks are those of the grid, and their fields show them.
func TestFacesAreExchanged(t *testing.T) {
	for _, boxes := range faceGrids {
		n := [3]int{}
		ranks := 1
		for d, c := range boxes.Cuts {
			n[d] = c[len(c)-1]
			ranks *= len(c) - 1
		}
		for axis := range boxes.Dim {
			comms := local.New(ranks)
			disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
				return exchangeFaces(ctx, comm, boxes, n, axis)
			})
			disttest.Close(t, comms)
		}
	}
}

func exchangeFaces(ctx context.Context, comm dist.Comm, boxes halo.Boxes, n [3]int, axis int) error {
	g := &grid.Grid{Dim: boxes.Dim, N: n, Hi: [3]float64{1, 1, 1}, Periodic: boxes.Periodic}
	lo, size := boxes.Box(comm.Rank())
	b, err := g.Block(lo, size, 2)
	if err != nil {
		return err
	}
	cells, err := halo.NewBoxPlan(boxes, comm.Rank(), 2, [3]int{2, 2, 2}, halo.AxisByAxis)
	if err != nil {
		return err
	}
	plan, err := cells.WithUpperFaces(halo.AxisByAxis)
	if err != nil {
		return err
	}
	dev := cpu.New(1)
	defer dev.Close()
	table := engine.NewTable(dev)
	e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
	defer e.Close()
	a := engine.Add[float64](table, "faces", b.Len())
	all := n
	if !boxes.Periodic[axis] {
		all[axis]++
	}
	own := b.Faces(axis)
	faces := &solvers.Space{Name: "face", Owned: own[0] * own[1] * own[2], Key: func(i int) int64 {
		return b.FaceNumber(axis, i)
	}}
	for i := range faces.Owned {
		a.Data[b.Index(i%own[0], i/own[0]%own[1], i/own[0]/own[1])] = float64(1 + b.FaceNumber(axis, i))
	}
	ghosts := e.BoxGhosts(plan, 1)
	if err := e.Do(ctx, func(p *engine.Program) { p.Exchange(ghosts, a) }); err != nil {
		return err
	}
	for c, v := range a.Data {
		i, j, k := b.Cell(c)
		at, inside := [3]int{lo[0] + i, lo[1] + j, lo[2] + k}, true
		for d := range at {
			if boxes.Periodic[d] {
				at[d] = (at[d] + n[d]) % n[d]
			}
			inside = inside && at[d] >= 0 && at[d] < all[d]
		}
		if want := float64(1 + at[0] + all[0]*(at[1]+all[1]*at[2])); inside && v != want {
			return fmt.Errorf("%v, axis %d: face %v is %v, want %v", boxes, axis, at, v, want)
		}
	}
	f := engine.ShownOnFaces(e, solvers.Field{Name: "u", Space: faces}, b, axis, a)
	shown, err := f.Read(ctx)
	for i, v := range shown {
		if v != float64(1+faces.Key(i)) {
			return fmt.Errorf("face %d is shown as %v, its key is %d", i, v, faces.Key(i))
		}
	}
	return err
}

// TestSumsOverRanks: integers, and grid sums, of all ranks are added up, and parts of an array are put together, with
// the bits of one rank.
func TestSumsOverRanks(t *testing.T) {
	x := []float64{1, -1e-17, 3e5, 2.5e-9, -7, 1e5 / 3.0}
	var first, second float64
	for _, ranks := range []int{1, 2, 3} {
		comms := local.New(ranks)
		disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
			dev := cpu.New(1)
			defer dev.Close()
			table := engine.NewTable(dev)
			e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
			defer e.Close()
			words, whole := engine.Add[int64](table, "words", 2), engine.Add[float32](table, "whole", 7)
			var sum exact.GridSum
			sum.Reset(int64(len(x)), 3e5)
			for i, v := range x {
				if i%ranks == comm.Rank() {
					sum.Add(v)
					whole.Data[i] = -float32(v)
					words.Data[1] += int64(i)
				}
			}
			err := e.Do(ctx, func(p *engine.Program) {
				p.Reduce(engine.AddedOf(words))
				p.Reduce(engine.AssembledOf(whole))
				p.Reduce(engine.GridSumOf(&sum))
			})
			v, valid := sum.Value()
			if comm.Rank() == 0 && ranks == 1 {
				first, second = v, float64(whole.Data[5])
			}
			if err != nil || !valid || v != first || words.Data[1] != 15 || float64(whole.Data[5]) != second {
				return fmt.Errorf("%v (%t), %v, %v, error %v", v, valid, words.Data, whole.Data, err)
			}
			for i, v := range x {
				if whole.Data[i] != -float32(v) {
					return fmt.Errorf("%v", whole.Data)
				}
			}
			return nil
		})
		disttest.Close(t, comms)
	}
}

// TestDevicesAddUp: linked devices add up integers and put arrays together without the host, also in recordings, with
// the bits of sums on the host; arrays of an odd number of float32 go through the host.
func TestDevicesAddUp(t *testing.T) {
	const rounds = 4
	for _, ranks := range []int{1, 2, 3} {
		for _, cells := range []int{1, 2, 7, 64} {
			var sums [2][]int64 // by the host, by devices
			for k, linked := range []bool{false, true} {
				comms := local.New(ranks)
				disttest.Each(t, comms, func(ctx context.Context, comm dist.Comm) error {
					var dev backend.Device = cpu.New(1)
					if linked {
						dev = halotest.NewLinkedRecorder(dev, 1<<20, comm)
					}
					defer dev.Close()
					words, whole, err := addUp(ctx, dev, comm, cells, rounds)
					if comm.Rank() == 0 {
						sums[k] = words
					}
					for i, v := range whole {
						if v != float32(i+1) {
							err = errors.Join(err, fmt.Errorf("%d ranks, linked %t: element %d of %d is %v", ranks, linked, i, cells, v))
						}
					}
					return err
				})
				disttest.Close(t, comms)
			}
			if !slices.Equal(sums[0], sums[1]) || sums[0][0] == 0 {
				t.Errorf("%d ranks, %d words: %v by the host, %v by devices", ranks, cells, sums[0], sums[1])
			}
		}
	}
}

// addUp adds up integers over ranks in several rounds of one program, and puts an array together.
func addUp(ctx context.Context, dev backend.Device, comm dist.Comm, n, rounds int) ([]int64, []float32, error) {
	table := engine.NewTable(dev)
	e := engine.New(solvers.Env{Comm: comm, Device: dev}, table)
	defer e.Close()
	words := engine.Input(table, "words", n, func() (list []int64) {
		for i := range n {
			list = append(list, int64(i*7-30)+int64(comm.Rank()+1)<<40)
		}
		return list
	})
	whole := engine.Input(table, "whole", n, func() []float32 {
		list := make([]float32, n)
		for i := comm.Rank(); i < n; i += comm.Size() {
			list[i] = float32(i + 1)
		}
		return list
	})
	if err := table.Err(); err != nil {
		return nil, nil, err
	}
	if _, err := e.Link(ctx); err != nil {
		return nil, nil, err
	}
	batch, err := e.NewBatch(ctx, 1, func(p *engine.Program) { p.Reduce(engine.AddedOf(words)) })
	if err != nil {
		return nil, nil, err
	}
	for range rounds {
		if err := batch.Play(ctx); err != nil {
			return nil, nil, err
		}
	}
	_, recorder := dev.(backend.Recorder)
	if recorder != batch.Recorded() {
		return nil, nil, fmt.Errorf("recorded: %t", batch.Recorded())
	}
	if err := e.Do(ctx, func(p *engine.Program) { p.Reduce(engine.AssembledOf(whole)) }); err != nil {
		return nil, nil, err
	}
	sums, err := words.Host()
	if err != nil {
		return nil, nil, err
	}
	sums = slices.Clone(sums)
	all, err := whole.Host()
	return sums, slices.Clone(all), err
}
