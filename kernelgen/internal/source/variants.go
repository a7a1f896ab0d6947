package source

import (
	"go/constant"
	"go/types"
	"strconv"
	"strings"
)

// A Variant is a kernel for one value of each of its constant parameters.
type Variant struct {
	Suffix   string // of its symbol: _PVM for the value PVM of a parameter; empty without constant parameters
	Blocks   int    // resident blocks per multiprocessor for float64; 0 for any number
	Blocks32 int    // the same for float32

	Values []constantValue // in the order of the kernel's constants
}

// constantValue is a value of a constant parameter.
type constantValue struct {
	text  string // Go source of the value
	Value constant.Value
	name  string // its part of the suffix
}

// constantParameter reads a word such as scheme=PVM,Roe of a directive. It returns false if the kernel has no such
// parameter.
func (p *Package) constantParameter(k *Kernel, key, list string) bool {
	var v *types.Var
	for param := range k.Fn.Signature().Params().Variables() {
		if param.Name() == key {
			v = param
		}
	}
	if v == nil || list == "" {
		return false
	}
	if KindOf(v.Type())&(types.IsBoolean|types.IsInteger) == 0 {
		p.Refuse(k.Decl, "parameter %s of kernel %s is a %s: only integers and bools can be constant", key, k.Name, v.Type())
		return true
	}
	var values []constantValue
	for text := range strings.SplitSeq(list, ",") {
		value, ok := p.constantValue(v, text)
		if !ok {
			p.Refuse(k.Decl, "%s=%s: %q is not a constant of type %s, or of this package", key, list, text,
				v.Type())
			continue
		}
		values = append(values, value)
	}
	k.Constants = append(k.Constants, v)
	k.values = append(k.values, values)
	return true
}

// constantValue evaluates an element of the list: true, a number, or the name of a constant.
func (p *Package) constantValue(v *types.Var, text string) (constantValue, bool) {
	tv, err := types.Eval(p.Fset, p.Types, v.Pos(), text)
	if err != nil || tv.Value == nil || strings.Contains(text, ".") || !types.ConvertibleTo(tv.Type, v.Type()) ||
		(KindOf(tv.Type)&types.IsBoolean != 0) != (KindOf(v.Type())&types.IsBoolean != 0) {
		return constantValue{}, false
	}
	name := text
	if KindOf(tv.Type)&types.IsUntyped != 0 && !isName(text) || tv.Value.Kind() == constant.Bool {
		name = v.Name() + "_" + strings.ReplaceAll(text, "-", "minus")
	}
	return constantValue{text, tv.Value, name}, true
}

// isName reports whether the text is the name of a constant instead of a number.
func isName(text string) bool {
	_, err := strconv.ParseInt(text, 0, 64)
	return err != nil
}

// makeVariants makes a variant for each combination of the constant parameters' values; the last parameter's values
// vary fastest. If blocks has several numbers, each is that of as many variants in this order; so are those of
// blocks32, for float32, of which there are twice as many if it is empty.
func (p *Package) makeVariants(k *Kernel, blocks, blocks32 []int) {
	k.Variants = []Variant{{}}
	for n := range k.Constants {
		var extended []Variant
		for _, v := range k.Variants {
			for _, value := range k.values[n] {
				extended = append(extended, Variant{
					Suffix: v.Suffix + "_" + value.name,
					Values: append(append([]constantValue{}, v.Values...), value),
				})
			}
		}
		k.Variants = extended
	}
	for _, list := range [][]int{blocks, blocks32} {
		if len(list) > 0 && len(k.Variants)%len(list) != 0 {
			p.Refuse(k.Decl, "kernel %s: %d numbers of blocks for %d variants", k.Name, len(list), len(k.Variants))
			return
		}
	}
	for i := range k.Variants {
		v := &k.Variants[i]
		v.Blocks = blocksOf(blocks, i, len(k.Variants))
		v.Blocks32 = 2 * v.Blocks
		if len(blocks32) > 0 && v.Blocks > 0 {
			v.Blocks32 = blocksOf(blocks32, i, len(k.Variants))
		}
	}
}

// blocksOf returns the number of variant i of n in a list; 0 if it is empty.
func blocksOf(list []int, i, n int) int {
	if len(list) == 0 {
		return 0
	}
	return list[i*len(list)/n]
}

// ConstantIndex returns the index of a parameter in k.Constants, or -1.
func (k *Kernel) ConstantIndex(v *types.Var) int {
	for i, c := range k.Constants {
		if c == v {
			return i
		}
	}
	return -1
}

// Condition returns a Go expression that is true if the parameter has the value.
func (v constantValue) Condition(param string) string {
	switch {
	case v.Value.Kind() != constant.Bool:
		return param + " == " + v.text
	case constant.BoolVal(v.Value):
		return param
	}
	return "!" + param
}
