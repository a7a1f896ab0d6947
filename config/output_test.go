package config

import (
	"errors"
	"reflect"
	"testing"
)

// Frames of a solver without time come after whole sweeps.
func TestOutputOfSweeps(t *testing.T) {
	for text, want := range map[string]string{
		"[output]\nevery = 5": "", "[output]": "", "[output]\nevery = 2.5": "c.toml:2: [output] every: is a float; an " +
			"integer is needed",
		"[output]\nformat = ['vtu']": `c.toml:2: [output] format: "vtu" is not known; choose vti or vtp`,
	} {
		d, err := newDecoder("c.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		root := &Section{decoder: d, values: d.root}
		o := DecodeOutput(root.Sub("output"), "a", Written{
			Fields: []string{"q"}, Usual: []string{"q"}, Formats: []string{"vti", "vtp"}, Sweeps: true,
		})
		err = errors.Join(d.sorted()...)
		if want == "" && (err != nil || !reflect.DeepEqual(o.Format, []string{"vti"})) || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
}
