package smooth

import (
	"context"
	"math"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// Diagnostics are global quantities, the same on every rank and for any number of ranks. Sums are exact.
type Diagnostics struct {
	Sweeps      int
	QualityMin  float64
	QualityMean float64
	QualityMax  float64
	Worst, Best int64    // cells of the least and the greatest quality, the lowest ids of those
	Histogram   [5]int64 // cells of quality below 0.2, 0.4, 0.6, 0.8, and of more
	Inverted    int64    // cells whose area, or volume, is not positive

	EdgeMin, EdgeMean, EdgeMax float64  // lengths in the metric
	EdgeInRange                float64  // share of edges whose length is between 1/√2 and √2
	EdgeHistogram              [8]int64 // edges of lengths below 1/8, 1/4, 1/2, 1, 2, 4, 8, and of more
	Objective                  float64  // ½Σ u'Mu over all edges, what the pain smoothers make small

	Area, AreaDrift           float64 // Σ of areas, or volumes in space, and how far it is, as a share, from what it was
	Perimeter, PerimeterDrift float64 // of the mesh, or the area of its boundary in space
	Moved                     int64   // vertices that are not where they were at the start
	Active                    int64   // vertices that the last sweep visited: all that may move, unless Cull is set
	Limited                   int64   // steps that the guard shortened or refused, over all sweeps
	Refused                   int64   // steps that would not have raised the worst quality, over all sweeps
}

func (s *solver[F]) Diagnose(ctx context.Context) (Diagnostics, error) {
	var t tally
	if err := s.measure(&t); err != nil {
		return Diagnostics{}, err
	}
	return t.reduce(ctx, s.comm, s.Sweeps(), &s.start)
}

// reduce makes the diagnostics of all ranks' tallies. start is what there was at the start, zero if this is it.
func (t *tally) reduce(ctx context.Context, comm dist.Comm, sweeps int, start *Diagnostics) (Diagnostics, error) {
	d := Diagnostics{Sweeps: sweeps, Worst: -1, Best: -1}
	for _, e := range []struct {
		sum *dist.Accumulator
		to  *float64
	}{
		{&t.quality, &d.QualityMean}, {&t.lengths, &d.EdgeMean}, {&t.squares, &d.Objective},
		{&t.area, &d.Area}, {&t.perimeter, &d.Perimeter},
	} {
		if err := dist.AllreduceSum(ctx, comm, e.sum); err != nil {
			return d, err
		}
		*e.to = e.sum.Float64()
	}
	most := []float64{-t.least, t.most, -t.shortest, t.longest}
	if err := comm.AllreduceFloat64(ctx, dist.Max, most); err != nil {
		return d, err
	}
	d.QualityMin, d.QualityMax, d.EdgeMin, d.EdgeMax = -most[0], most[1], -most[2], most[3]
	at := []int64{math.MaxInt64, math.MaxInt64}
	if t.cells > 0 && t.least == d.QualityMin {
		at[0] = int64(t.worst)
	}
	if t.cells > 0 && t.most == d.QualityMax {
		at[1] = int64(t.best)
	}
	if err := comm.AllreduceInt64(ctx, dist.Min, at); err != nil {
		return d, err
	}
	d.Worst, d.Best = at[0], at[1]
	sums := []int64{t.cells, t.edges, t.inverted, t.inRange, t.moved, t.limited, t.refused, t.active}
	sums = append(append(sums, t.histogram[:]...), t.lengthHistogram[:]...)
	if err := comm.AllreduceInt64(ctx, dist.Sum, sums); err != nil {
		return d, err
	}
	cells, edges := float64(sums[0]), float64(sums[1])
	d.Inverted, d.EdgeInRange, d.Moved, d.Limited, d.Refused = sums[2], float64(sums[3])/edges, sums[4], sums[5], sums[6]
	d.Active = sums[7]
	copy(d.Histogram[:], sums[8:])
	copy(d.EdgeHistogram[:], sums[8+len(d.Histogram):])
	d.QualityMean /= cells
	d.EdgeMean /= edges
	d.Objective /= 2
	if start.Area != 0 {
		d.AreaDrift = (d.Area - start.Area) / start.Area
		d.PerimeterDrift = (d.Perimeter - start.Perimeter) / start.Perimeter
	}
	return d, nil
}

// tally is what one rank has.
type tally struct {
	quality, lengths, squares, area, perimeter dist.Accumulator
	least, most, shortest, longest             float64
	worst, best                                int32
	cells, edges, inverted, inRange            int64
	moved, limited, refused, active            int64
	histogram                                  [5]int64
	lengthHistogram                            [8]int64
}

// measure runs over the cells, edges and vertices of the part.
func (s *solver[F]) measure(t *tally) error {
	shapes, sides, err := s.shapesAndSides()
	if err != nil {
		return err
	}
	t.least, t.most, t.shortest, t.longest = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	t.cells, t.edges = int64(len(shapes)), int64(len(sides))
	for i := range shapes {
		t.cell(s.part.CellGlobal[i], float64(shapes[i].Quality), float64(shapes[i].Area))
	}
	for i := range sides {
		t.side(float64(sides[i].Metric))
		if s.part.Border[i] {
			t.perimeter.Add(float64(sides[i].Length))
		}
	}
	v, err := s.view()
	if err != nil {
		return err
	}
	for i := range s.part.Owned {
		if v[i].X != F(s.part.X[i]) || v[i].Y != F(s.part.Y[i]) {
			t.moved++
		}
	}
	if t.active, err = s.active(); err != nil {
		return err
	}
	var n [1]kernels.Counters
	if err := backend.Download(s.dev, n[:], s.counters); err != nil {
		return err
	}
	t.limited, t.refused = n[0].Limited, n[0].Refused
	return nil
}

// active is how many of the rank's vertices the last sweep visited.
func (s *solver[F]) active() (n int64, err error) {
	if s.Sweeps() == 0 {
		return 0, nil
	}
	if !s.params.Cull {
		for set := range s.part.Sets {
			n += int64(s.part.First[set].Hi - s.part.First[set].Lo + s.part.Rest[set].Hi - s.part.Rest[set].Lo)
		}
		return n, nil
	}
	seen := s.seen[:s.part.Owned]
	if s.apart {
		seen = make([]int32, s.part.Owned)
		if err := backend.Download(s.dev, seen, s.seen[:s.part.Owned]); err != nil {
			return 0, err
		}
	}
	for _, at := range seen {
		if int(at) > (s.Sweeps()-1)*s.part.Sets {
			n++
		}
	}
	return n, nil
}

func (t *tally) cell(id int32, quality, area float64) {
	t.quality.Add(quality)
	t.area.Add(area)
	if !(area > 0) {
		t.inverted++
	}
	// A NaN counts as the worst there is.
	if quality < t.least || quality == t.least && id < t.worst || quality != quality && t.least == t.least {
		t.least, t.worst = quality, id
	}
	if quality > t.most || quality == t.most && id < t.best {
		t.most, t.best = quality, id
	}
	bin := 0
	for bin < len(t.histogram)-1 && quality >= 0.2*float64(bin+1) {
		bin++
	}
	t.histogram[bin]++
}

func (t *tally) side(length float64) {
	t.lengths.Add(length)
	t.squares.Add(length * length)
	t.shortest, t.longest = min(t.shortest, length), max(t.longest, length)
	if length >= math.Sqrt2/2 && length <= math.Sqrt2 {
		t.inRange++
	}
	bin := 0
	for limit := 0.125; bin < len(t.lengthHistogram)-1 && length >= limit; limit *= 2 {
		bin++
	}
	t.lengthHistogram[bin]++
}

// shapesAndSides measures all cells and edges and returns them on the host.
func (s *solver[F]) shapesAndSides() ([]kernels.Shape[F], []kernels.Side[F], error) {
	s.dev.Run(s.measureCell, 0, len(s.cells))
	s.dev.Run(s.measureEdge, 0, len(s.edges))
	if !s.apart {
		return s.shapes, s.sides, nil
	}
	shapes, sides := make([]kernels.Shape[F], len(s.shapes)), make([]kernels.Side[F], len(s.sides))
	if err := backend.Download(s.dev, shapes, s.shapes); err != nil {
		return nil, nil, err
	}
	return shapes, sides, backend.Download(s.dev, sides, s.sides)
}

// meanQuality is that of the whole mesh.
func (s *solver[F]) meanQuality(ctx context.Context) (float64, error) {
	shapes, _, err := s.shapesAndSides()
	if err != nil {
		return 0, err
	}
	var sum dist.Accumulator
	for i := range shapes {
		sum.Add(float64(shapes[i].Quality))
	}
	n := []int64{int64(len(shapes))}
	if err := s.comm.AllreduceInt64(ctx, dist.Sum, n); err != nil {
		return 0, err
	}
	if err := dist.AllreduceSum(ctx, s.comm, &sum); err != nil {
		return 0, err
	}
	return sum.Float64() / float64(n[0]), nil
}

func (s *solver[F]) Qualities() ([]float64, error) {
	shapes, _, err := s.shapesAndSides()
	if err != nil {
		return nil, err
	}
	q := make([]float64, len(shapes))
	for i := range q {
		q[i] = float64(shapes[i].Quality)
	}
	return q, nil
}
