package runtest

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/internal/checksum"
)

// damages are ways to damage or forge a file. They return the new contents; nil removes the file.
var damages = map[string]func(text []byte, rng *rand.Rand) []byte{
	"removed":   func([]byte, *rand.Rand) []byte { return nil },
	"emptied":   func([]byte, *rand.Rand) []byte { return []byte{} },
	"truncated": func(text []byte, rng *rand.Rand) []byte { return text[:rng.IntN(len(text))] },
	"zeroed": func(text []byte, rng *rand.Rand) []byte {
		clear(text[rng.IntN(len(text)):])
		return text
	},
	"flipped": func(text []byte, rng *rand.Rand) []byte {
		text[rng.IntN(len(text))] ^= 1 << rng.IntN(8)
		return text
	},
	"longer": func(text []byte, rng *rand.Rand) []byte { return append(text, text[rng.IntN(len(text)):]...) },
	"digit changed": func(text []byte, _ *rand.Rand) []byte {
		if k := slices.IndexFunc(text, func(b byte) bool { return '1' <= b && b <= '8' }); k >= 0 {
			text[k]++
		}
		return text
	},
	"line removed": func(text []byte, rng *rand.Rand) []byte {
		lines := strings.SplitAfter(string(text), "\n")
		k := rng.IntN(len(lines))
		return []byte(strings.Join(slices.Delete(lines, k, k+1), ""))
	},
}

// forgeries change the index of a checkpoint, whose checksum is then that of the forged one.
var forgeries = map[string]string{ // a regular expression of what is replaced
	"another step forged":       `"steps":(\d+)`,
	"another rank count forged": `"ranks":(\d+)`,
	"another time forged":       `"time":(\d+)`,
	"another size forged":       `"size":(\d+)`,
	"another checksum forged":   `"crc32c":(\d+)`,
	"another offset forged":     `"at":(\d+)`,
	"another count forged":      `"count":(\d+)`,
}

// forge increments the last digit of a number in the index of a checkpoint.
func forge(t *testing.T, path, pattern string, rng *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const footer = 32 // the offset of the index, its length, its checksum, the version and the end mark
	end := text[len(text)-footer:]
	index := text[binary.LittleEndian.Uint64(end) : len(text)-footer]
	found := regexp.MustCompile(pattern).FindAllSubmatchIndex(index, -1)
	if len(found) == 0 {
		t.Fatalf("%s has no %s", path, pattern)
	}
	digit := &index[found[rng.IntN(len(found))][3]-1]
	*digit = '0' + (*digit-'0'+1)%10
	binary.LittleEndian.PutUint32(end[16:], checksum.Update(0, index))
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// damageOneOf damages, forges or removes one of the files of a run, or swaps two of the same kind. It returns the names
// of those that it has changed.
func damageOneOf(t *testing.T, dir string, files []string, way string, rng *rand.Rand) (changed []string) {
	t.Helper()
	file := files[rng.IntN(len(files))]
	same := slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		return filepath.Ext(name) != filepath.Ext(file) || filepath.Dir(name) != filepath.Dir(file)
	})
	pattern, forged := forgeries[way]
	switch {
	case forged:
		files = slices.DeleteFunc(files, func(name string) bool { return filepath.Ext(name) != ".ckpt" })
		file = files[rng.IntN(len(files))]
		forge(t, filepath.Join(dir, file), pattern, rng)
	case way == "swapped":
		other := same[rng.IntN(len(same))]
		a, b, c := filepath.Join(dir, file), filepath.Join(dir, other), filepath.Join(dir, "swap")
		if err := errors.Join(os.Rename(a, c), os.Rename(b, a), os.Rename(c, b)); err != nil && other != file {
			t.Fatal(err)
		}
		return []string{file, other}
	default:
		damageFile(t, filepath.Join(dir, file), way, rng)
	}
	return []string{file}
}

