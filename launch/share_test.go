package launch

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist/local"
)

// on is the claim of a rank on machine m.
func on(m, cpus string, change ...func(*resourceClaim)) resourceClaim {
	c := resourceClaim{Host: "node" + m, Machine: m, CPUs: cpus, Limit: 1000}
	var err error
	if c.cpus, err = parseCPUs(cpus); err != nil {
		panic("bad set in a test")
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func told(threads int) func(*resourceClaim) { return func(c *resourceClaim) { c.Threads = threads } }
func limit(n int) func(*resourceClaim)      { return func(c *resourceClaim) { c.Limit = n } }
func quota(n int) func(*resourceClaim) {
	return func(c *resourceClaim) { c.Limit, c.Quota = n, "cgroup" }
}

func TestDivide(t *testing.T) {
	for _, test := range []struct {
		name   string
		claims []resourceClaim
		want   string // threads of each rank
		warn   string
	}{
		{"one rank has the machine", []resourceClaim{on("a", "0-7")}, "8", ""},
		{"not split by the launcher", []resourceClaim{on("a", "0-7"), on("a", "0-7")}, "4 4", ""},
		{"split by the launcher", []resourceClaim{on("a", "0-3"), on("a", "4-7")}, "4 4", ""},
		{"split unevenly", []resourceClaim{on("a", "0-5"), on("a", "6-7")}, "6 2", ""},
		{"two sockets, two ranks each", []resourceClaim{on("a", "0-7"), on("a", "8-15"), on("a", "0-7"), on("a", "8-15")},
			"4 4 4 4", ""},
		{"two machines", []resourceClaim{on("a", "0-7"), on("b", "0-7"), on("b", "0-7")}, "8 4 4", ""},
		{"a rest is left idle", []resourceClaim{on("a", "0-6"), on("a", "0-6"), on("a", "0-6")}, "2 2 2", ""},
		{"partly shared", []resourceClaim{on("a", "0-3"), on("a", "2-5")}, "3 3", ""},
		{"thirds make a whole", []resourceClaim{on("a", "0-2"), on("a", "0-2"), on("a", "0-2")}, "1 1 1", ""},
		{"more ranks than cores", []resourceClaim{on("a", "0"), on("a", "0"), on("a", "0")}, "1 1 1", ""},
		{"told", []resourceClaim{on("a", "0-7", told(2)), on("a", "0-7", told(2))}, "2 2", ""},
		{"told too many", []resourceClaim{on("a", "0-7", told(8)), on("a", "0-7", told(8))}, "8 8",
			"nodea: 16 threads of 2 ranks on 8 cores; 4 threads each would not be in one another's way"},
		{"told too many for one core", []resourceClaim{on("a", "0", told(2)), on("a", "0")}, "2 1",
			"nodea: 3 threads of 2 ranks on 1 core; 1 thread each would not be in one another's way"},
		{"one of them told too many", []resourceClaim{on("a", "0-1"), on("b", "0-1", told(3))}, "2 3",
			"nodeb: 3 threads of 1 rank on 2 cores; 2 threads each would not be in one another's way"},
		{"GOMAXPROCS", []resourceClaim{on("a", "0-7", limit(3)), on("a", "0-7", limit(3))}, "3 3", ""},
		{"a quota of the group", []resourceClaim{on("a", "0-7", quota(4)), on("a", "0-7", quota(4))}, "2 2", ""},
		{"a small quota", []resourceClaim{on("a", "0-7", quota(1)), on("a", "0-7", quota(1))}, "1 1", ""},
		{"a system that does not say", []resourceClaim{on("a", "", limit(4)), on("a", "", limit(4))}, "2 2", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for rank := range test.claims {
				s := divide(test.claims, rank)
				got = append(got, fmt.Sprint(s.Threads))
				if s.Warning != test.warn {
					t.Errorf("rank %d warns %q, want %q", rank, s.Warning, test.warn)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("threads %v, want %s", got, test.want)
			}
		})
	}
}

func TestLocalRanks(t *testing.T) {
	claims := []resourceClaim{on("a", "0-5", told(5)), on("b", "0"), on("a", "0"), on("b", "0"), on("b", "0")}
	for rank, want := range []string{"0 of 2", "0 of 3", "1 of 2", "1 of 3", "2 of 3"} {
		s := divide(claims, rank)
		if got := fmt.Sprintf("%d of %d", s.LocalRank, s.LocalSize); got != want || s.Hosts != 2 {
			t.Errorf("rank %d: %s on %d hosts, want %s on 2", rank, got, s.Hosts, want)
		}
		if s.Fewest != 1 || s.Most != 5 {
			t.Errorf("rank %d: %d to %d threads, want 1 to 5", rank, s.Fewest, s.Most)
		}
	}
}

// Whatever the launcher has done, shares that nobody was told do not add up to more threads than processors, unless
// there are more ranks than processors.
func TestSharesNeverOversubscribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var claims []resourceClaim
		for range rapid.IntRange(1, 12).Draw(t, "ranks") {
			first := rapid.IntRange(0, 15).Draw(t, "first")
			last := rapid.IntRange(first, 15).Draw(t, "last")
			machine := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "machine")
			claims = append(claims, on(machine, fmt.Sprintf("%d-%d", first, last)))
		}
		threads, single := map[string]int{}, map[string]int{}
		cores := map[string]map[int]bool{"a": {}, "b": {}}
		for rank, c := range claims {
			s := divide(claims, rank)
			if s.Threads < 1 || s.Threads > len(c.cpus) {
				t.Fatalf("rank %d: %d threads on %d processors", rank, s.Threads, len(c.cpus))
			}
			threads[c.Machine] += s.Threads
			if s.Threads == 1 {
				single[c.Machine]++
			}
			for _, cpu := range c.cpus {
				cores[c.Machine][cpu] = true
			}
		}
		for m, n := range threads {
			// Ranks that have one thread may hold less than a processor.
			if n-single[m] > len(cores[m]) {
				t.Fatalf("machine %s: %d threads, %d of them alone in their rank, on %d processors", m, n, single[m], len(cores[m]))
			}
		}
	})
}

