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

// claim returns the claim of a rank on machine m.
func claim(m, cpus string, change ...func(*resourceClaim)) resourceClaim {
	c := resourceClaim{Host: "node" + m, Machine: m, CPUs: cpus, Limit: 1000}
	var err error
	if c.cpus, err = parseCPUs(cpus); err != nil {
		panic(err)
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func threads(n int) func(*resourceClaim) { return func(c *resourceClaim) { c.Threads = n } }
func limit(n int) func(*resourceClaim)   { return func(c *resourceClaim) { c.Limit = n } }
func quota(n int) func(*resourceClaim) {
	return func(c *resourceClaim) { c.Limit, c.Quota = n, "cgroup" }
}

// group puts a rank into a control group, whose quota it has.
func group(id string) func(*resourceClaim) {
	return func(c *resourceClaim) { c.Group, c.Quota = id, c.Quota+id }
}

// sharesOf returns what ranks with such claims get.
func sharesOf(t interface{ Fatal(...any) }, claims []resourceClaim) []Share {
	shares := make([]Share, len(claims))
	g, ctx := errgroup.WithContext(context.Background())
	for rank, comm := range local.New(len(claims)) {
		g.Go(func() (err error) {
			defer comm.Close()
			shares[rank], err = divide(ctx, comm, claims[rank])
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	return shares
}

func TestDivide(t *testing.T) {
	for _, test := range []struct {
		name   string
		claims []resourceClaim
		want   string // threads of each rank
		warn   string
	}{
		{"one rank has the machine", []resourceClaim{claim("a", "0-7")}, "8", ""},
		{"not split by the launcher", []resourceClaim{claim("a", "0-7"), claim("a", "0-7")}, "4 4", ""},
		{"split by the launcher", []resourceClaim{claim("a", "0-3"), claim("a", "4-7")}, "4 4", ""},
		{"split unevenly", []resourceClaim{claim("a", "0-5"), claim("a", "6-7")}, "6 2", ""},
		{"two sockets, two ranks each", []resourceClaim{claim("a", "0-7"), claim("a", "8-15"), claim("a", "0-7"),
			claim("a", "8-15")}, "4 4 4 4", ""},
		{"two machines", []resourceClaim{claim("a", "0-7"), claim("b", "0-7"), claim("b", "0-7")}, "8 4 4", ""},
		{"7 processors, 3 ranks", []resourceClaim{claim("a", "0-6"), claim("a", "0-6"), claim("a", "0-6")}, "2 2 2", ""},
		{"partly shared", []resourceClaim{claim("a", "0-3"), claim("a", "2-5")}, "3 3", ""},
		{"3 processors, 3 ranks", []resourceClaim{claim("a", "0-2"), claim("a", "0-2"), claim("a", "0-2")}, "1 1 1", ""},
		{"more ranks than cores", []resourceClaim{claim("a", "0"), claim("a", "0"), claim("a", "0")}, "1 1 1", ""},
		{"threads set", []resourceClaim{claim("a", "0-7", threads(2)), claim("a", "0-7", threads(2))}, "2 2", ""},
		{"too many threads set", []resourceClaim{claim("a", "0-7", threads(8)), claim("a", "0-7", threads(8))}, "8 8",
			"nodea: 16 threads of 2 ranks on 8 cores; use at most 4 threads per rank"},
		{"too many threads set for one core", []resourceClaim{claim("a", "0", threads(2)), claim("a", "0")}, "2 1",
			"nodea: 3 threads of 2 ranks on 1 core; use at most 1 thread per rank"},
		{"too many threads set for one machine", []resourceClaim{claim("a", "0-1"), claim("b", "0-1", threads(3))}, "2 3",
			"nodeb: 3 threads of 1 rank on 2 cores; use at most 2 threads per rank"},
		{"GOMAXPROCS", []resourceClaim{claim("a", "0-7", limit(3)), claim("a", "0-7", limit(3))}, "3 3", ""},
		{"a quota of the group", []resourceClaim{claim("a", "0-7", quota(4)), claim("a", "0-7", quota(4))}, "2 2", ""},
		{"quotas of two containers", []resourceClaim{claim("a", "0-7", quota(4), group("x")),
			claim("a", "0-7", quota(4), group("y"))}, "4 4", ""},
		{"a small quota", []resourceClaim{claim("a", "0-7", quota(1)), claim("a", "0-7", quota(1))}, "1 1", ""},
		{"processors unknown", []resourceClaim{claim("a", "", limit(4)), claim("a", "", limit(4))}, "2 2", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for rank, s := range sharesOf(t, test.claims) {
				got = append(got, fmt.Sprint(s.Threads))
				if s.Warning != test.warn {
					t.Errorf("rank %d: got warning %q, want %q", rank, s.Warning, test.warn)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("threads %v, want %s", got, test.want)
			}
		})
	}
}

// TestCrowding proves that ranks know how many threads share a processor, on the machine where most do.
func TestCrowding(t *testing.T) {
	for _, test := range []struct {
		name   string
		claims []resourceClaim
		want   float64
	}{
		{"a share each", []resourceClaim{claim("a", "0-7"), claim("a", "0-7"), claim("a", "0-7")}, 1},
		{"more ranks than cores", []resourceClaim{claim("a", "0-1"), claim("a", "0-1"), claim("a", "0-1")}, 1.5},
		{"on one of two machines", []resourceClaim{claim("a", "0-7"), claim("b", "0"), claim("b", "0")}, 2},
		{"too many threads set", []resourceClaim{claim("a", "0-3", threads(8)), claim("a", "0-3", threads(4))}, 3},
		{"a small quota", []resourceClaim{claim("a", "0-7", quota(1)), claim("a", "0-7", quota(1))}, 2},
		{"quotas of two containers", []resourceClaim{claim("a", "0-7", quota(1), group("x")),
			claim("a", "0-7", quota(1), group("y"))}, 1},
		{"processors unknown", []resourceClaim{claim("a", "", limit(1)), claim("a", "", limit(1))}, 2},
	} {
		for rank, s := range sharesOf(t, test.claims) {
			if s.Crowding != test.want {
				t.Errorf("%s, rank %d: %g threads share a processor, want %g", test.name, rank, s.Crowding, test.want)
			}
		}
	}
}

func TestLocalRanks(t *testing.T) {
	claims := []resourceClaim{claim("a", "0-5", threads(5)), claim("b", "0"), claim("a", "0"), claim("b", "0"),
		claim("b", "0")}
	shares := sharesOf(t, claims)
	for rank, want := range []string{"0 of 2", "0 of 3", "1 of 2", "1 of 3", "2 of 3"} {
		s := shares[rank]
		if got := fmt.Sprintf("%d of %d", s.LocalRank, s.LocalSize); got != want || s.Hosts != 2 {
			t.Errorf("rank %d: %s on %d hosts, want %s on 2", rank, got, s.Hosts, want)
		}
		if s.MinThreads != 1 || s.MaxThreads != 5 {
			t.Errorf("rank %d: %d to %d threads, want 1 to 5", rank, s.MinThreads, s.MaxThreads)
		}
	}
}

// TestGroups: ranks of one machine share memory with those of their control group.
func TestGroups(t *testing.T) {
	claims := []resourceClaim{claim("a", "0", group("x")), claim("b", "0", group("x")), claim("a", "0", group("y")),
		claim("a", "0", group("x"))}
	shares := sharesOf(t, claims)
	for rank, want := range []int{2, 1, 1, 2} {
		if got := shares[rank].GroupSize; got != want {
			t.Errorf("rank %d: %d ranks in its group, want %d", rank, got, want)
		}
	}
	if a, b := controlGroup(), controlGroup(); a != b {
		t.Errorf("the control group of this process is %q, then %q", a, b)
	}
}

// However the launcher has bound the ranks, their shares do not sum to more threads than processors, except for ranks
// that have the minimum of one thread.
func TestSharesNeverOversubscribe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var claims []resourceClaim
		for range rapid.IntRange(1, 12).Draw(t, "ranks") {
			first := rapid.IntRange(0, 15).Draw(t, "first")
			last := rapid.IntRange(first, 15).Draw(t, "last")
			machine := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "machine")
			claims = append(claims, claim(machine, fmt.Sprintf("%d-%d", first, last)))
		}
		total, single := map[string]int{}, map[string]int{} // threads, and ranks with one thread, of each machine
		cores := map[string]map[int]bool{"a": {}, "b": {}}
		shares := sharesOf(t, claims)
		for rank, c := range claims {
			s := shares[rank]
			if s.Threads < 1 || s.Threads > len(c.cpus) {
				t.Fatalf("rank %d: %d threads on %d processors", rank, s.Threads, len(c.cpus))
			}
			total[c.Machine] += s.Threads
			if s.Threads == 1 {
				single[c.Machine]++
			}
			for _, cpu := range c.cpus {
				cores[c.Machine][cpu] = true
			}
		}
		for m, n := range total {
			// The share of a rank with one thread may be less than a processor.
			if n-single[m] > len(cores[m]) {
				t.Fatalf("machine %s: %d threads on %d processors, %d ranks have one thread", m, n, len(cores[m]), single[m])
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
				return fmt.Errorf("rank %d: %+v, want %d threads, local rank %d of 3, one machine", rank, s, want, rank)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// The error for a malformed claim names the rank that sent it.
func TestDivideRefusesMalformedClaims(t *testing.T) {
	for _, bad := range []string{"", "null", `{"limit":1,"cpus":"0-9999"}`, `{"limit":1,"cpus":"3-1"}`,
		`{"limit":1,"threads":-1}`, `{"limit":0}`} {
		comms := local.New(2)
		g, ctx := errgroup.WithContext(context.Background())
		g.Go(func() error {
			defer comms[1].Close()
			if _, _, err := shareMachines(ctx, comms[1], "reef", []byte(bad)); err == nil {
				return fmt.Errorf("%q is accepted", bad)
			}
			return nil
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

func TestParseCPUsInvertsFormatCPUs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cpus []int
		for cpu := rapid.IntRange(0, 9).Draw(t, "first"); cpu < 64; cpu += rapid.SampledFrom([]int{1, 1, 1, 2, 9}).Draw(t,
			"gap") {
			cpus = append(cpus, cpu)
		}
		got, err := parseCPUs(formatCPUs(cpus))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(cpus) {
			t.Fatalf("%v is formatted as %q and parsed as %v, %v", cpus, formatCPUs(cpus), got, err)
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
				t.Errorf("got %v with an error, want nil", cpus)
			}
			return
		}
		for i, cpu := range cpus {
			if cpu < 0 || cpu >= maxCPU || i > 0 && cpu <= cpus[i-1] {
				t.Fatalf("%q: got %v, want ascending numbers below %d", text, cpus, maxCPU)
			}
		}
		if again, err := parseCPUs(formatCPUs(cpus)); err != nil || len(again) != len(cpus) {
			t.Errorf("%q: %v is formatted and parsed as %v, %v", text, cpus, again, err)
		}
	})
}