// SurvivesDamage tests that the same command, after a run was killed and one of its files damaged, removed or forged,
// ends with the files of an undisturbed run, or is refused with the name of the file and a remedy; and the same for
// files that are damaged while the run goes on. ATOLL_DAMAGES is the number of damaged files.
func SurvivesDamage(t *testing.T, text string, sets ...string) {
	t.Helper()
	n, seed := attempts(t, "ATOLL_DAMAGES", 12)
	rng := rand.New(rand.NewPCG(seed, 3))
	complete, killed := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
	sets = append(sets, "checkpoint.keep=4")
	if _, err := Run(t, text, 2, 1, Local, complete, sets...); err != nil {
		t.Fatal(err)
	}
	copyAsKilled(t, complete, killed, 1)
	isTemporary := func(name string) bool { return strings.HasPrefix(name, ".") || isPartial(name) }
	ways := append(slices.Sorted(maps.Keys(damages)), slices.Sorted(maps.Keys(forgeries))...)
	ways = append(ways, "swapped")
	rng.Shuffle(len(ways), func(i, k int) { ways[i], ways[k] = ways[k], ways[i] })
	for k := range n {
		way, dir := ways[k%len(ways)], filepath.Join(t.TempDir(), "out")
		damage := func() []string {
			return damageOneOf(t, dir, slices.DeleteFunc(filesIn(t, dir), isTemporary), way, rng)
		}
		var files []string
		when := "before it continues"
		if k%3 > 0 {
			if err := os.CopyFS(dir, os.DirFS(killed)); err != nil {
				t.Fatal(err)
			}
			files = damage()
		} else {
			when = "while it runs"
			files = damagedRun(t, text, dir, damage, sets...)
		}
		_, log, err := sameCommand(t, text, Local, dir, sets...)
		different := slices.DeleteFunc(differences(t, complete, dir), func(text string) bool {
			return strings.HasPrefix(text, "checkpoints") && strings.HasSuffix(text, "is missing") // it was not needed
		})
		if err != nil {
			checkRefusal(t, files, way, err)
		} else if len(different) > 0 {
			t.Errorf("%s %s %s: %q\n%s", files, way, when, different, log)
		}
	}
}

// FindsDamageWhenPublished tests that a run does not end well if each of its files, in turn, is changed at the moment
// when it gets its name: checksums are those of what was written, not of what is found.
func FindsDamageWhenPublished(t *testing.T, text string, sets ...string) {
	t.Helper()
	n, seed := attempts(t, "ATOLL_DAMAGES", 4)
	rng := rand.New(rand.NewPCG(seed, 4))
	counted := regexp.MustCompile(`\.(vtu|vti|vtp|stl|obj|vdb|nc|tif)$`)
	joined := regexp.MustCompile(`_r\d{4}\.(vti|stl|obj)$`) // parts of ranks that are joined and removed
	for range n {
		dir := filepath.Join(t.TempDir(), "out")
		at, count, file := 1+rng.IntN(8), 0, ""
		var lock sync.Mutex
		restore := atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
			err := do()
			lock.Lock()
			defer lock.Unlock()
			if op == atomicfile.OpRename && counted.MatchString(path) && !joined.MatchString(path) {
				if count++; count == at {
					file = path
					damageFile(t, path, "flipped", rng)
				}
			}
			return err
		})
		_, log, err := sameCommand(t, text, Local, dir, sets...)
		restore()
		switch {
		case file == "":
		case err == nil:
			t.Errorf("%s was changed as it got its name, but the run ended well\n%s", file, log)
		default:
			checkRefusal(t, []string{file}, "changed when published", err)
		}
	}
}

// isPartial reports whether a file has the name of one that is being written.
func isPartial(name string) bool {
	return strings.HasSuffix(name, ".part") || strings.HasSuffix(name, ".tmp")
}

// damageFile changes or removes a file.
func damageFile(t *testing.T, path, way string, rng *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if text = damages[way](text, rng); text == nil {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// damagedRun runs a case, and calls damage when the second checkpoint is complete. If the run ends with an error, it
// must be a refusal.
func damagedRun(t *testing.T, text, dir string, damage func() []string, sets ...string) (files []string) {
	t.Helper()
	checkpoints := 0
	restore := atomicfile.Intercept(func(op atomicfile.Op, path string, do func() error) error {
		err := do()
		if op == atomicfile.OpRename && filepath.Dir(path) == filepath.Join(dir, "checkpoints") {
			if checkpoints++; checkpoints == 2 {
				files = damage()
			}
		}
		return err
	})
	defer restore()
	if _, _, err := sameCommand(t, text, Local, dir, sets...); err != nil {
		checkRefusal(t, files, "during the run", err)
	}
	return files
}

// checkRefusal checks that an error names a damaged file and a remedy.
func checkRefusal(t *testing.T, files []string, way string, err error) {
	t.Helper()
	message := err.Error()
	named := slices.ContainsFunc(files, func(name string) bool { return strings.Contains(message, filepath.Base(name)) })
	if !named || !strings.Contains(message, "restore") && !strings.Contains(message, "use a newer version") {
		t.Errorf("%s %s: got error %v, want one that names the file and a remedy", files, way, err)
	}
}
