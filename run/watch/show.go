package watch

import (
	"bytes"
	"image/png"

	"github.com/atoll-hpc/atoll/solvers"
)

// Show makes a picture of the parts of all ranks in the background and returns at once. While a picture is being made,
// calls do nothing: the page shows the next one.
func (s *Server) Show(p Plane, parts []Part, scale Scale, along Along, at solvers.Clock) {
	if !s.drawing.CompareAndSwap(false, true) {
		return
	}
	s.ends.Go(func() {
		defer s.drawing.Store(false)
		img, err := p.picture(parts, scale, along)
		if err != nil {
			s.Tell("no picture: %v", err)
			return
		}
		var b bytes.Buffer
		fast := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := fast.Encode(&b, img); err != nil {
			s.Tell("no picture: %v", err)
			return
		}
		s.picture.put(b.Bytes())
		_, number, _ := s.picture.get()
		s.shown.Store(&shown{Number: number, At: at, Scale: scale, Along: along, Width: p.Width, Height: p.Height})
	})
}
