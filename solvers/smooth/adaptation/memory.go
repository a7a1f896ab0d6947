package adaptation

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/internal/words"
)

// bytesOfVertex is the measured peak memory in bytes per vertex of the result, with its cells, on one rank.
var bytesOfVertex = [...]float64{2: 1300, 3: 4000}

// checkMemory refuses a metric for which the memory is too small, by the volume of the mesh in the metric.
func (s *session) checkMemory() error {
	vertices := s.adapter.Measure(s.last.field(s.Dim)).Complexity / perVertex[s.Dim]
	if err := s.last.failed(); err != nil {
		return err
	}
	need := vertices * bytesOfVertex[s.Dim]
	if s.comm.Size() > 1 {
		need *= 1.5 // the parts, which may all be on this machine
	}
	free, source := cpu.FreeMemory()
	if need <= float64(free) {
		return nil
	}
	return fmt.Errorf("[metric] a mesh of such sizes has about %.2g vertices, which need about %s of memory, but only %s "+
		"are available (%s): give larger sizes, or a target", vertices,
		words.Bytes(int64(min(need, math.MaxInt64/2))), words.Bytes(free), source)
}
