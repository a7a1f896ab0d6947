package geotiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/formats/missing"
)

// number is the type of the numbers in a raster.
type number struct {
	size     int // bytes
	isFloat  bool
	isSigned bool // for integers
}

// numberOf returns the type for the values of the tags SampleFormat (1: unsigned, 2: signed, 3: floating point) and
// BitsPerSample.
func numberOf(format, bits int64) (number, error) {
	n := number{size: int(bits / 8), isFloat: format == 3, isSigned: format == 2}
	hasIntegerSize := bits == 8 || bits == 16 || bits == 32 || bits == 64
	switch {
	case format == 1 && hasIntegerSize, format == 2 && hasIntegerSize, format == 3 && (bits == 32 || bits == 64):
		return n, nil
	}
	return n, fmt.Errorf("tags %d and %d: numbers of format %d and %d bits are not supported: gdal_translate -ot Float64 "+
		"converts them", bitsPerSample, sampleFormat, format, bits)
}

func (n number) String() string {
	kind := "uint"
	switch {
	case n.isFloat:
		kind = "float"
	case n.isSigned:
		kind = "int"
	}
	return kind + strconv.Itoa(8*n.size)
}

// bits returns the bits of a number, from its bytes in the file.
func (n number) bits(order binary.ByteOrder, b []byte) uint64 {
	switch n.size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(order.Uint16(b))
	case 4:
		return uint64(order.Uint32(b))
	}
	return order.Uint64(b)
}

// value returns the number with these bits. Integers beyond 2^53 are rounded.
func (n number) value(bits uint64) float64 {
	switch {
	case n.isFloat && n.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case n.isFloat:
		return math.Float64frombits(bits)
	case n.isSigned:
		unused := 64 - 8*n.size
		return float64(int64(bits<<unused) >> unused)
	}
	return float64(bits)
}

// isNoData returns a function that reports whether a number means no data. text is the content of GDAL's tag with that
// number; if it is "", isNoData returns nil.
func (n number) isNoData(text string) (func(bits uint64) bool, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if n.size == 8 && !n.isFloat { // a float64 may not represent it exactly
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && (n.isSigned || v >= 0) {
			return func(bits uint64) bool { return bits == uint64(v) }, nil
		}
		if v, err := strconv.ParseUint(text, 10, 64); err == nil && !n.isSigned {
			return func(bits uint64) bool { return bits == v }, nil
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		if lower := strings.ToLower(text); strings.Contains(lower, "nan") || strings.Contains(lower, "#") {
			return nil, nil // NaN as C libraries write it: nan(ind), -1.#IND
		}
		return nil, fmt.Errorf("tag %d: the value for no data, %.40q, is not a number", gdalNoData, text)
	}
	switch {
	case math.IsNaN(v):
		return nil, nil // NaN always means no data
	case n.isFloat && n.size == 4 && math.Abs(v) < 1e6: // the most common case, in a fast loop
		v32 := float32(v)
		return func(bits uint64) bool { return math.Float32frombits(uint32(bits)) == v32 }, nil
	case n.isFloat || n.size >= 4: // large numbers may have been rounded to few digits
		return func(bits uint64) bool { return missing.Matches(n.value(bits), v) }, nil
	}
	return func(bits uint64) bool { return n.value(bits) == v }, nil
}
