package ugrid

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// nodes are the vertices of the whole mesh, in the order in which its cells have them. Those at the same place are one.
type nodes struct {
	x, y             []float64
	faces            []float64 // three of each cell
	centreX, centreY []float64
}

// number numbers the corners of all cells: x and y of the three of each, in parts.
func (n *nodes) number(parts [][]float64) {
	of := map[[2]float64]int32{}
	for _, corners := range parts {
		for len(corners) > 0 {
			var x, y float64
			for k := range 3 {
				at := [2]float64{corners[2*k], corners[2*k+1]}
				id, known := of[at]
				if !known {
					id = int32(len(n.x))
					of[at] = id
					n.x, n.y = append(n.x, at[0]), append(n.y, at[1])
				}
				n.faces = append(n.faces, float64(id))
				x, y = x+at[0], y+at[1]
			}
			n.centreX, n.centreY = append(n.centreX, x/3), append(n.centreY, y/3)
			corners = corners[6:]
		}
	}
}

// gather brings numbers of all ranks to rank 0, in their order and in pieces that messages bear.
func gather(ctx context.Context, comm dist.Comm, mine []float64) (all [][]float64, err error) {
	if comm.Size() == 1 {
		return [][]float64{mine}, nil
	}
	const piece = 1 << 20
	rounds := []int64{int64((len(mine) + piece - 1) / piece)}
	if err := comm.AllreduceInt64(ctx, dist.Max, rounds); err != nil {
		return nil, err
	}
	all = make([][]float64, comm.Size())
	for k := range int(rounds[0]) {
		lo, hi := min(k*piece, len(mine)), min((k+1)*piece, len(mine))
		parts, err := comm.Gatherv(ctx, 0, encode(mine[lo:hi]))
		if err != nil {
			return nil, err
		}
		for rank, text := range parts {
			all[rank] = decode(all[rank], text)
		}
	}
	return all, nil
}

func encode(values []float64) []byte {
	text := make([]byte, 0, 8*len(values))
	for _, v := range values {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	return text
}

// decode appends what was encoded.
func decode(values []float64, text []byte) []float64 {
	for ; len(text) >= 8; text = text[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(text)))
	}
	return values
}
