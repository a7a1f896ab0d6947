package adapt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// Hash is a SHA-256 of all bits of the mesh in hexadecimal: of ids, coordinates, metrics, materials, and the kinds of
// facets, in the order of ids.
func (a *Adapter) Hash() string { return a.whole.hash() }

func (e *engine) hash() string {
	h := sha256.New()
	var record []byte
	add := func(x uint64) { record = binary.LittleEndian.AppendUint64(record, x) }
	vertices, cells := e.Ordered()
	for _, v := range vertices {
		record = record[:0]
		add(uint64(e.ID[v]))
		add(uint64(e.Freedom[v]))
		for _, x := range e.X[v] {
			add(math.Float64bits(x))
		}
		for _, x := range e.M[v] {
			add(math.Float64bits(x))
		}
		h.Write(record)
	}
	for _, k := range cells {
		record = record[:0]
		c := &e.Cells[k]
		add(uint64(c.Ref))
		add(math.Float64bits(c.Quality))
		for i, v := range c.V[:e.Dim+1] {
			add(uint64(e.ID[v]))
			kind := &e.Facets[c.Tag[i]]
			add(uint64(len(kind.Groups)) | flag(c.Tag[i] > 0)<<32 | flag(kind.Required)<<33 | flag(kind.Ridge)<<34)
			for _, g := range kind.Groups {
				add(uint64(g))
			}
		}
		h.Write(record)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
