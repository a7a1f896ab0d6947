package checksum

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
)

// Part is a range of bytes of a file.
type Part struct {
	From, To int64 // offsets in the file; To is that of the byte after the range
	CRC      uint32
}

// Parts are parts of a file in the order in which they were written. A part that has exactly the range of an earlier
// one replaces it. What parts cover that overlap otherwise is unknown.
type Parts []Part

// Joined returns the known parts in the order of the file. Parts that adjoin each other become one, except at the given
// offset.
func (p Parts) Joined(except int64) (joined Parts) {
	sorted := slices.Clone(p)
	slices.SortStableFunc(sorted, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	var single Parts // they do not overlap
	reached := int64(0)
	for _, part := range sorted {
		last := len(single) - 1
		switch {
		case part.From >= reached:
			single = append(single, part)
		case last >= 0 && single[last].From == part.From && single[last].To == part.To:
			single[last] = part
		case last >= 0 && single[last].To > part.From:
			single = single[:last]
		}
		reached = max(reached, part.To)
	}
	for _, part := range single {
		last := len(joined) - 1
		if last < 0 || joined[last].To != part.From || part.From == except {
			joined = append(joined, part)
			continue
		}
		joined[last].CRC = Join(joined[last].CRC, part.CRC, part.To-part.From)
		joined[last].To = part.To
	}
	return joined
}

// Sum returns the checksum of the bytes of a file from an offset to the end of the parts. It is known if parts cover
// them all, and none begins before the offset and ends behind it.
func (p Parts) Sum(from int64) (crc uint32, end int64, known bool) {
	joined := p.Joined(from)
	k := slices.IndexFunc(joined, func(part Part) bool { return part.From == from })
	if k < 0 || k != len(joined)-1 {
		return 0, 0, false
	}
	return joined[k].CRC, joined[k].To, true
}

// partSize is the size of a part in a message, in bytes.
const partSize = 8 + 8 + 4

// Encode returns a message of the length that it has for any up to n parts. With more it has none: none is known.
func (p Parts) Encode(n int) []byte {
	message := make([]byte, 0, partSize*n)
	if len(p) > n {
		p = nil
	}
	for _, part := range p {
		message = binary.LittleEndian.AppendUint64(message, uint64(part.From))
		message = binary.LittleEndian.AppendUint64(message, uint64(part.To))
		message = binary.LittleEndian.AppendUint32(message, part.CRC)
	}
	return message[:cap(message)]
}

// Decode returns the parts in messages that follow each other.
func Decode(messages []byte) (parts Parts) {
	for ; len(messages) >= partSize; messages = messages[partSize:] {
		part := Part{From: int64(binary.LittleEndian.Uint64(messages)), To: int64(binary.LittleEndian.Uint64(messages[8:])),
			CRC: binary.LittleEndian.Uint32(messages[16:])}
		if part.To > part.From {
			parts = append(parts, part)
		}
	}
	return parts
}

// Recorder collects the parts of a file that several goroutines write. Methods may be called on nil, and then do
// nothing.
type Recorder struct {
	lock    sync.Mutex
	parts   Parts
	unknown bool // the file has bytes that nobody has written
}

// Put adds bytes that were written at an offset.
func (r *Recorder) Put(at int64, b []byte) {
	if r == nil || len(b) == 0 {
		return
	}
	part := Part{at, at + int64(len(b)), Update(0, b)}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.parts = append(r.parts, part)
}

// Follow adds bytes as Put does. If they follow the part that was added last, they become a part of it.
func (r *Recorder) Follow(at int64, b []byte) {
	if r == nil || len(b) == 0 {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if n := len(r.parts); n > 0 && r.parts[n-1].To == at {
		last := &r.parts[n-1]
		last.CRC, last.To = Update(last.CRC, b), at+int64(len(b))
		return
	}
	r.parts = append(r.parts, Part{at, at + int64(len(b)), Update(0, b)})
}

// Add adds parts that were written earlier.
func (r *Recorder) Add(parts Parts) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.parts = append(r.parts, parts...)
}

// Truncate says that the size of the file was changed. Unless that is where its last part ends, nothing is known.
func (r *Recorder) Truncate(size int64) {
	if r == nil {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	end := int64(0)
	for _, part := range r.parts {
		end = max(end, part.To)
	}
	r.unknown = r.unknown || end != size
}

// Parts returns what was collected.
func (r *Recorder) Parts() Parts {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.unknown {
		return nil
	}
	return r.parts
}
