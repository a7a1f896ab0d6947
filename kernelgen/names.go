package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// taken are words that mean something in CUDA C or in the prelude, and so cannot name a Go variable there.
var taken = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`
		alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
		constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern
		false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or
		or_eq private protected public register reinterpret_cast return short signed sizeof static static_assert
		static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
		virtual void volatile wchar_t while xor xor_eq
		threadIdx blockIdx blockDim gridDim warpSize signbit isnan isinf abs min max sqrt fabs fabsf floor floorf ceil
		ceilf trunc truncf copysign copysignf linux unix
		int8 int32 int64 uint8 uint32 uint64 DEVICE SHARED SHARED_MEMORY SHARED_PART TURNS ONE_THREAD
		Slice Array add sub mul quo rem neg negative number rising falling
		exchange shl shr offsetof Least Most reduce go_min go_max atomic_add atomic_min atomic_max math_Min math_Max
		math_Inf math_NaN math_IsNaN
		math_IsInf nan_key atomicAdd atomicMin atomicMax atomicCAS`) {
		words[w] = true
	}
	return words
}()

// cname is a Go identifier as CUDA C can have it: words that are taken get an underscore, and letters outside ASCII
// become their code.
func cname(name string) string {
	var s strings.Builder
	for _, r := range name {
		if r < 128 {
			s.WriteRune(r)
		} else {
			fmt.Fprintf(&s, "u%04x", r)
		}
	}
	if taken[s.String()] {
		s.WriteByte('_')
	}
	return s.String()
}

// local is the name of a variable of the function. A variable that hides another one of the function gets a number:
// v := v means the outer v in Go and the inner one in C.
func (f *function) local(v *types.Var) string {
	if name, ok := f.locals[v]; ok {
		return name
	}
	base := cname(v.Name())
	if f.u.lanes && laneWords[base] {
		base += "_"
	}
	name := base
	for n := 2; f.visible(name, v); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	f.locals[v] = name
	f.byName[name] = append(f.byName[name], v)
	return name
}

// visible tells whether a name stands for another variable where v is declared.
func (f *function) visible(name string, v *types.Var) bool {
	for _, other := range f.byName[name] {
		for s := v.Parent(); s != nil; s = s.Parent() {
			if s == other.Parent() || other.Parent() == nil {
				return true
			}
		}
		if v.Parent() == nil {
			return true
		}
	}
	return false
}

// fresh is a new name for an intermediate value.
func (f *function) fresh(base string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s%d", base, n)
		if !f.used[name] {
			f.used[name] = true
			return name
		}
	}
}

// identifiers collects every name in a function, so that new ones hit none of them.
func identifiers(d *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(d, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[cname(id.Name)] = true
		}
		return true
	})
	return names
}

// comment turns a Go comment into C++ lines, without directives.
func comment(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	var s strings.Builder
	for line := range strings.Lines(g.Text()) {
		line = strings.TrimRight(line, " \t\n\\")
		s.WriteString(strings.TrimRight("// "+line, " ") + "\n")
	}
	return s.String()
}

// prefix goes before the C names of what another package declares: its name.
func (u *unit) prefix(pkg *types.Package) string {
	if pkg == u.pkg.Types {
		return ""
	}
	return pkg.Name() + "_"
}
