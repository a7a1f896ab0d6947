// Command sbom prints what a program contains, its software bill of materials, in the format CycloneDX 1.5: the modules
// that Go's linker has recorded in the file, with their checksums, and the version of Go.
//
//	go run ./internal/cmd/sbom VERSION PROGRAM
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom VERSION PROGRAM")
		os.Exit(2)
	}
	info, err := buildinfo.ReadFile(os.Args[2])
	if err == nil {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(bill(os.Args[1], info))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type document struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Licenses   []choice   `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// choice holds an expression of SPDX, such as BSD-3-Clause.
type choice struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill returns the document of a program with the given version.
func bill(version string, info *debug.BuildInfo) document {
	program := newComponent("application", info.Main.Path, version)
	program.Licenses = []choice{{"BSD-3-Clause"}}
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"build:" + s.Key, s.Value})
	}
	d := document{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: metadata{program}}
	d.Components = append(d.Components, newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := newComponent("library", m.Path, m.Version)
		// The checksum of go.sum: h1 is the SHA-256 of the list of the module's files with theirs.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && m.Sum != "" {
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		d.Components = append(d.Components, c)
	}
	return d
}

func newComponent(kind, path, version string) component {
	url := "pkg:golang/" + path + "@" + version
	return component{Type: kind, Ref: url, Name: path, Version: version, PURL: url}
}
