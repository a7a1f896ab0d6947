package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Formats are the formats of single pictures.
var Formats = []string{"png", "pdf", "svg"}

// FormatOf returns the format of a file by the extension of its name.
func FormatOf(path string) (string, error) {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if !slices.Contains(Formats, format) && !slices.Contains(AnimationFormats, format) {
		return "", fmt.Errorf("%s: the name of a picture must end with .png, .pdf or .svg, of an animation with .gif, "+
			".apng or "+
			".png",
			path)
	}
	return format, nil
}

// RGBA draws the figure into an image.
func (f *Figure) RGBA() *image.RGBA {
	// At 72 dots per inch, a point is a pixel.
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(f.Width), vg.Length(f.Height)), vgimg.UseDPI(72))
	f.render(canvas)
	return asRGBA(canvas.Image())
}

// Write writes the figure in the format of the file's name.
func (f *Figure) Write(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(file *atomicfile.File) error {
		if err := f.encode(file, format); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}

func (f *Figure) encode(w io.Writer, format string) error {
	switch format {
	case "png":
		return WritePNG(w, f.RGBA())
	case "pdf", "svg":
	default:
		return fmt.Errorf("format %s is for animations, want a format of single pictures", format)
	}
	inch := f.Inch
	if inch == 0 {
		inch = float64(f.Width) / WidthOnPaper
	}
	scale := 72 / inch
	width, height := vg.Length(scale*float64(f.Width)), vg.Length(scale*float64(f.Height))
	var canvas vg.CanvasWriterTo
	if format == "pdf" {
		canvas = pdfCanvas{vgpdf.New(width, height)}
	} else {
		canvas = vgsvg.New(width, height)
	}
	canvas.Push()
	canvas.Scale(scale, scale)
	f.render(canvas)
	canvas.Pop()
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// gonum embeds PNG images, but declares them as JPEG.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("data:image/jpg;"), []byte("data:image/png;")))
	return err
}

// WritePNG encodes an image.
func WritePNG(w io.Writer, img image.Image) error {
	return (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(w, img)
}
