package launch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
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

// shareTag is the tag of the messages by which ranks share their machines.
const shareTag = 0x0618

// Divide shares the processors of each machine among the ranks on it, as far as their launcher has not bound them
// already: a processor on which k ranks may run counts as 1/k for each, and a rank gets the sum rounded down, but at
// least one thread. threads is the number of threads that the user set for this rank, 0 for its share. Every rank
// calls Divide.
func Divide(ctx context.Context, comm dist.Comm, threads int) (Share, error) {
	return divide(ctx, comm, ownClaim(threads))
}

// divide is Divide for a rank with a claim. The claims of a machine meet at one rank, which shares that machine: no
// rank holds the claims of all.
func divide(ctx context.Context, comm dist.Comm, own resourceClaim) (Share, error) {
	text, err := json.Marshal(own)
	if err != nil {
		return Share{}, fmt.Errorf("launch: %w", err)
	}
	part, machines, err := shareMachines(ctx, comm, own.Machine, text)
	if err != nil {
		return Share{}, fmt.Errorf("launch: share the processors of each machine: %w", err)
	}
	s := Share{Host: own.Host, CPUs: own.CPUs, Threads: part.Threads, LocalRank: part.LocalRank,
		LocalSize: part.LocalSize, GroupSize: part.GroupSize}
	most := []int64{int64(part.Threads), -int64(part.Threads)}
	hosts, crowding := []int64{int64(machines)}, []float64{part.Crowding}
	err = comm.AllreduceInt64(ctx, dist.Max, most)
	if err == nil {
		err = comm.AllreduceInt64(ctx, dist.Sum, hosts)
	}
	if err == nil {
		err = comm.AllreduceFloat64(ctx, dist.Max, crowding)
	}
	if err == nil {
		_, s.Warning, err = dist.FirstText(ctx, comm, part.Warning)
	}
	s.MinThreads, s.MaxThreads, s.Hosts, s.Crowding = int(-most[1]), int(most[0]), int(hosts[0]), crowding[0]
	return s, err
}

// shareMachines sends the text of a claim to the rank that shares the machine, and returns what that gives this rank,
// and how many machines this rank has shared.
func shareMachines(ctx context.Context, comm dist.Comm, name string, claim []byte) (own part, machines int, err error) {
	home := fnv.New64a()
	_, _ = home.Write([]byte(name)) // never fails
	to := int(home.Sum64() % uint64(comm.Size()))
	arrived, err := dist.Route(ctx, comm, shareTag, []dist.Parcel{{Rank: to, Bytes: claim}})
	if err != nil {
		return own, 0, err
	}
	answers, machines, wrong := shareClaims(arrived)
	if _, text, err := dist.FirstError(ctx, comm, wrong); err != nil || text != "" {
		return own, 0, cmp.Or(err, errors.New(text))
	}
	if arrived, err = dist.Route(ctx, comm, shareTag, answers); err != nil {
		return own, 0, err
	}
	if len(arrived) != 1 {
		return own, 0, fmt.Errorf("%d answers to a claim", len(arrived))
	}
	return own, machines, json.Unmarshal(arrived[0].Bytes, &own)
}

// shareClaims shares the machines whose claims have arrived, and returns the answers.
func shareClaims(arrived []dist.Parcel) (answers []dist.Parcel, machines int, err error) {
	claims, ranks := map[string][]resourceClaim{}, map[string][]int{}
	for _, p := range arrived {
		c, err := readClaim(p.Bytes)
		if err != nil {
			return nil, 0, &dist.PeerError{Rank: p.Rank, Err: fmt.Errorf("the message with its processors: %w", err)}
		}
		claims[c.Machine], ranks[c.Machine] = append(claims[c.Machine], c), append(ranks[c.Machine], p.Rank)
	}
	for name, list := range claims {
		for k, part := range shareMachine(list) {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, 0, err
			}
			answers = append(answers, dist.Parcel{Rank: ranks[name][k], Bytes: text})
		}
	}
	return answers, len(claims), nil
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

// part is what a rank gets of its machine, and what is known of that.
type part struct {
	Threads   int     `json:"threads"`
	LocalRank int     `json:"rank"`
	LocalSize int     `json:"size"`
	GroupSize int     `json:"group"`
	Crowding  float64 `json:"crowding"`
	Warning   string  `json:"warning,omitempty"` // of the machine, for its first rank
}

// shareMachine returns the parts of the ranks on a machine, given their claims in the order of ranks.
func shareMachine(claims []resourceClaim) []part {
	m := &machine{host: claims[0].Host, ranksByQuota: map[string]int{}, limits: map[string]int{}}
	groups := map[string]int{}
	for _, c := range claims {
		m.add(c)
		groups[c.Group]++
	}
	parts := make([]part, len(claims))
	for k, c := range claims {
		parts[k] = part{Threads: m.threadsOf(c), LocalRank: k, LocalSize: m.ranks, GroupSize: groups[c.Group]}
		m.threads += parts[k].Threads
	}
	for k := range parts {
		parts[k].Crowding = max(1, float64(m.threads)/float64(m.capacity()))
	}
	parts[0].Warning = m.oversubscription()
	return parts
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
