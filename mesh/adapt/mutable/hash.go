package mutable

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// HashOf is a SHA-256 of all bits of the mesh in hexadecimal: of ids, coordinates, metrics, materials, and the kinds of
// facets, in the order of ids.
func HashOf(t *Mesh) string {
	h := sha256.New()
	var record []byte
	add := func(x uint64) { record = binary.LittleEndian.AppendUint64(record, x) }
	vertices, cells := t.Ordered()
	for _, v := range vertices {
		record = record[:0]
		add(uint64(t.ID[v]))
		add(uint64(t.Freedom[v]))
		for _, x := range t.X[v] {
			add(math.Float64bits(x))
		}
		for _, x := range t.M[v] {
			add(math.Float64bits(x))
		}
		h.Write(record)
	}
	for _, k := range cells {
		record = record[:0]
		c := &t.Cells[k]
		add(uint64(c.Ref))
		add(math.Float64bits(c.Quality))
		for i, v := range c.V[:t.Dim+1] {
			add(uint64(t.ID[v]))
			kind := &t.Facets[c.Tag[i]]
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
