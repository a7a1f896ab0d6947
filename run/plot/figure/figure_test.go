package figure

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

var blue = color.RGBA{0, 0, 255, 255}

// halfColoured returns a figure whose upper half is an image of one colour, with letters that the standard fonts of PDF
// lack.
func halfColoured(c color.RGBA) *Figure {
	f := New(120, 80)
	img := image.NewRGBA(image.Rect(0, 0, 120, 40))
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = c.R, c.G, c.B, 255
	}
	f.Image(image.Point{}, img)
	f.Text("−1 ½Σ", 12, 10, 70, 0)
	f.VerticalText("up", 12, 100, 60)
	return f
}

// TestFormats checks that each format has its signature, PDF has letters as text, and SVG has images in PNG.
func TestFormats(t *testing.T) {
	dir := t.TempDir()
	f := halfColoured(blue)
	f.Text("plain", 12, 10, 55, 0)
	for ending, want := range map[string][]string{
		"png": {"\x89PNG\r\n\x1a\n"}, "pdf": {"%PDF-1", "/FontFile2"}, "svg": {"<svg", "data:image/png;", ">plain<"}} {
		path := filepath.Join(dir, "a."+ending)
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			if !bytes.Contains(data, []byte(s)) {
				t.Errorf("%s has no %q", path, s)
			}
		}
	}
	for name, want := range map[string]string{"a.jpg": "must end with .png", "a.gif": "is for animations",
		"none/a.png": "no such file"} {
		if err := f.Write(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestPixels checks that images are at their positions, pixel for pixel, in single figures and in stacks.
func TestPixels(t *testing.T) {
	red := color.RGBA{255, 0, 0, 255}
	img := Stack([][]*Figure{{halfColoured(blue), halfColoured(red)}, {halfColoured(red)}}).RGBA()
	if img.Rect.Max != image.Pt(240, 160) {
		t.Fatalf("got size %v, want 240 by 160", img.Rect)
	}
	for point, want := range map[image.Point]color.RGBA{{0, 0}: blue, {119, 39}: blue, {60, 41}: White, {120, 0}: red,
		{239, 39}: red, {0, 80}: red, {119, 119}: red, {200, 100}: White} {
		if got := img.RGBAAt(point.X, point.Y); got != want {
			t.Errorf("pixel %v is %v, want %v", point, got, want)
		}
	}
}

// TestAnimations checks that animations have all pictures in order, at the size of the largest, for the time that the
// rate implies.
func TestAnimations(t *testing.T) {
	dir := t.TempDir()
	animation := &Animation{}
	colours := []color.RGBA{blue, {0, 200, 0, 255}, {200, 100, 0, 255}}
	for _, c := range colours {
		if err := animation.Add(halfColoured(c)); err != nil {
			t.Fatal(err)
		}
	}
	if err := animation.Add(New(60, 100)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.gif", "a.apng", "b.png"} {
		if err := animation.Write(filepath.Join(dir, name), 5); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(filepath.Join(dir, "a.gif"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoded, err := gif.DecodeAll(file)
	if err != nil || len(decoded.Image) != 4 || decoded.Delay[0] != 20 || decoded.Image[0].Rect.Max != image.Pt(120, 100) {
		t.Fatalf("%d pictures, %v", len(decoded.Image), err)
	}
	for i, c := range colours {
		if r, g, b, _ := decoded.Image[i].At(5, 5).RGBA(); uint8(r>>8) != c.R || uint8(g>>8) != c.G || uint8(b>>8) != c.B {
			t.Errorf("picture %d is %d %d %d, want %v", i, r>>8, g>>8, b>>8, c)
		}
	}
	apng, err := os.ReadFile(filepath.Join(dir, "a.apng"))
	if err != nil {
		t.Fatal(err)
	}
	first, err := png.Decode(bytes.NewReader(apng)) // decodes only the first picture
	if err != nil || first.Bounds().Max != image.Pt(120, 100) {
		t.Fatalf("error %v, or the first picture is not 120 by 100", err)
	}
	control := []byte("acTL\x00\x00\x00\x04\x00\x00\x00\x00")
	if n := bytes.Count(apng, []byte("fcTL")); n != 4 || !bytes.Contains(apng, control) {
		t.Errorf("got %d pictures in the animated PNG, want 4", n)
	}
	for rate, name := range map[float64]string{0: "c.gif", 60: "c.gif", 5: "c.pdf"} {
		if err := animation.Write(filepath.Join(dir, name), rate); err == nil {
			t.Errorf("%s with rate %g: no error", name, rate)
		}
	}
}

// useFonts makes the fonts in a folder those of the machine.
func useFonts(t *testing.T, folder string) {
	installed = fallbacks{}
	installed.list([]string{folder})
	t.Cleanup(func() { installed = fallbacks{} })
}

// TestFallback: characters that the font of the program lacks are drawn by a font of the machine, with its widths, in
// all formats.
func TestFallback(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string][]byte{"broken.ttf": []byte("no font"), "GoSans.ttf": goregular.TTF} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	face := faceOf(Sans(20))
	useFonts(t, dir)
	var only []rune // that the font of the program lacks
	for r := rune(128); r < 1<<16 && len(only) < 3; r++ {
		if lacks(face, r) && installed.font(r) != nil {
			only = append(only, r)
		}
	}
	if len(only) == 0 {
		t.Fatal("Go Regular has no character that the font of the program lacks")
	}
	line := "a" + string(only) + "b"
	f := New(200, 60)
	f.Text(line, 20, 10, 40, 0)
	for _, format := range Formats {
		if err := f.encode(io.Discard, format); err != nil || len(f.Missing()) > 0 {
			t.Errorf("%s: %v, missing %q", format, err, string(f.Missing()))
		}
	}
	with := f.RGBA()
	width := Measure(line, 20)
	useFonts(t, t.TempDir())
	f = New(200, 60)
	f.Text(line, 20, 10, 40, 0)
	without := f.RGBA()
	if bytes.Equal(with.Pix, without.Pix) || string(f.Missing()) != string(only) {
		t.Errorf("the pictures with and without the font are equal, or the latter lacks %q, want %q", string(f.Missing()),
			string(only))
	}
	sum := Measure("ab", 20)
	var buffer sfnt.Buffer
	own, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range only {
		sum += float64(advance(&buffer, own, r, 20))
	}
	if math.Abs(width-sum) > 1e-9 {
		t.Errorf("the line is %g wide, want %g", width, sum)
	}
}

// TestMissing: characters that no font has are known after drawing, also in figures within figures and rotated text.
func TestMissing(t *testing.T) {
	useFonts(t, t.TempDir())
	for text, want := range map[string]string{"Pegel Köln": "", "z (m³) −1 µ Ω Ж": "", "東京湾": "京東湾", "ab 水 水": "水",
		"شاطئ": "ئاشط", "🌊 sea": "🌊", "": ""} {
		inner := New(100, 40)
		inner.Text(text, 12, 10, 20, 0)
		f := New(200, 200)
		f.VerticalText("ok", 12, 10, 20)
		f.DrawFigure(inner, image.Pt(10, 10))
		for _, format := range Formats {
			if err := f.encode(io.Discard, format); err != nil {
				t.Fatal(err)
			}
			if got := string(f.Missing()); got != want {
				t.Errorf("%s in %s: missing %q, want %q", text, format, got, want)
			}
		}
	}
}
