package kernelgen

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/internal/reductions"
	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// Package is a Go package whose kernels can be translated.
type Package struct{ *source.Package }

// Kernel is a function marked //atoll:kernel.
type Kernel = source.Kernel

// Load parses and type-checks the package in dir, with the packages that it imports except the standard library, and
// finds its kernels. It ignores tests and files that end in _gen.go. The error lists all mistakes with file, line and
// column.
func Load(dir string) (*Package, error) {
	p, err := source.Load(dir)
	if err != nil {
		return nil, err
	}
	return &Package{p}, nil
}

// The files that Generate writes beside the kernels.
const (
	cudaFile = "kernels_gen.cu"
	ptxFile  = "kernels_gen.ptx"
	goFile   = "kernels_gen.go"

	archiveFile = "kernels_gen.zip" // the PTX and machine code, for the program
)

// CUDA returns the package's kernels, with the functions that they call, as one CUDA C file, and its entries. The error
// lists everything that kernels may not contain, with file, line and column.
func (p *Package) CUDA() (string, []*Entry, error) {
	u, err := p.translate()
	if err != nil {
		return "", nil, err
	}
	return u.source(), u.entries, nil
}

// A Compiler compiles CUDA C to PTX, or to machine code if the options name a GPU. Package nvrtc has one.
type Compiler interface {
	Compile(name, source string, options ...string) (string, error)
}

// Generate writes the CUDA C, the PTX and the Go launchers of the kernels in dir. It does not write files that are
// current, and compiles PTX only if its source changed. It returns the names of the written files.
//
// If there is no compiler, outdated PTX is replaced by a line that says so, and the error is an [Uncompiled]: the
// package can then be used without GPUs.
func Generate(dir string, compiler func() (Compiler, error), options []string) ([]string, error) {
	var written []string
	write := func(name, text string) error {
		if old, err := os.ReadFile(filepath.Join(dir, name)); err == nil && string(old) == text {
			return nil
		}
		written = append(written, name)
		return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
	}
	reduced, err := reductions.Text(dir)
	if err != nil {
		return nil, fmt.Errorf("kernelgen: %w", err)
	}
	if reduced == "" {
		err = os.RemoveAll(filepath.Join(dir, reductions.File))
	} else { // first, since the kernels in it are read with the others
		err = write(reductions.File, reduced)
	}
	if err != nil {
		return written, err
	}
	p, want, err := generatedTexts(dir)
	if err != nil {
		return written, err
	}
	for _, name := range []string{cudaFile, goFile} {
		if err := write(name, want[name]); err != nil {
			return written, err
		}
	}
	if checkPTX(dir, want[cudaFile], options) != nil {
		c, err := compiler()
		if err != nil {
			none := abi.Uncompiled(p.Types.Path()) + "\n"
			archive, failed := abi.Pack(none, nil)
			if failed := errors.Join(failed, write(ptxFile, none), write(archiveFile, string(archive))); failed != nil {
				return written, failed
			}
			return written, Uncompiled{filepath.Join(dir, ptxFile), err}
		}
		ptx, err := c.Compile(cudaFile, want[cudaFile], asyncOptions(want[cudaFile], options)...)
		if err == nil {
			err = write(ptxFile, hashLine(want[cudaFile], options)+"\n"+ptx)
		}
		if err != nil {
			return written, err
		}
	}
	if checkArchive(dir, p.Machine) == nil {
		return written, nil
	}
	archive, err := p.archive(dir, compiler, want[cudaFile], options)
	if err != nil {
		return written, err
	}
	return written, write(archiveFile, archive)
}

// Uncompiled is the error of a file without PTX because there was no compiler.
type Uncompiled struct {
	Path  string
	Cause error
}

func (u Uncompiled) Error() string {
	return fmt.Sprintf("%s holds no PTX: these kernels run on the CPU only, not with --backend cuda: %v", u.Path, u.Cause)
}

func (u Uncompiled) Unwrap() error { return u.Cause }

// Check returns an error if the generated files in dir are not current for its kernels and the options. It needs no
// compiler.
func Check(dir string, options []string) error {
	p, want, err := generatedTexts(dir)
	if err != nil {
		return err
	}
	var errs []error
	files := []string{cudaFile, goFile}
	if want[reductions.File], err = reductions.Text(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, reductions.File)); err == nil || want[reductions.File] != "" {
		files = append(files, reductions.File)
	}
	for _, name := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case err != nil:
			errs = append(errs, err)
		case string(got) != want[name]:
			errs = append(errs, fmt.Errorf("%s is stale: run go generate there", filepath.Join(dir, name)))
		}
	}
	return errors.Join(append(errs, checkPTX(dir, want[cudaFile], options), checkArchive(dir, p.Machine))...)
}

// generatedTexts returns the package in dir and its generated files by name, without the PTX.
func generatedTexts(dir string) (*Package, map[string]string, error) {
	p, err := Load(dir)
	if err != nil {
		return nil, nil, err
	}
	if len(p.Kernels) == 0 {
		return nil, nil, fmt.Errorf("kernelgen: %s has no function marked //atoll:kernel", dir)
	}
	source, _, err := p.CUDA()
	if err != nil {
		return nil, nil, err
	}
	launchers, err := p.Launchers()
	if err != nil {
		return nil, nil, err
	}
	return p, map[string]string{cudaFile: source, goFile: string(launchers)}, nil
}

func checkPTX(dir, source string, options []string) error {
	path := filepath.Join(dir, ptxFile)
	ptx, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := abi.CompiledPTX(string(ptx)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if first, _, _ := strings.Cut(string(ptx), "\n"); first != hashLine(source, options) {
		return fmt.Errorf("%s is not compiled from the present %s: run go generate there, on a machine with NVRTC", path,
			cudaFile)
	}
	return nil
}

// hashLine returns the first line of the PTX: the SHA-256 of its source and options. Comments are left out, so that the
// PTX stays current when a kernel moves to another line.
func hashLine(source string, options []string) string {
	hash := sha256.New()
	for _, o := range asyncOptions(source, options) {
		fmt.Fprintln(hash, o)
	}
	for line := range strings.Lines(source) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "//") {
			fmt.Fprintln(hash, text)
		}
	}
	return "// sha256 of options and source: " + hex.EncodeToString(hash.Sum(nil))
}

// localMemory matches an entry of PTX and the declaration of its local memory.
var localMemory = regexp.MustCompile(`(?m)\.entry (\w+)\(|__local_depot\d+\[(\d+)\]`)

// LocalMemory returns the bytes of local memory that a thread of each kernel uses, by the name of its entry, as
// declared in the PTX in dir. Kernels without local memory are left out. Local memory is slow; variables are put there
// mostly because a pointer may point to one or another of them, and registers have no addresses.
func LocalMemory(dir string) (map[string]int, error) {
	ptx, err := os.ReadFile(filepath.Join(dir, ptxFile))
	if err != nil {
		return nil, err
	}
	bytes, entry := map[string]int{}, ""
	for _, m := range localMemory.FindAllStringSubmatch(string(ptx), -1) {
		if m[1] != "" {
			entry = m[1]
			continue
		}
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ptxFile), err)
		}
		bytes[entry] = n
	}
	return bytes, nil
}
