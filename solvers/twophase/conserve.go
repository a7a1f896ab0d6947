package twophase

import (
	"context"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/solvers/common/netforce"
	"github.com/atoll-hpc/atoll/solvers/common/num"
	"github.com/atoll-hpc/atoll/solvers/engine"
	"github.com/atoll-hpc/atoll/solvers/twophase/kernels"
)

// conservation makes the net force of surface tension on closed interfaces 0.
type conservation[F num.Float] struct{ *solver[F] }

// keep changes the jumps, which have their ghosts. The host gets a list of the cells with an interface, in arrays that
// only the transport needs.
func (s conservation[F]) keep(p *engine.Program) {
	n := s.block.N
	rows := abi.Box{Hi: [3]int{1, n[1], n[2]}}
	area := [3]*engine.Array[F]{s.f[1], s.v[1][0], s.v[1][1]}
	q := &kernels.Listing[F]{Lattice: s.lattice, Long: int32(n[0]), Rows: int32(n[1]), F: s.f[0].Data, Jump: s.jump.Data,
		First: s.firstInRow.Data, Column: s.volume.Data, AreaX: area[0].Data, AreaY: area[1].Data, AreaZ: area[2].Data,
		Value: s.mass.Data}
	l := &netforce.List{Block: s.block, First: make([]int32, n[1]*n[2]+1), Axes: []int{0, 1, 2}[:s.block.Grid.Dim],
		Touches: s.touches}
	if s.cfg.Rings { // across the axis forces cancel
		l.Axes, l.Weight = []int{1}, func(i int) float64 { return s.cfg.weight(s.block, i) }
	}
	p.Run(engine.Over(kernels.NewCountJumpsLoop(rows, q), rows))
	p.Host(func(context.Context) error { return s.numberRows(l.First) })
	p.Run(engine.Over(kernels.NewListJumpsLoop(rows, q), rows))
	var value []F
	p.Host(func(ctx context.Context) error {
		if err := s.read(l, area); err != nil {
			return err
		}
		changes, err := l.Changes(ctx, s.Env().Comm)
		if err != nil {
			return err
		}
		value = value[:0]
		for _, v := range changes {
			value = append(value, F(v)*s.fluids.Tension)
		}
		return s.mass.SetPart(value)
	})
	p.Run(engine.Over(kernels.NewAddToJumpsLoop(rows, q), rows))
}

// numberRows replaces the number of listed cells of each row by that of all rows before it, also in first, where that
// of all cells follows.
func (s conservation[F]) numberRows(first []int32) error {
	counts, err := s.firstInRow.Host()
	if err != nil {
		return err
	}
	for row, n := range counts {
		first[row+1] = first[row] + n
	}
	return s.firstInRow.Set(first[:len(counts)])
}

// read reads the list.
func (s conservation[F]) read(l *netforce.List, area [3]*engine.Array[F]) error {
	n := int(l.First[len(l.First)-1])
	column, err := s.volume.HostPart(n)
	if err != nil {
		return err
	}
	jump, err := s.mass.HostPart(n)
	if err != nil {
		return err
	}
	l.Column, l.Kappa = l.Column[:0], l.Kappa[:0]
	for k, v := range jump {
		l.Column, l.Kappa = append(l.Column, int32(column[k])), append(l.Kappa, float64(v)/float64(s.fluids.Tension))
	}
	for d := range s.block.Grid.Dim {
		from, err := area[d].HostPart(n)
		if err != nil {
			return err
		}
		l.Area[d] = l.Area[d][:0]
		for _, v := range from {
			l.Area[d] = append(l.Area[d], float64(v))
		}
	}
	return nil
}

// touches reports whether an own cell is beside a side or a solid. The axis is no side.
func (s conservation[F]) touches(i, j, k int) bool {
	b := s.block
	c := b.Index(i, j, k)
	for d := range b.Grid.Dim {
		at := b.Lo[d] + [3]int{i, j, k}[d]
		if !b.Grid.Periodic[d] && (at == 0 && !(s.cfg.Rings && d == 0) || at == b.Grid.N[d]-1) {
			return true
		}
		if step := stride(b, d); s.solids != nil && (s.solids.solid[c-step] || s.solids.solid[c+step]) {
			return true
		}
	}
	return s.solids != nil && s.solids.solid[c]
}
