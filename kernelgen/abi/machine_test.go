package abi

import (
	"slices"
	"testing"
)

func TestMachineCode(t *testing.T) {
	const ptx = "// sha256 of options and source: 12\n.version 8.4\n"
	archive, err := PackMachine(ptx, map[string]string{"sm_80": "old", "sm_86": "newer", "sm_90": "newest"})
	if err != nil {
		t.Fatal(err)
	}
	names, err := ArchivedGPUs(ptx, string(archive))
	if want := []string{"sm_80", "sm_86", "sm_90"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
	m := &Module{PTX: ptx, Machine: string(archive)}
	for gpu, want := range map[[2]int]string{{8, 0}: "old", {8, 6}: "newer", {8, 9}: "newer", {9, 0}: "newest", {7, 5}: "",
		{10, 0}: ""} {
		if code, err := m.MachineFor(gpu[0], gpu[1]); err != nil || string(code) != want {
			t.Errorf("%v: %q, %v, want %q", gpu, code, err, want)
		}
	}
	for _, other := range []*Module{{PTX: "// sha256 of options and source: 13\n", Machine: string(archive)}, {PTX: ptx}} {
		if code, err := other.MachineFor(9, 0); code != nil || err != nil {
			t.Errorf("machine code of other PTX, or none: got %q, %v", code, err)
		}
	}
	if _, err := (&Module{PTX: ptx, Machine: "no archive"}).MachineFor(9, 0); err == nil {
		t.Error("a text that is no archive returns no error")
	}
}
