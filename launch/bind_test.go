//go:build linux

package launch

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		cpus           string
		ranks, threads int
		want           string
	}{
		{"0-7", 2, 4, "0-3 4-7"},
		{"0-7", 3, 2, "0-1 2-4 5-7"},
		{"2,4,6,8", 4, 1, "2 4 6 8"},
		{"0-7", 1, 8, ""}, // one rank
		{"0-7", 2, 3, ""}, // fewer threads than processors
		{"0-7", 2, 8, ""}, // more threads than processors
		{"0-1", 4, 1, ""}, // more ranks than processors
		{"", 2, 1, ""},    // processors unknown
	} {
		cpus, err := parseCPUs(test.cpus)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range processorBlocks(cpus, test.ranks, test.threads) {
			got = append(got, formatCPUs(b))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("blocks(%s, %d ranks, %d threads) = %q, want %q", test.cpus, test.ranks, test.threads, got, test.want)
		}
	}
}

// The blocks partition the processors, and each has at least as many as its rank has threads.
func TestBlocksArePartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cpus := make([]int, rapid.IntRange(1, 200).Draw(t, "cpus"))
		for i := range cpus {
			cpus[i] = 2 * i
		}
		ranks := rapid.IntRange(2, len(cpus)+1).Draw(t, "ranks")
		b := processorBlocks(cpus, ranks, max(1, len(cpus)/ranks))
		if b == nil && ranks <= len(cpus) {
			t.Fatal("no blocks")
		}
		var joined []int
		for _, block := range b {
			if len(block) < len(cpus)/ranks {
				t.Fatalf("a block has %d of %d processors, want at least %d", len(block), len(cpus), len(cpus)/ranks)
			}
			joined = append(joined, block...)
		}
		if b != nil && fmt.Sprint(joined) != fmt.Sprint(cpus) {
			t.Fatalf("got blocks %v, want a partition of %v", b, cpus)
		}
	})
}

// Ranks are bound to their processors, and the binding of this process does not change.
func TestRanksAreBound(t *testing.T) {
	cpus := affinity()
	if len(cpus) < 2 {
		t.Skip("one processor: nothing to bind ranks to")
	}
	for _, test := range []struct {
		threads int // of each of two ranks
		bound   bool
	}{{len(cpus) / 2, true}, {len(cpus), false}} {
		o := startRun(t, 2, "wait", func(c *LocalConfig) { c.Threads = test.threads })
		for rank := range 2 {
			want := cpus
			if test.bound {
				want = cpus[rank*len(cpus)/2 : (rank+1)*len(cpus)/2]
			}
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.pid(rank)))
			if err != nil {
				t.Fatal(err)
			}
			if line := "Cpus_allowed_list:\t" + formatCPUs(want) + "\n"; !strings.Contains(string(status), line) {
				t.Errorf("rank %d with %d threads is not bound to processors %s", rank, test.threads, formatCPUs(want))
			}
		}
		o.cancel(nil)
		if err := o.wait(); err == nil {
			t.Error("got no error from a stopped run")
		}
		if got := affinity(); fmt.Sprint(got) != fmt.Sprint(cpus) {
			t.Errorf("this process may run on %v, want %v", got, cpus)
		}
	}
}
