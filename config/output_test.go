package config_test

import (
	"reflect"
	"testing"

	"github.com/atoll-hpc/atoll/config"
)

// TestOutputOfSweeps proves that a solver without time writes frames after a whole number of sweeps.
func TestOutputOfSweeps(t *testing.T) {
	for text, want := range map[string]string{
		"[output]\nevery = 5": "", "[output]": "", "[output]\nevery = 2.5": "c.toml:2: [output] every: is a float; an " +
			"integer is needed",
		"[output]\nformat = ['vtu']": `c.toml:2: [output] format: "vtu" is not known; choose vti or vtp`,
	} {
		var o config.Output
		_, err := config.Parse("c.toml", []byte(text), []string{"solver=toy"}, map[string]config.Decoder{
			"toy": func(root *config.Section, c *config.Case) {
				c.Sections = noSections{}
				o = config.DecodeOutput(root.Sub("output"), "a", config.Outputs{
					Fields: []string{"q"}, Default: []string{"q"}, Formats: []string{"vti", "vtp"}, Sweeps: true,
				})
			}})
		if want == "" && (err != nil || !reflect.DeepEqual(o.Format, []string{"vti"})) || want != "" &&
			(err == nil || err.Error() != want) {
			t.Errorf("%s: %+v, %v", text, o, err)
		}
	}
}
