package geotiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number is the kind of the numbers of a raster.
type number struct {
	size   int // bytes
	float  bool
	signed bool // of integers
}

// numberOf takes the tags SampleFormat (1: unsigned, 2: signed, 3: floating point) and BitsPerSample.
func numberOf(format, bits int64) (number, error) {
	n := number{size: int(bits / 8), float: format == 3, signed: format == 2}
	whole := bits == 8 || bits == 16 || bits == 32 || bits == 64
	switch {
	case format == 1 && whole, format == 2 && whole, format == 3 && (bits == 32 || bits == 64):
		return n, nil
	}
	return n, fmt.Errorf("tags %d and %d: numbers of format %d and %d bits are not read: gdal_translate -ot Float64 "+
		"converts them", bitsPerSample, sampleFormat, format, bits)
}

func (n number) String() string {
	kind := "uint"
	switch {
	case n.float:
		kind = "float"
	case n.signed:
		kind = "int"
	}
	return kind + strconv.Itoa(8*n.size)
}

// bits reads a number as it is in a file.
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

// value is what the bits mean. Integers beyond 2^53 are rounded.
func (n number) value(bits uint64) float64 {
	switch {
	case n.float && n.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case n.float:
		return math.Float64frombits(bits)
	case n.signed:
		unused := 64 - 8*n.size
		return float64(int64(bits<<unused) >> unused)
	}
	return float64(bits)
}

// isNoData returns a function that tells whether a value is the one that stands for no data: text, which is GDAL's tag
// for it. Without that tag, "", it is nil.
func (n number) isNoData(text string) (func(bits uint64) bool, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if n.size == 8 && !n.float { // a float64 may not hold it exactly
		if v, err := strconv.ParseInt(text, 10, 64); err == nil && (n.signed || v >= 0) {
			return func(bits uint64) bool { return bits == uint64(v) }, nil
		}
		if v, err := strconv.ParseUint(text, 10, 64); err == nil && !n.signed {
			return func(bits uint64) bool { return bits == v }, nil
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(v, 0) {
		return nil, fmt.Errorf("tag %d: no data is %.40q, which is no number", gdalNoData, text)
	}
	if math.IsNaN(v) {
		return nil, nil // NaN is no data in any case
	}
	if n.float && n.size == 4 { // GDAL writes -MaxFloat32 with so few digits that it may be read as beyond it
		narrow := float32(v)
		if math.IsInf(float64(narrow), 0) && math.Abs(v) < 3.5e38 {
			narrow = float32(math.Copysign(math.MaxFloat32, v))
		}
		return func(bits uint64) bool { return math.Float32frombits(uint32(bits)) == narrow }, nil
	}
	return func(bits uint64) bool { return n.value(bits) == v }, nil
}
