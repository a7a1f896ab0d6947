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

// Share is a rank's share of the processors of its machine.
type Share struct {
	Host       string // the machine's name
	CPUs       string // the processors on which this rank may run, as in 0-3,8; "" if the system does not report them
	Threads    int    // threads of this rank
	LocalRank  int    // number among the ranks on this machine, from 0, in the order of ranks
	LocalSize  int    // ranks on this machine
	GroupSize  int    // ranks on this machine in the control group of this one
	Hosts      int    // machines of the run
	MinThreads int    // least number of threads of a rank of the run
	MaxThreads int    // largest number of threads of a rank of the run

	// Crowding, the same on all ranks, is how many threads share a processor on the machine where most do; 1 if each
	// thread has its own.
	Crowding float64

	// Warning, the same on all ranks, names a machine whose ranks have more threads than it has processors for them;
	// "" if there is none.
	Warning string
}

// Divide shares the processors of each machine among the ranks on it, as far as their launcher has not bound them
// already: a processor on which k ranks may run counts as 1/k for each, and a rank gets the sum rounded down, but at
// least one thread. threads is the number of threads that the user set for this rank, 0 for its share. Every rank
// calls Divide.
func Divide(ctx context.Context, comm dist.Comm, threads int) (Share, error) {
	text, err := json.Marshal(ownClaim(threads))
	if err != nil {
		return Share{}, fmt.Errorf("launch: %w", err)
	}
	texts, err := comm.Allgatherv(ctx, text)
	if err != nil {
		return Share{}, fmt.Errorf("launch: gather the processors of all ranks: %w", err)
	}
	claims := make([]resourceClaim, len(texts))
	for rank, text := range texts {
		if claims[rank], err = readClaim(text); err != nil {
			return Share{}, &dist.PeerError{Rank: rank, Err: fmt.Errorf("the message with its processors: %w", err)}
		}
	}
	return divide(claims, comm.Rank()), nil
}

// resourceClaim is the message in which a rank tells the others what it may use of its machine.
type resourceClaim struct {
	Host    string `json:"host"`    // name of the machine, for messages
	Machine string `json:"machine"` // identifies the machine: the same for all ranks under one kernel
	CPUs    string `json:"cpus"`    // the processors on which the rank may run, "" if unknown
	Limit   int    `json:"limit"`   // most threads, by a quota or by GOMAXPROCS
	Quota   string `json:"quota"`   // the group of processes that shares Limit; "" if the rank has Limit for itself
	Group   string `json:"group"`   // identifies the control group on the machine
	Threads int    `json:"threads"` // set by the user, 0 for the rank's share

	cpus []int // CPUs as sorted numbers, nil if unknown
}

func ownClaim(threads int) resourceClaim {
	c := resourceClaim{Limit: runtime.GOMAXPROCS(0), Threads: threads, CPUs: formatCPUs(affinity()),
		Group: controlGroup()}
	c.Host, _ = os.Hostname() // "" if the system has no name
	c.Machine = c.Host
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		c.Machine = strings.TrimSpace(string(id))
	}
	if os.Getenv("GOMAXPROCS") == "" && c.Limit < runtime.NumCPU() {
		c.Quota = "cgroup " + c.Group
	}
	return c
}

func readClaim(text []byte) (c resourceClaim, err error) {
	if err := json.Unmarshal(text, &c); err != nil {
		return c, err
	}
	if c.Limit < 1 || c.Threads < 0 {
		return c, fmt.Errorf("limit %d, threads %d: want a limit of 1 or more and threads of 0 or more", c.Limit, c.Threads)
	}
	c.cpus, err = parseCPUs(c.CPUs)
	return c, err
}

// divide computes the Share of a rank from the claims of all ranks.
func divide(claims []resourceClaim, rank int) Share {
	machines := map[string]*machine{}
	var order []*machine
	for _, c := range claims {
		m := machines[c.Machine]
		if m == nil {
			m = &machine{host: c.Host, ranksByQuota: map[string]int{}, limits: map[string]int{}}
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
			s.MinThreads = threads
		}
		s.MinThreads, s.MaxThreads = min(s.MinThreads, threads), max(s.MaxThreads, threads)
		if r == rank {
			s.Threads = threads
		}
		if r < rank && c.Machine == own.Machine {
			s.LocalRank++
		}
		if c.Machine == own.Machine && c.Group == own.Group {
			s.GroupSize++
		}
	}
	s.Crowding = 1
	for _, m := range order {
		s.Crowding = max(s.Crowding, float64(m.threads)/float64(m.capacity()))
		if s.Warning == "" {
			s.Warning = m.oversubscription()
		}
	}
	return s
}

// machine counts the ranks on one machine.
type machine struct {
	host           string
	sharers        [maxCPU]int    // number of ranks that may run on each processor
	ranksByQuota   map[string]int // number of ranks under each quota
	limits         map[string]int // of threads, by quota
	ranks, threads int
}

func (m *machine) add(c resourceClaim) {
	m.ranks++
	m.ranksByQuota[c.Quota]++
	if c.Quota != "" {
		m.limits[c.Quota] = c.Limit
	}
	for _, cpu := range c.processors() {
		m.sharers[cpu]++
	}
}

// threadsOf returns the threads of a rank: the number that the user set, or the rank's share.
func (m *machine) threadsOf(c resourceClaim) int {
	if c.Threads > 0 {
		return c.Threads
	}
	// Processors that k ranks share are counted together, so that the sum has little round-off error.
	byUsers := map[int]int{}
	for _, cpu := range c.processors() {
		byUsers[m.sharers[cpu]]++
	}
	integers, fractions := 0, 0.0
	for _, k := range slices.Sorted(maps.Keys(byUsers)) {
		n := byUsers[k]
		integers += n / k
		fractions += float64(n%k) / float64(k)
	}
	limit := c.Limit
	if c.Quota != "" {
		limit /= m.ranksByQuota[c.Quota]
	}
	const rounding = 1e-9 // more than the round-off error of fractions
	return max(1, min(integers+int(fractions+rounding), limit))
}

// cores returns the number of processors on which ranks may run.
func (m *machine) cores() (n int) {
	for _, ranks := range m.sharers {
		n += min(ranks, 1)
	}
	return n
}

// capacity returns how many threads of its ranks the machine can run at the same time.
func (m *machine) capacity() int {
	n := m.cores()
	if m.ranksByQuota[""] == 0 {
		sum := 0
		for _, limit := range m.limits {
			sum += limit
		}
		n = min(n, sum)
	}
	return max(1, n)
}

// oversubscription returns the warning of a machine with more threads than processors, else "". If each rank has one
// thread it returns "": the user chose the number of ranks.
func (m *machine) oversubscription() string {
	cores := m.cores()
	if m.threads <= cores || m.threads == m.ranks {
		return ""
	}
	return fmt.Sprintf("%s: %s of %s on %s; use at most %s per rank", m.host, count(m.threads, "thread"),
		count(m.ranks, "rank"), count(cores, "core"), count(max(1, cores/m.ranks), "thread"))
}

// processors returns the processors on which the rank may run: if unknown, 0 … Limit-1.
func (c resourceClaim) processors() []int {
	if len(c.cpus) > 0 {
		return c.cpus
	}
	cpus := make([]int, min(max(c.Limit, 1), maxCPU))
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}
