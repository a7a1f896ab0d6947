package survey

import (
	"math"

	"github.com/atoll-hpc/atoll/solvers/common/exact"
)

// tally is the result of a thread for some cells or edges, and then for several threads.
type tally struct {
	first, second exact.Part
	most, least   uint64 // exact.OrderedBits of the greatest, and of the least times -1
	low, high     uint64 // counts of 16 bits in bins 0 to 3 and 4 to 7; a chunk has fewer than 2^16 cells or edges
	special       int32  // cells that are inverted, edges in range
	_             int32
}

// orderedNegative returns the ordered bits of -quality, the same for 0 and -0.
func orderedNegative(quality float64) uint64 { return exact.OrderedBits(0 - quality) }

// orderedQuality returns the ordered bits of a quality, the same for 0 and -0; 0 for a NaN.
func orderedQuality(quality float64) uint64 {
	if quality != quality {
		return 0
	}
	return exact.OrderedBits(0 + quality)
}

func (o *tally) addCell(quality, size float64, sums []int64) {
	o.first.Add(quality, sums[Qualities:Sizes])
	o.second.Add(size, sums[Sizes:Sizes+exact.Words])
	o.most, o.least = max(o.most, orderedQuality(quality)), max(o.least, orderedNegative(quality))
	if !(size > 0) {
		o.special++
	}
	bin := int32(0)
	for k := int32(1); k < QualityBins; k++ {
		if quality >= 0.2*float64(k) {
			bin = k
		}
	}
	o.count(bin)
}

func (o *tally) addEdge(length float64, sums []int64) {
	square := length * length
	o.first.Add(length, sums[:exact.Words])
	o.second.Add(square, sums[exact.Words:2*exact.Words])
	o.most, o.least = max(o.most, exact.OrderedBits(length)), max(o.least, exact.OrderedBits(-length))
	if length >= math.Sqrt2/2 && length <= math.Sqrt2 {
		o.special++
	}
	bin := int32(0)
	if length >= 1./8 { // the exponent of 1/8 is 1020
		bin = min(int32(math.Float64bits(length)>>52)-1019, LengthBins-1)
	}
	o.count(bin)
}

// count counts in a bin.
func (o *tally) count(bin int32) {
	if bin < 4 {
		o.low += 1 << (16 * uint64(bin))
	} else {
		o.high += 1 << (16 * uint64(bin-4))
	}
}

// inBin returns how many are in a bin.
func (o *tally) inBin(bin int32) int64 {
	word := o.low
	if bin >= 4 {
		word = o.high
	}
	return int64(word >> (16 * uint64(bin%4)) & 0xffff)
}

// merge adds up `many` tallies, at the indices first, first+each, first+2*each and so on, in the first of them.
func merge(all []tally, first, each, many int32, sums []int64) {
	o := all[first]
	for k := int32(1); k < many; k++ {
		p := all[first+k*each]
		o.first.Merge(&p.first, sums[:exact.Words])
		o.second.Merge(&p.second, sums[exact.Words:2*exact.Words])
		o.most, o.least = max(o.most, p.most), max(o.least, p.least)
		o.low, o.high = o.low+p.low, o.high+p.high
		o.special += p.special
	}
	all[first] = o
}

// flush adds the two sums to those of the chunk.
func (o *tally) flush(sums []int64) {
	o.first.Flush(sums[:exact.Words])
	o.second.Flush(sums[exact.Words : 2*exact.Words])
}
