package smooth

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/solvers/smooth/metric"
)

// Encode puts a metric that OnMesh has made into bytes, so that one rank may read files and send it to the others:
// numbers of vertices and cells (4 bytes each), of each vertex x, y, m11, m12, m22 (8 bytes each), and of each cell its
// vertices (4 bytes each), all little-endian. Metrics of other kinds take a few numbers, from which every rank makes
// its own.
func (m *Metric) Encode() ([]byte, error) {
	f := &m.field
	if f.Nodes == nil {
		return nil, errors.New("a metric that is not on a mesh is made anew on every rank, and not sent")
	}
	data := make([]byte, 0, 8+40*len(f.Nodes)+12*len(f.Patches))
	put := binary.LittleEndian
	data = put.AppendUint32(data, uint32(len(f.Nodes)))
	data = put.AppendUint32(data, uint32(len(f.Patches)))
	for _, n := range f.Nodes {
		for _, x := range [5]float64{n.X, n.Y, n.M11, n.M12, n.M22} {
			data = put.AppendUint64(data, math.Float64bits(x))
		}
	}
	for _, p := range f.Patches {
		for _, v := range p.At {
			data = put.AppendUint32(data, uint32(v))
		}
	}
	return data, nil
}

// DecodeMetric makes the metric that Encode has put into bytes, and refuses what OnMesh would.
func DecodeMetric(data []byte) (*Metric, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("a metric of %d bytes", len(data))
	}
	get := binary.LittleEndian
	vertices, cells := int64(get.Uint32(data)), int64(get.Uint32(data[4:]))
	if want := 8 + 40*vertices + 12*cells; want != int64(len(data)) {
		return nil, fmt.Errorf("a metric at %d vertices of %d cells takes %d bytes, not %d", vertices, cells, want, len(data))
	}
	data = data[8:]
	number := func() float64 {
		x := math.Float64frombits(get.Uint64(data))
		data = data[8:]
		return x
	}
	m := &mesh.Mesh{X: make([]float64, vertices), Y: make([]float64, vertices), Cells: make([][3]int32, cells)}
	at := make(metric.Field, vertices)
	for v := range at {
		m.X[v], m.Y[v] = number(), number()
		at[v][0], at[v][1], at[v][2] = number(), number(), number()
	}
	for c := range m.Cells {
		for k := range 3 {
			m.Cells[c][k] = int32(get.Uint32(data))
			data = data[4:]
		}
	}
	return OnMesh(m, at)
}
