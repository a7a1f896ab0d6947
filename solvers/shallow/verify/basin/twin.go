package basin

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/halo"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/shallow"
)

// twin is a running flow on a twin.
type twin struct {
	name  string
	comms []dist.Comm
	parts []*mesh.Part
	flows []*shallow.Solver
}

func twinOf(ctx context.Context, t verify.Twin, f Flow) (*twin, error) {
	n := len(t.Devices)
	w := &twin{name: t.Name, comms: local.New(n), parts: make([]*mesh.Part, n), flows: make([]*shallow.Solver, n)}
	plans := make([]*halo.Plan, n)
	err := f.eachPart(n, func(r int, part *mesh.Part, plan *halo.Plan) error {
		w.parts[r], plans[r] = part, plan
		return nil
	})
	if err == nil {
		err = w.each(func(r int) error {
			cfg, err := f.configOf(w.parts[r])
			if err != nil {
				return err
			}
			w.flows[r], err = shallow.New(ctx, solvers.Env{Comm: w.comms[r], Device: t.Devices[r]}, f.Precision, cfg,
				shallow.Setting{Part: w.parts[r], Plan: plans[r], Initial: f.InitialState(w.parts[r])})
			return err
		})
	}
	if err != nil {
		w.free()
		return nil, fmt.Errorf("%s: %w", t.Name, err)
	}
	return w, nil
}

// ownTwins returns twins on numbers of ranks.
func (b *Basin) ownTwins(ranks []int) (twins []verify.Twin) {
	for _, n := range ranks {
		t := verify.Twin{Name: fmt.Sprintf("%d ranks", n)}
		for range n {
			d := cpu.New(1)
			b.more, t.Devices = append(b.more, d), append(t.Devices, d)
		}
		twins = append(twins, t)
		b.page.AddTwin(t)
	}
	return twins
}

// each calls f for every rank at the same time.
func (w *twin) each(f func(rank int) error) error {
	errs := make([]error, len(w.comms))
	var wg sync.WaitGroup
	for r := range w.comms {
		wg.Go(func() { errs[r] = f(r) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (w *twin) step(ctx context.Context, until float64) error {
	return w.each(func(r int) error {
		_, err := w.flows[r].Step(ctx, until)
		return err
	})
}

// modifyState calls change for the cells of the rank of the flow, by their global ids.
func (w *twin) modifyState(ctx context.Context, local []int32, change func(cell int, w *[6]float64)) error {
	return w.each(func(r int) error {
		global := w.parts[r].Global
		return w.flows[r].ModifyState(ctx, func(cell int, state *[6]float64) { change(int(local[global[cell]]), state) })
	})
}

// compare compares the twin's state with the flow's.
func (w *twin) compare(ctx context.Context, b *Basin) {
	want, err := b.Hash(ctx)
	got := make([]string, len(w.flows))
	if err == nil {
		err = w.each(func(r int) (err error) {
			got[r], err = w.flows[r].Hash(ctx)
			return err
		})
	}
	problem := ""
	switch {
	case err != nil:
		problem = fmt.Sprintf("%s: %v", w.name, err)
	case got[0] != want || w.flows[0].Steps() != b.Steps():
		problem = fmt.Sprintf("%s: state %s after %d steps, and not %s after %d", w.name, got[0], w.flows[0].Steps(), want,
			b.Steps())
	}
	b.page.RecordTwin(problem)
}

func (w *twin) free() {
	for r := range w.comms {
		if w.flows[r] != nil {
			w.flows[r].Close()
		}
	}
	_ = w.each(func(r int) error { return w.comms[r].Close() })
}
