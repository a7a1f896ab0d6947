package smooth

import (
	"errors"
	"sort"

	"github.com/atoll-hpc/atoll/backend"
)

// clustered runs a kernel over whole clusters, so that the vertices of one follow each other: a range takes those that
// begin in it.
type clustered struct {
	backend.Loop
	starts []int32 // of clusters, ascending
	end    int     // of what the kernel is for
}

func (c *clustered) Range(lo, hi int) {
	if lo, hi = c.next(lo), c.next(hi); lo < hi {
		c.Loop.Range(lo, hi)
	}
}

// next is where the first cluster from i on begins, or where the last one ends.
func (c *clustered) next(i int) int {
	k := sort.Search(len(c.starts), func(k int) bool { return int(c.starts[k]) >= i })
	if i >= c.end || k == len(c.starts) {
		return c.end
	}
	return min(c.end, int(c.starts[k]))
}

// visitable refuses clusters where all vertices of a set are visited at once, or their sets are told apart, and curved
// boundaries where a smoother takes them for straight ones.
func (p *Subdomain) visitable(apart bool, cfg Config) error {
	if p.Bent > 0 && (cfg.Smoother != "barrier" || cfg.Untangle) {
		return errors.New("vertices slide on curved boundaries with the smoother barrier alone, and not before untangling: " +
			"set LayoutOptions.Ridge to 0")
	}
	if p.Clustered && (apart || cfg.Cull) {
		return errors.New("clusters are visited one vertex after the other, neither on devices nor in culled sweeps: " +
			"set LayoutOptions.Spread")
	}
	return nil
}
