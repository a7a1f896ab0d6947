package folder

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// temporaryFiles are paths in a folder, and whether they are temporary files that a run may have left there.
var temporaryFiles = map[string]bool{
	"run.json.12-3.tmp": true, "epoch.json.12-3.tmp": true, "case.toml.12-3.tmp": true, "summary.json.12-3.tmp": true,
	".ranks-answer.12-3.tmp": true, "conservation.csv.12-3.tmp": true, "a.pvd.12-3.tmp": true, "a_stl.pvd.1-1.tmp": true,
	"a.nc.4711-1000.tmp": true, "gauges.nc.12-3.tmp": true, "outlines.geojson.12-3.tmp": true,
	"raster/h.tif.12-3.tmp":         true,
	"measured/harbour.csv.12-3.tmp": true, "gauges/a.csv.12-3.tmp": true, "transects/a.csv.12-3.tmp": true,
	"frames/a_000001.vtu.12-4.tmp": true, "frames/a_000001_r0001.vtu.12-4.tmp": true,
	"frames/a_000001.pvtu.12-4.tmp": true,
	"frames/a_000001.stl.12-4.tmp":  true, "frames/a_000001.obj.12-4.tmp": true, "frames/a_000001.vdb.12-4.tmp": true,
	"frames/a_000001.vti.part": true, "frames/a_000001.vtp.e7.part": true, "checkpoints/step_000000000009.ckpt.part": true,
	"checkpoints/step_000000000009.ckpt.e12.part": true, "better.msh.12-3.tmp": true, ".epoch-2-better.msh": true,
	".epoch-2-better.msh.12-3.tmp": true, "meshes/better.msh.12-3.tmp": true,

	".ranks.12-3.tmp": false, // may be being written by another process
	"mine.tmp":        false, "a.nc.tmp": false, "a.nc.old.tmp": false, "notes.txt.12-3.tmp": false,
	"raster/mine.tmp":           false,
	"raster/h.tif.aux.12-3.tmp": false, "frames/mine.12-3.tmp": false, "frames/a_000001.vti.parts": false,
	"a.nc.part": false, "raster/h.tif.part": false, "frames/notes.txt.part": false, "worse.msh.12-3.tmp": false,
	"epoch-2-better.msh": false, "mine/a.nc.12-3.tmp": false, "frames/mine/a.vtu.12-3.tmp": false,
}

// TestTemporaryFilesAreRemoved checks that the next run in a folder removes the temporary files of a killed run,
// whether it begins anew, resumes, or begins an epoch, and removes no other files.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	meshes := []string{"better.msh", "meshes/better.msh", "../better.msh", ""}
	for name, start := range map[string]func(*Folder) error{
		"begin":  func(f *Folder) error { return f.Begin(meshes...) },
		"resume": func(f *Folder) error { return f.Resume(meshes...) },
		"close":  (*Folder).Close,
		"raise": func(f *Folder) error {
			_, err := f.Raise(nil)
			return err
		},
	} {
		f := lockFolder(t, t.TempDir())
		files := map[string]string{}
		for file := range temporaryFiles {
			files[file] = ""
		}
		write(t, f.Dir, files)
		if err := start(f); err != nil {
			t.Fatal(err)
		}
		left := strings.Fields(names(t, f.Dir))
		for file, temporary := range temporaryFiles {
			if (name == "raise" || name == "close") && path.Base(file) == "better.msh.12-3.tmp" {
				temporary = false // an elastic run writes .epoch-2-better.msh first
			}
			if kept := slices.Contains(left, file); kept == temporary {
				t.Errorf("%s: %s is temporary: %v, was kept: %v", name, file, temporary, kept)
			}
		}
	}
}

// TestTemporaryFilesOfTheEpochAreKept checks that ranks of an elastic run, which begin or resume, remove no temporary
// files: the launcher has removed those of earlier epochs.
func TestTemporaryFilesOfTheEpochAreKept(t *testing.T) {
	held := lockFolder(t, t.TempDir())
	raise(t, held)
	files := map[string]string{}
	for file := range temporaryFiles {
		files[file] = ""
	}
	write(t, held.Dir, files)
	for _, mode := range []Mode{Replace, Resume} {
		f, err := Fence{held.Dir, 1}.Claim(testInfo, mode)
		if err == nil && mode == Resume {
			err = f.Resume("better.msh")
		} else if err == nil {
			err = f.Begin("better.msh")
		}
		if err != nil {
			t.Fatal(err)
		}
		for file := range temporaryFiles {
			if _, err := os.Stat(filepath.Join(held.Dir, file)); err != nil {
				t.Errorf("mode %v: %v", mode, err)
			}
		}
	}
}
