package plot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// addNote adds a note for the user, unless it is there already.
func (w *pictureWriter) addNote(format string, args ...any) {
	addUnique(&w.Notes, fmt.Sprintf(format, args...))
}

// skipWithNote reports whether err says that a logarithmic plot has nothing to show, and the user did not ask for
// that plot by name. If so, it adds a note.
func (w *pictureWriter) skipWithNote(name string, err error) bool {
	if !errors.Is(err, chart.ErrNoLogarithm) || !w.options.drawsEverything() {
		return false
	}
	w.addNote("%s is left out: %v", name, err)
	return true
}

// pictureWriter names pictures and writes them to files.
type pictureWriter struct {
	Result
	options     *Options
	defaultDir  string            // the folder if the options name none
	outPictures []namedFigure     // pictures for the file Out, which may hold only one
	animations  []*namedAnimation // written by finish
}

// namedFigure is a picture with its name.
type namedFigure struct {
	name    string
	picture *figure.Figure
}

// namedAnimation is an animation with its name.
type namedAnimation struct {
	name string
	figure.Animation
}

// save writes a picture to a file with its name, or adds it to the animation with its name. frame is the number of its
// frame, -1 for none; animations have only pictures of frames.
func (w *pictureWriter) save(name string, frame int, picture *figure.Figure) error {
	if w.options.isAnimation() {
		if frame < 0 {
			return nil
		}
		k := slices.IndexFunc(w.animations, func(f *namedAnimation) bool { return f.name == name })
		if k < 0 {
			k = len(w.animations)
			w.animations = append(w.animations, &namedAnimation{name: name})
		}
		err := w.animations[k].Add(picture)
		w.noteMissing(picture)
		return err
	}
	if frame >= 0 {
		name = fmt.Sprintf("%s-%04d", name, frame)
	}
	if w.options.Out != "" {
		w.outPictures = append(w.outPictures, namedFigure{name, picture})
		return nil
	}
	return w.writePicture(name, picture)
}

// writePicture writes the file of a picture, and notes characters that no font has.
func (w *pictureWriter) writePicture(name string, picture *figure.Figure) error {
	err := w.write(name, picture.Write)
	w.noteMissing(picture)
	return err
}

// noteMissing adds a note about characters that no font has.
func (w *pictureWriter) noteMissing(picture *figure.Figure) {
	if list := picture.Missing(); len(list) > 0 {
		w.addNote("no font has the characters %s, which are drawn as boxes: install one for them (such as the package "+
			"fonts-noto-cjk), or write names and titles in Latin, Greek or Cyrillic letters", string(list))
	}
}

// write writes the file of a picture.
func (w *pictureWriter) write(name string, write func(path string) error) error {
	path := w.options.Out
	if path == "" {
		dir := w.options.Dir
		if dir == "" {
			dir = w.defaultDir
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		path = filepath.Join(dir, fileName(name)+"."+w.options.Format)
	}
	if err := write(path); err != nil {
		return err
	}
	w.Files = append(w.Files, path)
	return nil
}

// finish writes animations and the picture for the file Out.
func (w *pictureWriter) finish() error {
	var names []string
	for _, d := range w.outPictures {
		names = append(names, d.name)
	}
	for _, f := range w.animations {
		names = append(names, f.name)
	}
	if w.options.Out != "" && len(names) != 1 {
		return fmt.Errorf("--out %s is for a single picture, but there are %d: %s; choose one with --field, --gauge or "+
			"--column, or omit --out", w.options.Out, len(names), strings.Join(names, ", "))
	}
	for _, d := range w.outPictures {
		if err := w.writePicture(d.name, d.picture); err != nil {
			return err
		}
	}
	rate := w.options.Rate
	if rate == 0 {
		rate = 10
	}
	for _, f := range w.animations {
		if err := w.write(f.name, func(path string) error { return f.Write(path, rate) }); err != nil {
			return err
		}
	}
	if len(w.Files) == 0 {
		return errors.New("nothing was drawn: no frame, gauge or table has the requested data")
	}
	return nil
}

// fileName replaces characters that are not allowed in file names.
func fileName(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, s)
}
