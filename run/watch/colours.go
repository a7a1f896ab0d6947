package watch

import (
	"errors"
	"image"
	"image/color"
	"math"

	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// Pixel values that ranks send: 0 for transparent, then the colours of the scale, and two for values without a colour.
const (
	transparent = 0
	firstColour = 1
	lastColour  = 253
	masked      = 254
	notFinite   = 255
)

// Scale is the range of values that the colours span.
type Scale struct{ Lo, Hi float64 }

// NewScale returns the scale of values from lo to hi. It is symmetric about zero if they have both signs. A range that
// the field declares replaces them.
func NewScale(lo, hi float64, declared *[2]float64) Scale {
	switch {
	case declared != nil:
		lo, hi = declared[0], declared[1]
	case lo > hi: // no values
		lo, hi = 0, 0
	case lo < 0 && hi > 0 && min(-lo, hi) > 1e-9*max(-lo, hi): // not just by round-off
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

// Colours returns the pixel values of a tile.
func (s Scale) Colours(t *Tile) []byte {
	colours := make([]byte, len(t.Values))
	for i, v := range t.Values {
		switch {
		case v == NoCell:
			colours[i] = transparent
		case v == Masked:
			colours[i] = masked
		case !isFinite(v):
			colours[i] = notFinite
		default:
			fraction := max(0, min(1, (v-s.Lo)/(s.Hi-s.Lo)))
			colours[i] = firstColour + byte(math.Round(fraction*(lastColour-firstColour)))
		}
	}
	return colours
}

// diverges reports whether zero is inside the scale.
func (s Scale) diverges() bool { return s.Lo < 0 && s.Hi > 0 }

// colour returns the colour at a fraction of the scale, from 0 to 1.
func (s Scale) colour(fraction float64) color.RGBA {
	if s.diverges() {
		return palette.Diverging.At(fraction)
	}
	return palette.Sequential.At(fraction)
}

func (s Scale) palette() color.Palette {
	p := make(color.Palette, 256)
	p[transparent] = color.RGBA{}
	p[masked] = color.RGBA{183, 168, 140, 255}  // sand, as in atoll plot
	p[notFinite] = color.RGBA{255, 0, 255, 255} // magenta, to stand out
	for k := firstColour; k <= lastColour; k++ {
		p[k] = s.colour(float64(k-firstColour) / (lastColour - firstColour))
	}
	return p
}

// Part is a rank's tile in the form in which it is sent.
type Part struct {
	X, Y, W, H int
	Colours    []byte `json:"-"`
}

// picture joins the parts of all ranks. A pixel that several ranks cover, one behind the other, gets the value that the
// projection selects.
func (p *Plane) picture(parts []Part, s Scale, projection Projection) (*image.Paletted, error) {
	img := image.NewPaletted(image.Rect(0, 0, p.Width, p.Height), s.palette())
	for _, part := range parts {
		if part.X < 0 || part.Y < 0 || part.W < 0 || part.H < 0 || part.W > p.Width-part.X ||
			part.H > p.Height-part.Y || len(part.Colours) != part.W*part.H {
			return nil, errors.New("part of a rank extends beyond the picture")
		}
		for row := range part.H {
			dst := img.Pix[(part.Y+row)*img.Stride+part.X:]
			for i, c := range part.Colours[row*part.W : (row+1)*part.W] {
				dst[i] = visibleColour(dst[i], c, projection)
			}
		}
	}
	return img, nil
}

// visibleColour returns which of two pixel values is shown where the tiles of two ranks overlap.
func visibleColour(a, b byte, projection Projection) byte {
	isColour := func(c byte) bool { return c >= firstColour && c <= lastColour }
	switch {
	case a == notFinite || b == transparent:
		return a
	case b == notFinite || a == transparent:
		return b
	case isColour(a) && isColour(b) && projection == SmallestAlongZ:
		return min(a, b)
	case isColour(a) && isColour(b):
		return max(a, b)
	case isColour(a):
		return a
	}
	return b
}
