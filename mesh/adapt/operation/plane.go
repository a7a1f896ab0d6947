package operation

import "github.com/atoll-hpc/atoll/mesh/adapt/kernels"

// evaluateInPlane is Evaluate for a mesh of triangles.
func (r *Rules) evaluateInPlane(w *Worker, kind Kind, pivot int32) {
	if kind.removes() {
		if bid, into := r.Collapse(pivot, int32(kind), &r.Rules); into >= 0 {
			w.keep(&Candidate{Kind: kind, A: pivot, B: into, C: -1, Bid: bid, Cavity: w.cavity(r.Ball(pivot)...)})
		}
		return
	}
	for _, k := range r.Ball(pivot) {
		c := &r.Cells[k]
		i := c.Find(2, pivot)
		if next := c.V[(i+1)%3]; r.ID[next] > r.ID[pivot] {
			r.evaluateEdge(w, kind, pivot, next)
		}
		// Of another edge that another triangle has, the vertex is the next one there.
		if last := c.V[(i+2)%3]; c.Tag[(i+1)%3] != 0 && r.ID[last] > r.ID[pivot] {
			if s := r.ShellOf(pivot, last); s.N == 1 {
				r.evaluateEdge(w, kind, pivot, last)
			}
		}
	}
}

func (r *Rules) evaluateEdge(w *Worker, kind Kind, a, b int32) {
	if kind == Split {
		r.splitInPlane(w, a, b)
	} else {
		r.swapInPlane(w, a, b)
	}
}

func (r *Rules) splitInPlane(w *Worker, a, b int32) {
	l, probe := r.SplitLength(a, b, &r.Rules)
	if probe {
		middle := r.Field(r.Middle(a, b))
		l = r.ProbedLength(a, b, l, &middle)
	}
	if l <= kernels.Longest {
		return
	}
	born, ok := r.Place(a, b, &r.Rules)
	if !ok {
		return
	}
	born.Want = r.Field(born.X)
	born.M = born.Want
	s := r.ShellOf(a, b)
	if bid, ok := r.Split(a, b, l, &s, &born, &r.Rules); ok {
		w.keep(&Candidate{Kind: Split, A: a, B: b, C: -1, Bid: bid, Cavity: w.cavity(s.K[:s.N]...), Born: born})
	}
}

func (r *Rules) swapInPlane(w *Worker, a, b int32) {
	s := r.ShellOf(a, b)
	if bid, at, ok := r.Swap(a, b, &s, &r.Rules); ok {
		w.keep(&Candidate{Kind: Swap, A: a, B: b, C: at, Bid: bid, Cavity: w.cavity(s.K[:]...)})
	}
}

// buildInPlane is Build for a mesh of triangles.
func (r *Rules) buildInPlane(w *Worker, c *Candidate) {
	if c.Kind == Swap {
		s := kernels.Shell{K: [2]int32(c.Cavity), N: 2}
		w.Cells = append(w.Cells, r.Swapped(&s, c.A, c.C), r.Swapped(&s, c.B, c.C))
		return
	}
	for _, k := range c.Cavity {
		switch {
		case c.Kind == Split:
			w.Cells = append(w.Cells, r.Half(k, c.A, c.B, &c.Born), r.Half(k, c.B, c.A, &c.Born))
		case !r.Cells[k].Has(2, c.B):
			w.Cells = append(w.Cells, r.Pulled(k, c.A, c.B))
		}
	}
}

// moveInPlane is Move for a mesh of triangles.
func (r *Rules) moveInPlane(v int32) bool {
	r.Order(v)
	s := r.Newton(v, &r.Rules)
	for trial := range int32(kernels.Trials) {
		to, at, verdict := r.Trial(v, &s, trial, &r.Rules)
		if verdict == kernels.Stay {
			return false
		}
		if verdict == kernels.Pass {
			continue
		}
		if want := r.Field(to); r.Improves(v, &s, &to, &want, &r.Rules) {
			r.MoveTo(v, &to, &want, at)
			r.Want[v] = want
			return true
		}
	}
	return false
}
