// Command image makes a container image of a program without a Docker daemon. The image has the program and the shared
// libraries of this machine that it is linked with. Load it with docker load, podman load, ctr images import, or skopeo
// copy docker-archive:FILE docker://REGISTRY/NAME.
//
//	go run ./internal/cmd/image -o atoll.tar -name atoll:latest bin/atoll
//
// The same program and libraries give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

func main() {
	out := flag.String("o", "atoll.tar", "file of the image")
	name := flag.String("name", "atoll:latest", "name of the image")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: image [-o FILE] [-name NAME:TAG] PROGRAM")
		os.Exit(2)
	}
	if err := build(*out, *name, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// nobody is the user and group that the program runs as, with the number that images without a root user commonly use.
const nobody = "65532:65532"

// driverDependencies are libraries that GPU drivers need, which the program opens at run time.
var driverDependencies = []string{"libm.so.6", "librt.so.1", "libdl.so.2", "libpthread.so.0"}

// build writes the image.
func build(out, name, program string) error {
	files, machine, err := contents(program)
	if err != nil {
		return err
	}
	layer, err := archive(files)
	if err != nil {
		return err
	}
	layerDigest := digest(layer)
	config, err := json.Marshal(map[string]any{
		"architecture": machine, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/" + filepath.Base(program)}, "User": nobody,
			"Env": []string{"PATH=/"}, "WorkingDir": "/",
			"Labels": map[string]string{"org.opencontainers.image.licenses": "BSD-3-Clause",
				"org.opencontainers.image.source": "https://github.com/atoll-hpc/atoll"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + layerDigest}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": digest(config) + ".json",
		"RepoTags": []string{qualifiedName(name)}, "Layers": []string{layerDigest + "/layer.tar"}}})
	if err != nil {
		return err
	}
	image, err := archive([]entry{{digest(config) + ".json", 0o644, config}, {layerDigest + "/layer.tar", 0o644, layer},
		{"manifest.json", 0o644, manifest}})
	if err != nil {
		return err
	}
	return os.WriteFile(out, image, 0o666)
}

// qualifiedName returns an image name with its registry, as container runtimes store it.
func qualifiedName(name string) string {
	if !strings.Contains(name, "/") {
		return "docker.io/library/" + name
	}
	if host, _, _ := strings.Cut(name, "/"); !strings.ContainsAny(host, ".:") && host != "localhost" {
		return "docker.io/" + name
	}
	return name
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// entry is a file of an archive; a folder if it has no data.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

// contents returns the files of the image, and its architecture.
func contents(program string) (files []entry, machine string, err error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, "", err
	}
	p, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return nil, "", fmt.Errorf("%s is not a Linux program: %w", program, err)
	}
	defer p.Close()
	machine, ok := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[p.Machine]
	if !ok {
		return nil, "", fmt.Errorf("%s is for %v: want amd64 or arm64", program, p.Machine)
	}
	files = []entry{{"tmp/", fs.ModeDir | fs.ModeSticky | 0o777, nil}, {filepath.Base(program), 0o755, text}}
	linked, err := p.ImportedLibraries()
	loader := p.Section(".interp")
	if err != nil || loader == nil { // statically linked
		return files, machine, nil
	}
	interpreter, err := loader.Data()
	if err != nil {
		return nil, "", err
	}
	loaderPath := strings.TrimRight(string(interpreter), "\x00")
	text, err = os.ReadFile(loaderPath)
	if err != nil {
		return nil, "", fmt.Errorf("the dynamic loader of %s: %w", program, err)
	}
	files = append(files, entry{strings.TrimPrefix(loaderPath, "/"), 0o755, text})
	added := map[string]bool{}
	for _, library := range append(linked, driverDependencies...) {
		if added[library] {
			continue
		}
		added[library] = true
		e, err := readLibrary(library, machine)
		if err != nil {
			return nil, "", err
		}
		files = append(files, e)
	}
	return files, machine, nil
}

// readLibrary reads a library of this machine. Its path in the image is in the loader's default search path.
func readLibrary(library, machine string) (entry, error) {
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[machine]
	for _, dir := range []string{"/lib/" + triplet, "/usr/lib/" + triplet, "/lib64", "/usr/lib64", "/lib", "/usr/lib"} {
		text, err := os.ReadFile(path.Join(dir, library))
		if err == nil {
			return entry{path.Join("lib", triplet, library), 0o755, text}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return entry{}, err
		}
	}
	return entry{}, fmt.Errorf("the library %s for %s is not on this machine: build for the machine's own architecture",
		library, machine)
}

// archive returns a tar archive of files, without times and owners.
func archive(files []entry) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), Typeflag: tar.TypeReg}
		if f.mode.IsDir() {
			h.Typeflag, h.Mode = tar.TypeDir, 0o1777
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := t.Close()
	return b.Bytes(), err
}
