package kernelgen

import (
	"fmt"
	"strings"
)

// symbol returns a Go expression for the symbol of the kernel's entry.
func (l *loopType) symbol() string {
	s := fmt.Sprintf("%q", cname(l.k.Name))
	if len(l.k.Constants) > 0 {
		s += " + loop.variant()"
	}
	if l.isGeneric {
		s += " + abi.Suffix" + l.typeArgs + "()"
	}
	return s
}

// variant returns a method that returns the suffix of the variant for a loop's constant parameters.
func (l *loopType) variant(name string) string {
	if len(l.k.Constants) == 0 {
		return ""
	}
	var s strings.Builder
	fmt.Fprintf(&s,
		"\n// %[3]s tells the kernel's variants apart.\nfunc (loop *%[1]sLoop%[2]s) %[3]s() string {\nswitch {\n", l.k.Name,
		l.typeArgs, name)
	for _, v := range l.k.Variants {
		var conditions []string
		for i, c := range l.k.Constants {
			conditions = append(conditions, v.Values[i].Condition("loop."+c.Name()))
		}
		fmt.Fprintf(&s, "case %s:\nreturn %q\n", strings.Join(conditions, " && "), v.Suffix)
	}
	if name != "variant" {
		s.WriteString("}\nreturn \"\" // has no code of its own\n}\n\n")
		return s.String()
	}
	fmt.Fprintf(&s, "}\npanic(%q)\n}\n\n", l.k.Name+" has no variant for these constants")
	return s.String()
}
