package watch

import (
	"errors"
	"image"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Colours of pixels, by what ranks send: 0 shows nothing, then come those of numbers, and two for what is none.
const (
	nothing   = 0
	first     = 1
	last      = 253
	masked    = 254
	notFinite = 255
)

// Scale is what the colours of a picture span.
type Scale struct{ Lo, Hi float64 }

// NewScale spans the numbers from lo to hi, or about zero if they have both signs, or what the field declares.
func NewScale(lo, hi float64, declared *[2]float64) Scale {
	switch {
	case declared != nil:
		lo, hi = declared[0], declared[1]
	case lo > hi: // there are none
		lo, hi = 0, 0
	case lo < 0 && hi > 0 && min(-lo, hi) > 1e-9*max(-lo, hi): // and not by rounding alone
		hi = max(-lo, hi)
		lo = -hi
	}
	if size := max(math.Abs(lo), math.Abs(hi)); !(hi-lo > 1e-12*size) || hi == lo {
		widen := size / 10
		if size == 0 {
			widen = 1
		}
		lo, hi = lo-widen, hi+widen
	}
	return Scale{lo, hi}
}

// Colours are those of a tile's pixels.
func (s Scale) Colours(t *Tile) []byte {
	colours := make([]byte, len(t.Values))
	for i, v := range t.Values {
		switch {
		case v == None:
			colours[i] = nothing
		case v == Masked:
			colours[i] = masked
		case v-v != 0:
			colours[i] = notFinite
		default:
			share := max(0, min(1, (v-s.Lo)/(s.Hi-s.Lo)))
			colours[i] = first + byte(math.Round(share*(last-first)))
		}
	}
	return colours
}

// diverges reports whether the scale goes through zero.
func (s Scale) diverges() bool { return s.Lo < 0 && s.Hi > 0 }

// at is the colour of a share of the scale.
func (s Scale) at(share float64) color.RGBA {
	if s.diverges() {
		return palette.Diverging.At(share)
	}
	return palette.Sequential.At(share)
}

func (s Scale) palette() color.Palette {
	p := make(color.Palette, 256)
	p[nothing] = color.RGBA{}
	p[masked] = color.RGBA{183, 168, 140, 255}  // sand, as in atoll plot
	p[notFinite] = color.RGBA{255, 0, 255, 255} // which must be seen
	for k := first; k <= last; k++ {
		p[k] = s.at(float64(k-first) / (last - first))
	}
	return p
}

// Part is a rank's tile as it travels.
type Part struct {
	X, Y, W, H int
	Colours    []byte `json:"-"`
}

// picture joins the parts of all ranks. Where several show a pixel, as ranks behind each other do, the one that is
// nearer counts, as for numbers of one rank.
func (p *Plane) picture(parts []Part, s Scale, along Along) (*image.Paletted, error) {
	img := image.NewPaletted(image.Rect(0, 0, p.Width, p.Height), s.palette())
	for _, part := range parts {
		if part.X < 0 || part.Y < 0 || part.W < 0 || part.H < 0 || part.W > p.Width-part.X ||
			part.H > p.Height-part.Y || len(part.Colours) != part.W*part.H {
			return nil, errors.New("a rank's part of the picture is not inside it")
		}
		for row := range part.H {
			to := img.Pix[(part.Y+row)*img.Stride+part.X:]
			for i, c := range part.Colours[row*part.W : (row+1)*part.W] {
				to[i] = over(to[i], c, along)
			}
		}
	}
	return img, nil
}

func over(a, b byte, along Along) byte {
	number := func(c byte) bool { return c >= first && c <= last }
	switch {
	case a == notFinite || b == nothing:
		return a
	case b == notFinite || a == nothing:
		return b
	case number(a) && number(b) && along == Smallest:
		return min(a, b)
	case number(a) && number(b):
		return max(a, b)
	case number(a):
		return a
	}
	return b
}
