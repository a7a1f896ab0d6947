package source

import (
	"go/constant"
	"go/types"
	"strconv"
	"strings"
)

// A Variant is a kernel for one value of each of its constant parameters.
type Variant struct {
	Suffix string // of its symbol: _PVM for the value PVM of a parameter, empty for a kernel without such parameters
	Blocks int    // that a multiprocessor is to hold at a time, in float64; twice as many in float32; 0 for any number

	Values []constantValue // in the order of the kernel's constants
}

// constantValue is a value of a constant parameter.
type constantValue struct {
	text  string // in Go
	Value constant.Value
	name  string // in the suffix
}

// constantParameter reads scheme=PVM,Roe of a directive, and tells whether the kernel has such a parameter.
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

// isName tells whether a constant is written by its name.
func isName(text string) bool {
	_, err := strconv.ParseInt(text, 0, 64)
	return err != nil
}

// combine makes a variant of each combination of the constant parameters' values, the last parameter's fastest.
// Where blocks has several numbers, each variant has its own.
func (p *Package) combine(k *Kernel, blocks []int) {
	k.Variants = []Variant{{}}
	for n := range k.Constants {
		var all []Variant
		for _, v := range k.Variants {
			for _, value := range k.values[n] {
				all = append(all, Variant{
					Suffix: v.Suffix + "_" + value.name,
					Values: append(append([]constantValue{}, v.Values...), value),
				})
			}
		}
		k.Variants = all
	}
	if len(blocks) > 1 && len(blocks) != len(k.Variants) {
		p.Refuse(k.Decl, "kernel %s: %d numbers of blocks for %d variants", k.Name, len(blocks), len(k.Variants))
		return
	}
	for i := range k.Variants {
		switch len(blocks) {
		case 0:
		case 1:
			k.Variants[i].Blocks = blocks[0]
		default:
			k.Variants[i].Blocks = blocks[i]
		}
	}
}

// ConstantIndex is the number of a parameter among the kernel's constants, or -1.
func (k *Kernel) ConstantIndex(v *types.Var) int {
	for i, c := range k.Constants {
		if c == v {
			return i
		}
	}
	return -1
}

// Condition tells in Go whether a parameter has the value.
func (v constantValue) Condition(param string) string {
	switch {
	case v.Value.Kind() != constant.Bool:
		return param + " == " + v.text
	case constant.BoolVal(v.Value):
		return param
	}
	return "!" + param
}
