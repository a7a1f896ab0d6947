// Package estimate predicts the cost of a run. Memory is computed from counts of entities before anything is allocated;
// Time is extrapolated from steps that were timed.
package estimate

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

// programBytes is the memory of the program itself, without the arrays of a case, in bytes: measured.
const programBytes = 54 << 20

// Memory is the memory that a run takes, in bytes.
type Memory struct {
	Entities int64 // entities that a step updates, approximately, over all ranks; 0 if unknown in advance
	Arrays   int64 // arrays of the rank with the most, on its device
	Copies   int64 // part of Arrays: copies for output while steps go on; 0 without separate memory
	Host     int64 // total on this machine: the program and, for CPU devices, the arrays of its ranks
	MeshPeak bool  // Host is determined by the set-up, which holds the whole mesh
}

// MemoryOf estimates the memory of a case from counts, without allocating anything. localRanks of the ranks run on this
// machine. separate says that devices have separate memory.
func MemoryOf(c *config.Case, ranks, localRanks int, separate bool) (m Memory, err error) {
	kind, ok := solvers.Find(c.Solver)
	if !ok || kind.Estimate == nil {
		return m, nil
	}
	needs, err := kind.Estimate(c, ranks, separate)
	if err != nil || needs.Entities == 0 {
		return m, err
	}
	m.Entities = needs.Entities
	perRank, joined := rankBytes(&kind, c, &needs, &m)
	host := programBytes + perRank*float64(localRanks) + float64(joined)
	if needs.Others != nil {
		var of Memory
		other, _ := rankBytes(&kind, c, needs.Others, &of)
		host -= (perRank - other) * float64(localRanks-1)
	}
	if setUp := programBytes + float64(needs.SetUpHost); setUp > host {
		host, m.MeshPeak = setUp, true
	}
	m.Host = int64(min(host, math.MaxInt64/2))
	return m, nil
}

// rankBytes returns the bytes that a rank takes of its machine, without the program, and those of joined frames on rank
// 0; it sets Arrays and Copies.
func rankBytes(kind *solvers.Kind, c *config.Case, needs *solvers.Estimate, m *Memory) (perRank float64, joined int64) {
	m.Arrays = kind.Needs(c, needs.LargestShare)
	var copies solvers.Copies
	if kind.Copies != nil {
		copies = kind.Copies(c, needs.LargestShare)
	}
	frames, joined := hostFrames(kind.Fields, c, &needs.LargestShare, &copies)
	perRank = float64(needs.Host + max(needs.StartHost, frames, needs.EndHost))
	if needs.LargestShare.SeparateMemory {
		m.Copies = copiesOf(&copies, c)
		return perRank, joined
	}
	return perRank + float64(m.Arrays), joined
}

// Check returns an error if a run needs more than free bytes on this machine; source says what limits them.
func (m *Memory) Check(free int64, source string, localRanks int) error {
	if m.Host <= free {
		return nil
	}
	what, remedy := "the case", "use fewer cells, precision float32, or more machines"
	switch {
	case m.MeshPeak:
		what, remedy = "the set-up of the mesh", "use fewer cells, or a machine with more"
	case localRanks > 1:
		what = fmt.Sprintf("the case on %d ranks of this machine", localRanks)
	}
	return fmt.Errorf("%s needs about %s of memory for %d cells or vertices, but only %s are available (%s); %s", what,
		words.Bytes(m.Host), m.Entities, words.Bytes(free), source, remedy)
}

// Largest returns the memory of the most demanding case, each on the given number of ranks of this machine.
func Largest(cases []*config.Case, ranks int, separate bool) (largest Memory, err error) {
	for _, c := range cases {
		m, err := MemoryOf(c, ranks, ranks, separate)
		if err != nil {
			return largest, err
		}
		if m.Host > largest.Host || m.Host == largest.Host && m.Arrays > largest.Arrays {
			largest = m
		}
	}
	return largest, nil
}

// Text describes the memory for people, with localRanks ranks on this machine.
func (m *Memory) Text(localRanks int, separate bool) string {
	place := ""
	if separate {
		place = " on its device"
	}
	text := fmt.Sprintf("about %s on this machine, %s of them in arrays", words.Bytes(m.Host),
		words.Bytes(m.Arrays*int64(localRanks)))
	if localRanks > 1 || separate {
		text = fmt.Sprintf("about %s on this machine; arrays of %s on each rank%s", words.Bytes(m.Host),
			words.Bytes(m.Arrays), place)
	}
	if m.Copies > 0 {
		text += fmt.Sprintf(", and up to %s of copies for output if there is room", words.Bytes(m.Copies))
	}
	return text
}
