package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
)

// Formats are those of single pictures.
var Formats = []string{"png", "pdf", "svg"}

// FormatOf is the format of a file by its name.
func FormatOf(path string) (string, error) {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if !slices.Contains(Formats, format) && !slices.Contains(Films, format) {
		return "", fmt.Errorf("%s: the name of a picture ends with .png, .pdf or .svg, of a film with .gif, .apng or .png",
			path)
	}
	return format, nil
}

// RGBA is the figure in pixels.
func (f *Figure) RGBA() *image.RGBA {
	// With 72 dots an inch, a point is a pixel.
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(f.Width), vg.Length(f.Height)), vgimg.UseDPI(72))
	f.on(canvas)
	return asRGBA(canvas.Image())
}

// Write writes the figure in the format of the file's name.
func (f *Figure) Write(path string) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(file *os.File) error {
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
		return fmt.Errorf("a film cannot be one picture")
	}
	inch := f.Inch
	if inch == 0 {
		inch = float64(f.Width) / WidthOnPaper
	}
	scale := 72 / inch
	width, height := vg.Length(scale*float64(f.Width)), vg.Length(scale*float64(f.Height))
	var canvas vg.CanvasWriterTo
	if format == "pdf" {
		canvas = lettered{vgpdf.New(width, height)}
	} else {
		canvas = vgsvg.New(width, height)
	}
	canvas.Push()
	canvas.Scale(scale, scale)
	f.on(canvas)
	canvas.Pop()
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Images are of PNG, and not what gonum says.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("data:image/jpg;"), []byte("data:image/png;")))
	return err
}

// WritePNG encodes an image.
func WritePNG(w io.Writer, img image.Image) error {
	return (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(w, img)
}
