package estimate

import (
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestFramesOnHost proves that the host's memory is estimated for as many frames as a rank writes at a time: one, or
// FramesOnDevice if a device with separate memory has their copies, whose memory is estimated alike.
func TestFramesOnHost(t *testing.T) {
	const cells = 1000
	fields := []solvers.Field{{Name: "f"}, {Name: "u", Components: []string{"ux", "uy"}}}
	c := &config.Case{Output: config.Output{Format: []string{"vti"}, Fields: []string{"f", "u"}}}
	copies := &solvers.Copies{Frame: 3 * number * cells}
	const constants, frame = rankID * cells, (1 + 2 + 3) * number * cells // vectors are held with three components, too
	for separate, frames := range map[bool]int64{false: 1, true: FramesOnDevice} {
		share := &solvers.Counts{Owned: cells, Dim: 2, Block: &grid.Block{}, SeparateMemory: separate}
		if bytes, joined := hostFrames(fields, c, share, copies); bytes != constants+frames*frame || joined != 0 {
			t.Errorf("separate memory: %t: %d and %d bytes, want %d and 0", separate, bytes, joined, constants+frames*frame)
		}
	}
	if bytes := copiesOf(copies, c); bytes != FramesOnDevice*copies.Frame {
		t.Errorf("%d bytes of copies, want %d", bytes, FramesOnDevice*copies.Frame)
	}
}