func TestDivideOverAComm(t *testing.T) {
	g, ctx := errgroup.WithContext(context.Background())
	for rank, comm := range local.New(3) {
		g.Go(func() error {
			defer comm.Close()
			s, err := Divide(ctx, comm, 0)
			if err != nil {
				return err
			}
			if want := max(1, runtime.GOMAXPROCS(0)/3); s.Threads != want || s.LocalRank != rank || s.LocalSize != 3 ||
				s.Hosts != 1 {
				return fmt.Errorf("rank %d: %+v, want %d threads, place %d of 3 on one machine", rank, s, want, rank)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// A rank whose claim is not understood is named.
func TestDivideRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for _, bad := range []string{"", "null", `{"limit":1,"cpus":"0-9999"}`, `{"limit":1,"cpus":"3-1"}`,
		`{"limit":1,"threads":-1}`, `{"limit":0}`} {
		comms := local.New(2)
		g, ctx := errgroup.WithContext(context.Background())
		g.Go(func() error {
			defer comms[1].Close()
			_, err := comms[1].Allgatherv(ctx, []byte(bad))
			return err
		})
		g.Go(func() error {
			defer comms[0].Close()
			if _, err := Divide(ctx, comms[0], 0); err == nil || !strings.Contains(err.Error(), "rank 1:") {
				return fmt.Errorf("%q: got %v, want an error that names rank 1", bad, err)
			}
			return nil
		})
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
	}
}

func TestCPUsAreReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cpus []int
		for cpu := rapid.IntRange(0, 9).Draw(t, "first"); cpu < 64; cpu += rapid.SampledFrom([]int{1, 1, 1, 2, 9}).Draw(t,
			"gap") {
			cpus = append(cpus, cpu)
		}
		got, err := parseCPUs(formatCPUs(cpus))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(cpus) {
			t.Fatalf("%v is written %q and read %v, %v", cpus, formatCPUs(cpus), got, err)
		}
	})
	if got := formatCPUs([]int{0, 1, 2, 5, 7, 8}); got != "0-2,5,7-8" {
		t.Errorf("got %q", got)
	}
}

func FuzzParseCPUs(f *testing.F) {
	for _, s := range []string{"", "0", "0-3,8", "1-", "-1", "0,0", "0-1023", "0-1024", "4-2", "99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cpus, err := parseCPUs(text)
		if err != nil {
			if cpus != nil {
				t.Error("numbers with an error")
			}
			return
		}
		for i, cpu := range cpus {
			if cpu < 0 || cpu >= maxCPU || i > 0 && cpu <= cpus[i-1] {
				t.Fatalf("%q gives %v", text, cpus)
			}
		}
		if again, err := parseCPUs(formatCPUs(cpus)); err != nil || len(again) != len(cpus) {
			t.Errorf("%q: %v is read back as %v, %v", text, cpus, again, err)
		}
	})
}
