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
	"os"
	"slices"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Films are the formats of sequences of pictures: GIF, and PNG whose pictures follow each other (APNG), which programs
// that know nothing of films show the first picture of.
var Films = []string{"gif", "apng"}

// Film is pictures that follow each other.
type Film struct {
	size     image.Point
	pictures [][]byte // in PNG, which takes a tenth of the memory
}

// Add appends a picture.
func (f *Film) Add(picture *Figure) error {
	var b bytes.Buffer
	f.size = image.Pt(max(f.size.X, picture.Width), max(f.size.Y, picture.Height))
	err := WritePNG(&b, picture.RGBA())
	f.pictures = append(f.pictures, b.Bytes())
	return err
}

// Write writes the film, which repeats, in the format of the file's name, with so many pictures a second. Where they
// differ in size, the smaller ones have white below and beside them.
func (f *Film) Write(path string, rate float64) error {
	format, err := FormatOf(path)
	switch {
	case err != nil:
		return err
	case len(f.pictures) == 0:
		return fmt.Errorf("%s: a film without pictures", path)
	case !(rate >= 0.1 && rate <= 50):
		return fmt.Errorf("%g pictures a second: they can be from 0.1 to 50", rate)
	case format != "gif" && format != "apng" && format != "png":
		return fmt.Errorf("%s: a film is written as .gif, .apng or .png", path)
	}
	return atomicfile.Write(path, func(file *os.File) error {
		if format == "gif" {
			return f.writeGIF(file, rate)
		}
		return f.writeAPNG(file, rate)
	})
}

// picture is one in the size of all.
func (f *Film) picture(i int) (*image.RGBA, error) {
	img, err := png.Decode(bytes.NewReader(f.pictures[i]))
	if err != nil {
		return nil, err
	}
	all := image.NewRGBA(image.Rectangle{Max: f.size})
	draw.Draw(all, all.Rect, image.NewUniform(White), image.Point{}, draw.Src)
	draw.Draw(all, all.Rect, img, img.Bounds().Min, draw.Over)
	return all, nil
}

// writeGIF writes a film of one palette: the 256 colours that are most frequent when channels have 5 bits.
func (f *Film) writeGIF(w io.Writer, rate float64) error {
	counts := map[uint16]*bucket{}
	for i := range f.pictures {
		p, err := f.picture(i)
		if err != nil {
			return err
		}
		for k := 0; k < len(p.Pix); k += 4 {
			c := color.RGBA{p.Pix[k], p.Pix[k+1], p.Pix[k+2], 255}
			b := counts[coarse(c)]
			if b == nil {
				b = &bucket{}
				counts[coarse(c)] = b
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
	film := &gif.GIF{}
	for i := range f.pictures {
		p, err := f.picture(i)
		if err != nil {
			return err
		}
		few := image.NewPaletted(p.Rect, colours)
		for k := range few.Pix {
			few.Pix[k] = nearest[coarse(color.RGBA{p.Pix[4*k], p.Pix[4*k+1], p.Pix[4*k+2], 255})]
		}
		film.Image = append(film.Image, few)
		film.Delay = append(film.Delay, max(2, int(math.Round(100/rate))))
	}
	return gif.EncodeAll(w, film)
}

// bucket is the colours that are one when channels have 5 bits.
type bucket struct{ count, r, g, b int }

func coarse(c color.RGBA) uint16 { return uint16(c.R>>3)<<10 | uint16(c.G>>3)<<5 | uint16(c.B>>3) }

func (b *bucket) add(c color.RGBA) {
	b.count, b.r, b.g, b.b = b.count+1, b.r+int(c.R), b.g+int(c.G), b.b+int(c.B)
}

func (b *bucket) mean() color.RGBA {
	return color.RGBA{uint8(b.r / b.count), uint8(b.g / b.count), uint8(b.b / b.count), 255}
}

// writeAPNG writes a PNG file with the chunks acTL, fcTL and fdAT of the third edition of PNG (W3C, 2025).
func (f *Film) writeAPNG(w io.Writer, rate float64) error {
	var out bytes.Buffer
	sequence := uint32(0)
	for i := range f.pictures {
		p, err := f.picture(i)
		if err != nil {
			return err
		}
		var one bytes.Buffer
		if err := WritePNG(&one, p); err != nil {
			return err
		}
		file := one.Bytes()
		const signature = 8
		if i == 0 {
			out.Write(file[:signature])
		}
		controlled := false
		for at := signature; at < len(file); {
			size := int(binary.BigEndian.Uint32(file[at:]))
			kind, data := string(file[at+4:at+8]), file[at+8:at+8+size]
			at += 12 + size
			switch {
			case kind == "IHDR" && i == 0:
				chunk(&out, kind, data)
				chunk(&out, "acTL", words(uint32(len(f.pictures)), 0))
			case kind == "IDAT":
				if !controlled {
					control := words(sequence, uint32(p.Rect.Dx()), uint32(p.Rect.Dy()), 0, 0)
					// A picture lasts 1000 / (1000 rate) s.
					control = binary.BigEndian.AppendUint16(control, 1000)
					control = binary.BigEndian.AppendUint16(control, uint16(math.Round(1000*rate)))
					chunk(&out, "fcTL", append(control, 0, 0))
					sequence++
					controlled = true
				}
				if i == 0 {
					chunk(&out, kind, data)
					continue
				}
				chunk(&out, "fdAT", append(words(sequence), data...))
				sequence++
			}
		}
		if !controlled {
			return errors.New("a picture of PNG without data")
		}
	}
	chunk(&out, "IEND", nil)
	_, err := w.Write(out.Bytes())
	return err
}

func words(list ...uint32) (b []byte) {
	for _, v := range list {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

// chunk writes one with its length and its checksum.
func chunk(out *bytes.Buffer, kind string, data []byte) {
	out.Write(words(uint32(len(data))))
	body := append([]byte(kind), data...)
	out.Write(body)
	out.Write(words(crc32.ChecksumIEEE(body)))
}
