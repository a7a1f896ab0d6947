package kernelgen

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// Entry is a kernel in one precision and variant: its symbol in the CUDA C and its parameters.
type Entry struct {
	Symbol string
	Kernel *Kernel
	Params []Param // without the index bounds, which come first: int64 lo and hi of each dimension
	text   string
}

// Param is a parameter of an entry.
type Param struct {
	Name  string
	Kind  ParamKind
	CType string // the type of the entry's parameter
	Size  int64  // bytes of the argument: of the value, the slice header, or the pointer
}

// ParamKind says how a Go argument is passed to the device.
type ParamKind int

const (
	ByValue  ParamKind = iota // a number or a struct, by value
	Constant                  // the struct that a pointer points to, by value, with device addresses in its slices
	Pointer                   // the device address of a struct
	Elements                  // the header of a slice, with a device address
	Result                    // the device address of the Least or Most of a reduction
)

// entry emits the __global__ function of a kernel's variant for type arguments.
func (u *unit) entry(k *Kernel, variant source.Variant, args []types.Type) {
	callee := u.call(k.Decl, k.Fn, args)
	e := &Entry{Symbol: cname(k.Name) + variant.Suffix + suffix(args), Kernel: k}
	used := identifiers(k.Decl)
	unused := func(name string) string {
		for used[name] {
			name += "_"
		}
		return name
	}
	env := map[*types.TypeParam]types.Type{}
	for i, a := range args {
		env[k.Fn.Signature().TypeParams().At(i)] = a
	}
	var shared sharedLayout
	list := k.Fn.Signature().Params()
	callArgs, params, bounds, declarations := indices(k, unused)
	for n := k.Dims; n < list.Len(); n++ {
		t := subst(list.At(n).Type(), env, u.ctx)
		if c := k.ConstantIndex(list.At(n)); c >= 0 { // a constant, which the compiler folds
			callArgs = append(callArgs, (&function{u: u}).constant(k.Decl, variant.Values[c].Value, t).text)
			continue
		}
		if a := source.SharedArray(k, t); a != nil {
			callArgs = append(callArgs, shared.add(cname(list.At(n).Name()), u.ctype(k.Decl, a), source.Sizes.Sizeof(a)))
			continue
		}
		p := u.param(k, list.At(n), n, t)
		e.Params = append(e.Params, p)
		switch p.Kind {
		case Constant:
			params, callArgs = append(params, "const __grid_constant__ "+declare(p.CType, p.Name)), append(callArgs, "&"+p.Name)
		default:
			params, callArgs = append(params, declare(p.CType, p.Name)), append(callArgs, p.Name)
		}
	}

	call := fmt.Sprintf("%s(%s)", callee.name, strings.Join(callArgs, ", "))
	body := fmt.Sprintf("    if (%s) %s;\n", strings.Join(bounds, " && "), call)
	if k.Reduce != source.ReduceNone {
		result := subst(k.Fn.Signature().Results().At(0).Type(), env, u.ctx)
		if source.KindOf(result)&types.IsFloat == 0 {
			u.refuse(k.Decl, "kernel %s reduces a %s: it must return a float32 or a float64", k.Name, u.typeString(result))
			return
		}
		ct := fmt.Sprintf("%s<%s>", reducers[k.Reduce], u.ctype(k.Decl, result))
		p := Param{Name: unused("result"), Kind: Result, CType: ct + " *", Size: 8}
		e.Params = append(e.Params, p)
		params = append(params, declare(p.CType, p.Name))
		key := unused("key")
		body = fmt.Sprintf("    uint64 %[1]s = 0;\n    if (%[2]s) %[1]s = %[3]s::key_of(%[4]s);\n    reduce(%[5]s, %[1]s);\n",
			key, strings.Join(bounds, " && "), ct, call, p.Name)
	}
	head := fmt.Sprintf("extern \"C\" __global__ void __launch_bounds__(%s) %s(", launchBounds(k, variant, args), e.Symbol)
	e.text = fmt.Sprintf("// Kernel %s, %s\n%s%s) {\n%s%s}\n", k.Name, u.pkg.Location(k.Decl), head,
		wrap(params, len(head)), shared.declarations(u.pkg.needsDynamicShared(k))+strings.Join(declarations, ""), body)
	u.entries = append(u.entries, e)
}

// indices returns, for the indices of a kernel, their names, the parameters of their ranges, the conditions that they
// lie in the ranges, and their declarations.
func indices(k *Kernel, unused func(name string) string) (names, params, bounds, declarations []string) {
	list := k.Fn.Signature().Params()
	for d := range k.Dims {
		name := cname(list.At(d).Name())
		if name == "_" || name == "" {
			name = unused(string("ijk"[d]))
		}
		lo, hi := unused("lo"), unused("hi")
		if k.Dims > 1 {
			lo, hi = unused("lo_"+name), unused("hi_"+name)
		}
		params = append(params, "int64 "+lo, "int64 "+hi)
		axis := string("xyz"[d])
		if k.Tile {
			declarations = append(declarations, fmt.Sprintf("    const int64 %s = %s + blockIdx.x;\n", name, lo))
		} else {
			declarations = append(declarations,
				fmt.Sprintf("    const int64 %s = %s + int64(blockIdx.%s) * blockDim.%s + threadIdx.%s;\n",
					name, lo, axis, axis, axis))
		}
		bounds = append(bounds, fmt.Sprintf("%s < %s", name, hi))
		names = append(names, name)
	}
	return names, params, bounds, declarations
}

// launchBounds returns the launch bounds of a variant.
func launchBounds(k *Kernel, v source.Variant, args []types.Type) string {
	n := v.Blocks
	if len(args) > 0 && args[0].Underlying().(*types.Basic).Kind() == types.Float32 {
		n = v.Blocks32
	}
	if n == 0 {
		return fmt.Sprint(k.Block)
	}
	return fmt.Sprintf("%d, %d", k.Block, n)
}

// reducers maps reductions to the types of package atomics that hold their results.
var reducers = map[source.Reduce]string{source.ReduceMin: "Least", source.ReduceMax: "Most"}

// param describes parameter n of a kernel, which has type t in this variant.
func (u *unit) param(k *Kernel, v *types.Var, n int, t types.Type) Param {
	p := Param{Name: cname(v.Name()), Size: source.Sizes.Sizeof(t)}
	if p.Name == "_" || p.Name == "" {
		p.Name = fmt.Sprintf("unused%d_", n)
	}
	switch x := t.Underlying().(type) {
	case *types.Pointer:
		if _, ok := x.Elem().Underlying().(*types.Struct); !ok {
			u.refuse(k.Decl, "parameter %s of kernel %s points to a %s: kernels take pointers to structs", v.Name(), k.Name,
				u.typeString(x.Elem()))
			return p
		}
		if u.passedByValue(x.Elem()) {
			p.Kind, p.CType, p.Size = Constant, u.ctype(k.Decl, x.Elem()), source.Sizes.Sizeof(x.Elem())
			return p
		}
		p.Kind, p.CType = Pointer, u.ctype(k.Decl, t)
	case *types.Slice:
		p.Kind, p.CType = Elements, u.ctype(k.Decl, t)
	default:
		p.Kind, p.CType = ByValue, u.ctype(k.Decl, t)
	}
	return p
}
