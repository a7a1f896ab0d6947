package abi

import (
	"slices"
	"strings"
	"testing"
)

// TestArchive: an archive holds PTX and machine code, and gives each GPU the code of the nearest capability that it can
// run.
func TestArchive(t *testing.T) {
	ptx := "// sha256 of options and source: 12\n.version 8.4\n" + strings.Repeat("add.f64 %fd1, %fd2, %fd3;\n", 1000)
	archive, err := Pack(ptx, map[string]string{"sm_80": "old", "sm_86": "newer", "sm_90": "newest"})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Pack(ptx, map[string]string{"sm_90": "newest", "sm_86": "newer", "sm_80": "old"}); err != nil ||
		!slices.Equal(again, archive) {
		t.Errorf("a second archive of the same code differs: %v", err)
	}
	names, err := ArchivedGPUs(ptx, string(archive))
	if err != nil || !slices.Equal(names, []string{"sm_80", "sm_86", "sm_90"}) {
		t.Errorf("the archive has code for %v, error %v", names, err)
	}
	if _, err := ArchivedGPUs("// sha256 of options and source: 13\n", string(archive)); err == nil {
		t.Error("an archive of other PTX has no error")
	}
	m := &Module{Archive: string(archive)}
	if text, err := m.PTX(); err != nil || text != ptx {
		t.Errorf("the PTX has %d bytes, want %d: %v", len(text), len(ptx), err)
	}
	for capability, want := range map[[2]int]string{{7, 5}: "", {8, 0}: "old", {8, 5}: "old", {8, 9}: "newer",
		{9, 0}: "newest", {10, 0}: ""} {
		if code, err := m.MachineFor(capability[0], capability[1]); err != nil || string(code) != want {
			t.Errorf("capability %v gets %q, want %q: %v", capability, code, want, err)
		}
	}
}

// TestArchiveWithoutMachineCode: an archive of PTX alone has no code for any GPU, and a damaged one is an error.
func TestArchiveWithoutMachineCode(t *testing.T) {
	archive, err := Pack(Uncompiled("example.com/p")+"\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &Module{Archive: string(archive)}
	if code, err := m.MachineFor(9, 0); code != nil || err != nil {
		t.Errorf("machine code %q, error %v, want none", code, err)
	}
	if err := m.Compiled(); err == nil || !strings.Contains(err.Error(), "no PTX of example.com/p") {
		t.Errorf("a module without PTX: error %v", err)
	}
	for _, damaged := range []string{"", "no archive", string(archive[:len(archive)-1])} {
		m := &Module{Archive: damaged}
		if _, err := m.MachineFor(9, 0); err == nil {
			t.Errorf("machine code of %q has no error", damaged)
		}
		if _, err := m.PTX(); err == nil {
			t.Errorf("PTX of %q has no error", damaged)
		}
		if err := m.Compiled(); err == nil {
			t.Errorf("a module with %q has no error", damaged)
		}
	}
}
