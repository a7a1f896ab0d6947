package figure

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// Characters that the font of the program lacks, such as Chinese ones, are drawn by the outlines of a font that is
// installed on the machine, if there is one.

// fallbacks finds fonts of the machine for characters. The zero value is ready for use.
type fallbacks struct {
	lock  sync.Mutex
	files []string // not read yet; nil before the first search
	found bool     // files was set
	fonts []*sfnt.Font
	of    map[rune]*sfnt.Font // nil for characters that no font has
}

// installed are the fonts of the machine.
var installed fallbacks

// folders returns the folders in which systems keep fonts.
func folders() []string {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "windows":
		return []string{filepath.Join(os.Getenv("WINDIR"), "Fonts")}
	case "darwin":
		return []string{"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library", "Fonts")}
	}
	return []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".local", "share", "fonts"),
		filepath.Join(home, ".fonts")}
}

// list sets the files of fonts in folders. Upright sans serifs come first, then the order is that of names.
func (f *fallbacks) list(folders []string) {
	f.files, f.found = nil, true
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			ext := strings.ToLower(filepath.Ext(path))
			if err == nil && !d.IsDir() && slices.Contains([]string{".ttf", ".otf", ".ttc", ".otc"}, ext) {
				f.files = append(f.files, path)
			}
			return nil
		})
	}
	rank := func(path string) int {
		name := strings.ToLower(filepath.Base(path))
		switch {
		case strings.Contains(name, "italic") || strings.Contains(name, "oblique") || strings.Contains(name, "bold"):
			return 2
		case strings.Contains(name, "sans") || strings.Contains(name, "gothic"):
			return 0
		}
		return 1
	}
	slices.SortStableFunc(f.files, func(a, b string) int { return rank(a) - rank(b) })
}

// font returns a font that has a character, nil if there is none.
func (f *fallbacks) font(r rune) *sfnt.Font {
	f.lock.Lock()
	defer f.lock.Unlock()
	if found, known := f.of[r]; known {
		return found
	}
	if !f.found {
		f.list(folders())
	}
	if f.of == nil {
		f.of = map[rune]*sfnt.Font{}
	}
	k := slices.IndexFunc(f.fonts, func(s *sfnt.Font) bool { return has(s, r) })
	for k < 0 && len(f.files) > 0 {
		before := len(f.fonts)
		f.fonts = append(f.fonts, read(f.files[0])...)
		f.files = f.files[1:]
		if n := slices.IndexFunc(f.fonts[before:], func(s *sfnt.Font) bool { return has(s, r) }); n >= 0 {
			k = before + n
		}
	}
	f.of[r] = nil
	if k >= 0 {
		f.of[r] = f.fonts[k]
	}
	return f.of[r]
}

// read returns the fonts of a file, none if it cannot be read.
func read(path string) (list []*sfnt.Font) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	all, err := sfnt.ParseCollection(data)
	if err != nil {
		return nil
	}
	for k := range all.NumFonts() {
		if f, err := all.Font(k); err == nil {
			list = append(list, f)
		}
	}
	return list
}

// has reports whether a font has an outline for a character.
func has(f *sfnt.Font, r rune) bool {
	var buffer sfnt.Buffer
	glyph, err := f.GlyphIndex(&buffer, r)
	if err != nil || glyph == 0 {
		return false
	}
	outline, err := f.LoadGlyph(&buffer, glyph, fixed.I(outlineSize), nil)
	return err == nil && len(outline) > 0
}

// lacks reports whether the font of the program lacks a character.
func lacks(f plotfont.Face, r rune) bool {
	if r < 128 {
		return false
	}
	var buffer sfnt.Buffer
	glyph, err := f.Face.GlyphIndex(&buffer, r)
	return err != nil || glyph == 0
}

// part is a part of a line of text that one font draws. Font nil is that of the program.
type part struct {
	text string
	font *sfnt.Font
}

// partsOf divides a line of text by the fonts that draw it.
func partsOf(f plotfont.Face, line string) (list []part) {
	for _, r := range line {
		var other *sfnt.Font
		if lacks(f, r) {
			other = installed.font(r)
		}
		if n := len(list); n > 0 && list[n-1].font == other {
			list[n-1].text += string(r)
		} else {
			list = append(list, part{string(r), other})
		}
	}
	return list
}

// width returns the width of a part in the units of the size of a font.
func (p part) width(f plotfont.Face) vg.Length {
	if p.font == nil {
		return f.Width(p.text)
	}
	var buffer sfnt.Buffer
	sum := vg.Length(0)
	for _, r := range p.text {
		sum += advance(&buffer, p.font, r, f.Font.Size)
	}
	return sum
}

// outlineSize is the size at which outlines are loaded: their coordinates are fixed-point numbers, which would be too
// coarse at the size of the text.
const outlineSize = 1024

// advance returns the distance from a character to the next one in a font of a size.
func advance(buffer *sfnt.Buffer, f *sfnt.Font, r rune, size vg.Length) vg.Length {
	glyph, err := f.GlyphIndex(buffer, r)
	if err != nil {
		return 0
	}
	a, err := f.GlyphAdvance(buffer, glyph, fixed.I(outlineSize), font.HintingNone)
	if err != nil {
		return 0
	}
	return size / outlineSize * vg.Length(a) / 64
}

// fillOutlines writes a line of text by the outlines of its letters.
func fillOutlines(c vg.Canvas, f *sfnt.Font, size vg.Length, at vg.Point, line string) {
	var buffer sfnt.Buffer
	x := at.X
	for _, r := range line {
		glyph, err := f.GlyphIndex(&buffer, r)
		if err != nil {
			continue
		}
		outline, err := f.LoadGlyph(&buffer, glyph, fixed.I(outlineSize), nil)
		if err == nil && len(outline) > 0 {
			c.Fill(path(outline, x, at.Y, size/outlineSize))
		}
		x += advance(&buffer, f, r, size)
	}
}
