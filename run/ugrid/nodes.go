package ugrid

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/atoll-hpc/atoll/dist"
)

// nodes are the vertices and cells of the whole mesh. Vertices are numbered in the order in which cells refer to them.
// Vertices with equal coordinates count as one.
type nodes struct {
	x, y             []float64
	faces            []float64 // ids of the three vertices of each cell
	centreX, centreY []float64
}

// addCells adds cells and numbers their corners. A part has six numbers per cell: x and y of its three corners.
func (n *nodes) addCells(parts [][]float64) {
	ids := map[[2]float64]int32{}
	for _, corners := range parts {
		for len(corners) > 0 {
			var x, y float64
			for k := range 3 {
				point := [2]float64{corners[2*k], corners[2*k+1]}
				id, known := ids[point]
				if !known {
					id = int32(len(n.x))
					ids[point] = id
					n.x, n.y = append(n.x, point[0]), append(n.y, point[1])
				}
				n.faces = append(n.faces, float64(id))
				x, y = x+point[0], y+point[1]
			}
			n.centreX, n.centreY = append(n.centreX, x/3), append(n.centreY, y/3)
			corners = corners[6:]
		}
	}
}

// Gather gathers the values of all ranks on rank 0, by rank. It splits them into messages of limited size.
func Gather(ctx context.Context, comm dist.Comm, values []float64) (byRank [][]float64, err error) {
	if comm.Size() == 1 {
		return [][]float64{values}, nil
	}
	const maxValues = 1 << 20
	rounds := []int64{int64((len(values) + maxValues - 1) / maxValues)}
	if err := comm.AllreduceInt64(ctx, dist.Max, rounds); err != nil {
		return nil, err
	}
	byRank = make([][]float64, comm.Size())
	for k := range int(rounds[0]) {
		lo, hi := min(k*maxValues, len(values)), min((k+1)*maxValues, len(values))
		parts, err := comm.Gatherv(ctx, 0, encode(values[lo:hi]))
		if err != nil {
			return nil, err
		}
		for rank, data := range parts {
			byRank[rank] = decode(byRank[rank], data)
		}
	}
	return byRank, nil
}

func encode(values []float64) []byte {
	data := make([]byte, 0, 8*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
	}
	return data
}

// decode appends the encoded values to values.
func decode(values []float64, data []byte) []float64 {
	for ; len(data) >= 8; data = data[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return values
}
