package figure

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// AnimationFormats are the formats of animations: GIF and animated PNG. Programs without support for animated PNG show
// its first picture.
var AnimationFormats = []string{"gif", "apng"}

// Animation is a sequence of pictures.
type Animation struct {
	size     image.Point
	pictures [][]byte // encoded as PNG, to save memory
}

// Add appends a picture.
func (movie *Animation) Add(picture *Figure) error {
	var b bytes.Buffer
	movie.size = image.Pt(max(movie.size.X, picture.Width), max(movie.size.Y, picture.Height))
	err := WritePNG(&b, picture.RGBA())
	movie.pictures = append(movie.pictures, b.Bytes())
	return err
}

// Write writes the animation as an endless loop, in the format of the file's name. rate is the number of pictures per
// second. Pictures smaller than the largest have white margins below and to the right.
func (movie *Animation) Write(path string, rate float64) error {
	format, err := FormatOf(path)
	switch {
	case err != nil:
		return err
	case len(movie.pictures) == 0:
		return fmt.Errorf("%s: the animation has no pictures", path)
	case !(rate >= 0.1 && rate <= 50):
		return fmt.Errorf("got a rate of %g pictures per second, want 0.1 to 50", rate)
	case format != "gif" && format != "apng" && format != "png":
		return fmt.Errorf("%s: the name of an animation must end with .gif, .apng or .png", path)
	}
	return atomicfile.Write(path, func(file *atomicfile.File) error {
		if format == "gif" {
			return movie.writeGIF(file, rate)
		}
		return movie.writeAPNG(file, rate)
	})
}

// picture decodes a picture and extends it to the size of the animation.
func (movie *Animation) picture(i int) (*image.RGBA, error) {
	img, err := png.Decode(bytes.NewReader(movie.pictures[i]))
	if err != nil {
		return nil, err
	}
	canvas := image.NewRGBA(image.Rectangle{Max: movie.size})
	draw.Draw(canvas, canvas.Rect, image.NewUniform(White), image.Point{}, draw.Src)
	draw.Draw(canvas, canvas.Rect, img, img.Bounds().Min, draw.Over)
	return canvas, nil
}

// writeGIF writes an animation with a single palette: the 256 most frequent colours after quantization to 5 bits per
// channel.
func (movie *Animation) writeGIF(w io.Writer, rate float64) error {
	counts := map[uint16]*bucket{}
	for i := range movie.pictures {
		p, err := movie.picture(i)
		if err != nil {
			return err
		}
		for k := 0; k < len(p.Pix); k += 4 {
			c := color.RGBA{p.Pix[k], p.Pix[k+1], p.Pix[k+2], 255}
			b := counts[quantize(c)]
			if b == nil {
				b = &bucket{}
				counts[quantize(c)] = b
			}
			b.add(c)
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b uint16) int {
		return cmp.Or(cmp.Compare(counts[b].count, counts[a].count), cmp.Compare(a, b))
	})
	var colours color.Palette
	for _, c := range frequent[:min(len(frequent), 256)] {
		colours = append(colours, counts[c].mean())
	}
	nearest := map[uint16]uint8{}
	for c, b := range counts {
		nearest[c] = uint8(colours.Index(b.mean()))
	}
	animation := &gif.GIF{}
	for i := range movie.pictures {
		p, err := movie.picture(i)
		if err != nil {
			return err
		}
		paletted := image.NewPaletted(p.Rect, colours)
		for k := range paletted.Pix {
			paletted.Pix[k] = nearest[quantize(color.RGBA{p.Pix[4*k], p.Pix[4*k+1], p.Pix[4*k+2], 255})]
		}
		animation.Image = append(animation.Image, paletted)
		animation.Delay = append(animation.Delay, max(2, int(math.Round(100/rate))))
	}
	return gif.EncodeAll(w, animation)
}

// bucket sums the colours that are equal after quantization.
type bucket struct{ count, r, g, b int }

func quantize(c color.RGBA) uint16 { return uint16(c.R>>3)<<10 | uint16(c.G>>3)<<5 | uint16(c.B>>3) }

func (b *bucket) add(c color.RGBA) {
	b.count, b.r, b.g, b.b = b.count+1, b.r+int(c.R), b.g+int(c.G), b.b+int(c.B)
}

func (b *bucket) mean() color.RGBA {
	return color.RGBA{uint8(b.r / b.count), uint8(b.g / b.count), uint8(b.b / b.count), 255}
}

// writeAPNG writes a PNG file with the chunks acTL, fcTL and fdAT of the third edition of PNG (W3C, 2025).
func (movie *Animation) writeAPNG(w io.Writer, rate float64) error {
	var out bytes.Buffer
	sequence := uint32(0)
	for i := range movie.pictures {
		p, err := movie.picture(i)
		if err != nil {
			return err
		}
		var encoded bytes.Buffer
		if err := WritePNG(&encoded, p); err != nil {
			return err
		}
		file := encoded.Bytes()
		const signature = 8
		if i == 0 {
			out.Write(file[:signature])
		}
		hasControl := false
		for offset := signature; offset < len(file); {
			size := int(binary.BigEndian.Uint32(file[offset:]))
			chunkType, data := string(file[offset+4:offset+8]), file[offset+8:offset+8+size]
			offset += 12 + size
			switch {
			case chunkType == "IHDR" && i == 0:
				chunk(&out, chunkType, data)
				chunk(&out, "acTL", bigEndian(uint32(len(movie.pictures)), 0))
			case chunkType == "IDAT":
				if !hasControl {
					control := bigEndian(sequence, uint32(p.Rect.Dx()), uint32(p.Rect.Dy()), 0, 0)
					// The duration of a picture is 1000 / (1000 rate) s.
					control = binary.BigEndian.AppendUint16(control, 1000)
					control = binary.BigEndian.AppendUint16(control, uint16(math.Round(1000*rate)))
					chunk(&out, "fcTL", append(control, 0, 0))
					sequence++
					hasControl = true
				}
				if i == 0 {
					chunk(&out, chunkType, data)
					continue
				}
				chunk(&out, "fdAT", append(bigEndian(sequence), data...))
				sequence++
			}
		}
		if !hasControl {
			return errors.New("an encoded PNG has no data")
		}
	}
	chunk(&out, "IEND", nil)
	_, err := w.Write(out.Bytes())
	return err
}

func bigEndian(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// chunk writes a chunk with its length and checksum.
func chunk(out *bytes.Buffer, chunkType string, data []byte) {
	out.Write(bigEndian(uint32(len(data))))
	body := append([]byte(chunkType), data...)
	out.Write(body)
	out.Write(bigEndian(crc32.ChecksumIEEE(body)))
}
