package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// reservedWords are the words of CUDA C and of the prelude, which cannot be names of variables.
var reservedWords = func() map[string]bool {
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

// cname returns the CUDA C name of a Go identifier: reserved words get an underscore, and letters outside of ASCII
// become uXXXX.
func cname(name string) string {
	var s strings.Builder
	for _, r := range name {
		if r < 128 {
			s.WriteRune(r)
		} else {
			fmt.Fprintf(&s, "u%04x", r)
		}
	}
	if reservedWords[s.String()] {
		s.WriteByte('_')
	}
	return s.String()
}

// local returns the C name of a variable. A variable that shadows another one of the function gets a number, since the
// right side of v := v is the outer v in Go and the inner one in C.
func (f *function) local(v *types.Var) string {
	if name, ok := f.locals[v]; ok {
		return name
	}
	base := cname(v.Name())
	if f.u.lanes && laneWords[base] {
		base += "_"
	}
	name := base
	for n := 2; f.shadows(name, v); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	f.locals[v] = name
	f.byName[name] = append(f.byName[name], v)
	return name
}

// shadows reports whether the name denotes another variable where v is declared.
func (f *function) shadows(name string, v *types.Var) bool {
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

// newName returns an unused name for a temporary.
func (f *function) newName(base string) string {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s%d", base, n)
		if !f.used[name] {
			f.used[name] = true
			return name
		}
	}
}

// identifiers returns all C names of identifiers in a function.
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

// comment converts a Go comment to C++ lines, without directives.
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

// prefix returns the prefix of C names of a package: its name, or nothing for the package of the kernels.
func (u *unit) prefix(pkg *types.Package) string {
	if pkg == u.pkg.Types {
		return ""
	}
	return pkg.Name() + "_"
}
