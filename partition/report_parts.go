package partition

import "fmt"

// PartReport measures how well a partition balances work and how much the parts must exchange. Slices have an entry
// for each part.
type PartReport struct {
	Cells      []int // cells of the part
	Boundary   []int // cells of the part with a neighbour in another part
	Halo       []int // ghosts of the part at depth 1
	Neighbours []int // other parts that own its ghosts
	EdgeCut    int   // edges between parts
}

// ReportParts measures a partition of g into n parts. It refuses parts out of 0..n-1.
func ReportParts(g Graph, partOf []int32, n int) (PartReport, error) {
	if len(partOf) != g.N() {
		return PartReport{}, fmt.Errorf("the partition has %d cells, the graph has %d", len(partOf), g.N())
	}
	split, err := Split(partOf, n)
	if err != nil {
		return PartReport{}, err
	}
	r := PartReport{Cells: make([]int, n), Boundary: make([]int, n), Halo: make([]int, n), Neighbours: make([]int, n)}
	// The last part that counted the cell in its halo, and the last that counted the part as its neighbour, so that
	// each is counted once.
	haloOf, neighbourOf := make([]int32, g.N()), make([]int32, n)
	for i := range haloOf {
		haloOf[i] = -1
	}
	for i := range neighbourOf {
		neighbourOf[i] = -1
	}
	cut := 0 // counts each edge between parts twice
	for i, cells := range split {
		part := int32(i)
		r.Cells[i] = len(cells)
		for _, v := range cells {
			foreign := 0
			for _, u := range g.Neighbours(v) {
				other := partOf[u]
				if other == part {
					continue
				}
				foreign++
				if haloOf[u] != part {
					haloOf[u] = part
					r.Halo[i]++
				}
				if neighbourOf[other] != part {
					neighbourOf[other] = part
					r.Neighbours[i]++
				}
			}
			if foreign > 0 {
				r.Boundary[i]++
			}
			cut += foreign
		}
	}
	r.EdgeCut = cut / 2
	return r, nil
}

// Imbalance is the size of the largest part divided by the mean: 1 is perfect, and at 1.1 a step takes 10 % longer than
// with perfect balance. Without cells it is 1.
func (r PartReport) Imbalance() float64 {
	cells := summarize(r.Cells)
	if cells.sum == 0 {
		return 1
	}
	return float64(cells.max) / cells.mean()
}

// String returns a table with one measure a line.
func (r PartReport) String() string {
	cells, boundary, halo, neighbours := summarize(r.Cells), summarize(r.Boundary), summarize(r.Halo),
		summarize(r.Neighbours)
	return fmt.Sprintf("parts              %d\n", len(r.Cells)) +
		fmt.Sprintf("cells a part       %v\n", cells) +
		fmt.Sprintf("imbalance          %.4f\n", r.Imbalance()) +
		fmt.Sprintf("edge cut           %d\n", r.EdgeCut) +
		fmt.Sprintf("neighbours a part  %v\n", neighbours) +
		fmt.Sprintf("boundary cells     %d, at most %d in a part\n", boundary.sum, boundary.max) +
		fmt.Sprintf("halo cells         %d, at most %d in a part\n", halo.sum, halo.max)
}

// summary has the statistics of n counts.
type summary struct{ n, min, max, sum int }

func summarize(counts []int) summary {
	if len(counts) == 0 {
		return summary{}
	}
	s := summary{n: len(counts), min: counts[0]}
	for _, c := range counts {
		s.min, s.max, s.sum = min(s.min, c), max(s.max, c), s.sum+c
	}
	return s
}

func (s summary) mean() float64 { return float64(s.sum) / float64(max(s.n, 1)) }

func (s summary) String() string { return fmt.Sprintf("%d .. %d, mean %.2f", s.min, s.max, s.mean()) }
