package launch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/dist"
)

// Share is what a rank has of its machine.
type Share struct {
	Host      string // the machine's name
	CPUs      string // the processors on which this rank may run, as in 0-3,8; "" where the system does not say
	Threads   int    // to keep busy
	LocalRank int    // among the ranks on this machine, in the order of their ranks
	LocalSize int    // ranks on this machine
	Hosts     int    // machines of the run
	Fewest    int    // threads of any rank of the run
	Most      int    // threads of any rank of the run

	// Warning, the same on all ranks, tells of a machine whose ranks were told to keep more threads busy than there
	// are processors for them; "" where there is none.
	Warning string
}

// Divide shares the processors of each machine among the ranks on it, as far as their launcher has not done that
// already: a processor on which k ranks may run counts as 1/k for each, and a rank gets the whole part of its sum,
// at least one thread. threads is what this rank was told to keep busy, 0 for its share. Every rank calls it.
func Divide(ctx context.Context, comm dist.Comm, threads int) (Share, error) {
	text, err := json.Marshal(ownClaim(threads))
	if err != nil {
		return Share{}, fmt.Errorf("launch: %w", err)
	}
	all, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return Share{}, fmt.Errorf("launch: ask the other ranks what they may use of their machines: %w", err)
	}
	claims := make([]resourceClaim, len(all))
	for rank, text := range all {
		if claims[rank], err = readClaim(text); err != nil {
			return Share{}, &dist.PeerError{Rank: rank, Err: fmt.Errorf("what it may use of its machine: %w", err)}
		}
	}
	return divide(claims, comm.Rank()), nil
}

// resourceClaim is what a rank tells of itself.
type resourceClaim struct {
	Host    string `json:"host"`    // for people
	Machine string `json:"machine"` // the same for all ranks under one kernel
	CPUs    string `json:"cpus"`    // the processors on which it may run
	Limit   int    `json:"limit"`   // of threads, by a quota or by GOMAXPROCS
	Quota   string `json:"quota"`   // the group of processes that shares Limit; "" where Limit is the process's own
	Threads int    `json:"threads"` // it was told to keep busy, 0 for its share

	cpus []int // CPUs, sorted; those of a process whose system does not say are 0 … Limit-1
}

func ownClaim(threads int) resourceClaim {
	c := resourceClaim{Limit: runtime.GOMAXPROCS(0), Threads: threads, CPUs: formatCPUs(affinity())}
	c.Host, _ = os.Hostname() // "" is as good a name as any when the system has none
	c.Machine = c.Host
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		c.Machine = strings.TrimSpace(string(id))
	}
	if os.Getenv("GOMAXPROCS") == "" && c.Limit < runtime.NumCPU() {
		group, _ := os.ReadFile("/proc/self/cgroup") // only its being the same matters
		c.Quota = "cgroup " + strings.TrimSpace(string(group))
	}
	return c
}

func readClaim(text []byte) (c resourceClaim, err error) {
	if err := json.Unmarshal(text, &c); err != nil {
		return c, err
	}
	if c.Limit < 1 || c.Threads < 0 {
		return c, fmt.Errorf("a limit of %d threads, told %d", c.Limit, c.Threads)
	}
	c.cpus, err = parseCPUs(c.CPUs)
	return c, err
}

// divide is Divide for one rank once all claims are known.
func divide(claims []resourceClaim, rank int) Share {
	machines := map[string]*machine{}
	var order []*machine
	for _, c := range claims {
		m := machines[c.Machine]
		if m == nil {
			m = &machine{host: c.Host, group: map[string]int{}}
			machines[c.Machine] = m
			order = append(order, m)
		}
		m.add(c)
	}
	own := claims[rank]
	s := Share{Host: own.Host, CPUs: own.CPUs, Hosts: len(order), LocalSize: machines[own.Machine].ranks}
	for r, c := range claims {
		m := machines[c.Machine]
		threads := m.threadsOf(c)
		m.threads += threads
		if r == 0 {
			s.Fewest = threads
		}
		s.Fewest, s.Most = min(s.Fewest, threads), max(s.Most, threads)
		if r == rank {
			s.Threads = threads
		}
		if r < rank && c.Machine == own.Machine {
			s.LocalRank++
		}
	}
	for _, m := range order {
		if s.Warning == "" {
			s.Warning = m.oversubscribed()
		}
	}
	return s
}

// machine is what the ranks on one machine share.
type machine struct {
	host           string
	users          [maxCPU]int    // ranks that may run on each processor
	group          map[string]int // ranks under each quota
	ranks, threads int
}

func (m *machine) add(c resourceClaim) {
	m.ranks++
	m.group[c.Quota]++
	for _, cpu := range c.processors() {
		m.users[cpu]++
	}
}

// threadsOf is what a rank was told to keep busy, or its share.
func (m *machine) threadsOf(c resourceClaim) int {
	if c.Threads > 0 {
		return c.Threads
	}
	// Processors of k users are counted together, so that thirds add up to a whole.
	byUsers := map[int]int{}
	for _, cpu := range c.processors() {
		byUsers[m.users[cpu]]++
	}
	whole, rest := 0, 0.0
	for _, k := range slices.Sorted(maps.Keys(byUsers)) {
		n := byUsers[k]
		whole += n / k
		rest += float64(n%k) / float64(k)
	}
	limit := c.Limit
	if c.Quota != "" {
		limit /= m.group[c.Quota]
	}
	return max(1, min(whole+int(rest+1e-9), limit))
}

// oversubscribed is the warning for a machine, "" if there is none. Ranks of one thread each were asked for by their
// number, and need none.
func (m *machine) oversubscribed() string {
	cores := 0
	for _, n := range m.users {
		cores += min(n, 1)
	}
	if m.threads <= cores || m.threads == m.ranks {
		return ""
	}
	return fmt.Sprintf("%s: %s of %s on %s; %s each would not be in one another's way", m.host,
		count(m.threads, "thread"), count(m.ranks, "rank"), count(cores, "core"), count(max(1, cores/m.ranks), "thread"))
}

// processors are those on which the rank may run.
func (c resourceClaim) processors() []int {
	if len(c.cpus) > 0 {
		return c.cpus
	}
	all := make([]int, min(max(c.Limit, 1), maxCPU))
	for i := range all {
		all[i] = i
	}
	return all
}
