package watch

import (
	"bytes"
	"image/png"

	"github.com/atoll-hpc/atoll/solvers"
)

// Show encodes a picture from the parts of all ranks in the background and returns at once. It does nothing while
// another picture is being encoded.
func (s *Server) Show(p Plane, parts []Part, scale Scale, projection Projection, clock solvers.Clock) {
	if !s.drawing.CompareAndSwap(false, true) {
		return
	}
	s.goroutines.Go(func() {
		defer s.drawing.Store(false)
		img, err := p.picture(parts, scale, projection)
		if err != nil {
			s.Log("no picture: %v", err)
			return
		}
		var b bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := encoder.Encode(&b, img); err != nil {
			s.Log("no picture: %v", err)
			return
		}
		s.picture.set(b.Bytes())
		_, number, _ := s.picture.get()
		s.pictureInfo.Store(&pictureInfo{Number: number, Clock: clock, Scale: scale, Projection: projection,
			Width: p.Width, Height: p.Height})
	})
}
