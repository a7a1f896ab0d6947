package shape

import "github.com/atoll-hpc/atoll/config"

// Key declares the key shape of a case in dim dimensions, 0 if they are not known: the text of a body, see Parse. The
// fallback is that of config.Section.Text.
func Key(v *string, dim int, fallback, doc string) *config.Spec {
	k := config.Key{Name: "shape", Kind: config.Text, Doc: doc, Required: fallback == config.Required}
	return config.Special(k, func(s *config.Section) {
		*v = s.Text("shape", fallback)
		switch {
		case *v == "" && s.IsText("shape") && fallback == config.Required:
			s.Fail("shape", "is empty; give a shape, or an expression that is negative inside")
		case *v != "" && dim > 0:
			if _, _, err := Parse(*v, dim, nil); err != nil {
				s.Fail("shape", "%v", err)
			}
		}
	}, func() any {
		if *v == "" {
			return nil
		}
		return *v
	})
}
