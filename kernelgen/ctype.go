package kernelgen

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// basics maps Go's basic types to types of CUDA C, some of which are typedefs of the prelude.
var basics = map[types.BasicKind]string{
	types.Bool:    "bool",
	types.Int:     "int64",
	types.Int32:   "int32",
	types.Int64:   "int64",
	types.Uint8:   "uint8",
	types.Uint32:  "uint32",
	types.Uint64:  "uint64",
	types.Float32: "float",
	types.Float64: "double",

	types.UntypedBool:  "bool",
	types.UntypedInt:   "int64",
	types.UntypedRune:  "int32",
	types.UntypedFloat: "double",
}

// ctype returns the CUDA C type of a concrete Go type. It emits the structs that the type needs.
func (u *unit) ctype(at ast.Node, t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if name, ok := basics[t.Kind()]; ok {
			return name
		}
		u.refuse(at, "type %s: kernels support bool, int, int32, int64, uint8, uint32, uint64, float32 and float64", t)
	case *types.Pointer:
		if _, ok := t.Elem().Underlying().(*types.Pointer); ok {
			u.refuse(at, "type %s: a pointer to a pointer", u.typeString(t))
			break
		}
		if u.passedByValue(t.Elem()) {
			return "const " + u.ctype(at, t.Elem()) + " *"
		}
		return u.ctype(at, t.Elem()) + " *"
	case *types.Slice:
		if !u.holdsNoReference(t.Elem()) {
			u.refuse(at, "type %s: the elements of a slice must be values, without pointers and slices", u.typeString(t))
			break
		}
		return "Slice<" + u.ctype(at, t.Elem()) + ">"
	case *types.Array:
		return fmt.Sprintf("Array<%s, %d>", u.ctype(at, t.Elem()), t.Len())
	case *types.Named:
		if s, ok := t.Underlying().(*types.Struct); ok {
			return u.structType(at, t, s)
		}
		if b, ok := t.Underlying().(*types.Basic); ok {
			return u.ctype(at, b)
		}
		return u.ctype(at, t.Underlying())
	case *types.Interface:
		u.refuse(at, "type %s: kernels have no interfaces", u.typeString(t))
	case *types.Map:
		u.refuse(at, "type %s: kernels have no maps", u.typeString(t))
	case *types.Chan:
		u.refuse(at, "type %s: kernels have no channels", u.typeString(t))
	case *types.Signature:
		u.refuse(at, "type %s: kernels have no function values", u.typeString(t))
	case *types.Struct:
		u.refuse(at, "a struct type without a name: declare it")
	default:
		u.refuse(at, "type %s is not supported in kernels", u.typeString(t))
	}
	return "int32"
}

// holdsNoReference reports whether a type holds neither pointers nor slices.
func (u *unit) holdsNoReference(t types.Type) bool { return !holds(t, isReference) }

func isReference(t types.Type) bool {
	switch t.(type) {
	case *types.Basic, *types.Struct, *types.Array:
		return false
	}
	return true
}

func isSlice(t types.Type) bool {
	_, ok := t.(*types.Slice)
	return ok
}

// holds reports whether t, or a type inside of t through structs and arrays, satisfies the predicate.
func holds(t types.Type, predicate func(types.Type) bool) bool {
	t = t.Underlying()
	if predicate(t) {
		return true
	}
	switch t := t.(type) {
	case *types.Array:
		return holds(t.Elem(), predicate)
	case *types.Struct:
		for f := range t.Fields() {
			if holds(f.Type(), predicate) {
				return true
			}
		}
	}
	return false
}

// passedByValue reports whether a struct is passed to kernels by value and must not be written through a pointer.
func (u *unit) passedByValue(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return false
	}
	return u.pkg.Specs[n.Origin().Obj()].Constant || holds(n, isSlice)
}

// cstruct is an emitted struct.
type cstruct struct {
	name   string
	origin *types.Named
	fields map[*types.Var]string // by the field of the generic declaration
	text   string
}

// structType emits a struct once for each instance and returns its name.
func (u *unit) structType(at ast.Node, t *types.Named, s *types.Struct) string {
	if isReduction(t) {
		return fmt.Sprintf("%s<%s>", t.Obj().Name(), u.ctype(at, t.TypeArgs().At(0)))
	}
	name := cname(u.prefix(t.Obj().Pkg()) + t.Obj().Name() + suffix(typeList(t.TypeArgs())))
	if !u.pkg.IsSource(t.Obj().Pkg()) {
		u.refuse(at, "type %s belongs to the standard library: kernels cannot use its types", u.typeString(t))
		return name
	}
	if c, ok := u.structs[name]; ok {
		if c.origin != t.Origin() {
			u.refuse(at, "%s and %s both become %s in CUDA C: rename one", u.typeString(t), u.typeString(c.origin), name)
		}
		return name
	}
	decl, ok := u.pkg.Specs[t.Origin().Obj()]
	if !ok {
		u.refuse(at, "type %s is declared inside a function: declare it at package level", u.typeString(t))
		return name
	}
	c := &cstruct{name: name, origin: t.Origin(), fields: map[*types.Var]string{}}
	u.structs[name] = c // before the fields: Go allows no recursive structs

	fields, checks, ids, ctypes := u.fieldsOf(c, decl.Spec, t, s)
	align := ""
	if a := u.vectorAlign(t); a > source.Sizes.Alignof(s) && !u.lanes {
		align = fmt.Sprintf("alignas(%d) ", a)
	}
	if source.Sizes.Sizeof(s) == 0 {
		u.refuse(decl.Spec, "struct %s is empty", t.Obj().Name())
	}
	c.text = fmt.Sprintf("%s// %s, %s\nstruct %s%s {\n%s};\n%s, \"%s\");\n", comment(decl.Doc), u.typeString(t),
		u.pkg.Location(decl.Spec), align, name, fields, join(checks, " && ", "\n    ", 0), name) +
		u.laneStruct(c, s, ids, ctypes)
	u.structOrder = append(u.structOrder, c)
	return name
}

// fieldsOf returns the C++ declarations of a struct's fields, the assertions about its size and offsets, and the
// fields' names and types in C++.
func (u *unit) fieldsOf(c *cstruct, spec *ast.TypeSpec, t *types.Named, s *types.Struct) (
	fields string, checks, ids, ctypes []string) {
	origin := t.Origin().Underlying().(*types.Struct)
	var list strings.Builder
	checks = []string{fmt.Sprintf("static_assert(sizeof(%s) == %d", c.name, source.Sizes.Sizeof(s))}
	offsets := source.Sizes.Offsetsof(structFields(s))
	lastType := ""
	for i := range s.NumFields() {
		f := s.Field(i)
		if _, ok := f.Type().Underlying().(*types.Pointer); ok {
			u.refuse(spec, "field %s of %s is a pointer: structs hold values and slices", f.Name(), t.Obj().Name())
			continue
		}
		id := cname(f.Name())
		if f.Name() == "_" {
			id = fmt.Sprintf("blank%d", i)
		}
		if u.pkg.Types.Scope().Lookup(f.Name()) != nil {
			id += "_" // in C++ a field hides a type of its name
		}
		c.fields[origin.Field(i)] = id
		ct := u.ctype(spec, f.Type())
		switch {
		case ct == lastType && u.pkg.Fset.Position(f.Pos()).Line == u.pkg.Fset.Position(s.Field(i-1).Pos()).Line:
			fmt.Fprintf(&list, ", %s", id)
		case lastType != "":
			fmt.Fprintf(&list, ";\n    %s %s", ct, id)
		default:
			fmt.Fprintf(&list, "    %s %s", ct, id)
		}
		lastType = ct
		ids, ctypes = append(ids, id), append(ctypes, ct)
		checks = append(checks, fmt.Sprintf("offsetof(%s, %s) == %d", c.name, id, offsets[i]))
	}
	if lastType != "" {
		list.WriteString(";\n")
	}
	return list.String(), checks, ids, ctypes
}

// isReduction reports whether a type is atomics.Least or atomics.Most.
func isReduction(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == source.AtomicsPath && n.TypeArgs().Len() == 1
}

func structFields(s *types.Struct) []*types.Var {
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	return fields
}

// vectorAlign returns the alignment with which the GPU loads and stores a struct in words of 8 or 16 bytes, or 0. It is
// the larger one that divides the struct's size, for structs that hold only numbers, are elements of slices, and are no
// part of other types. The alignment does not change the size and offsets.
func (u *unit) vectorAlign(t *types.Named) int64 {
	name := t.Origin().Obj()
	if !u.elements[name] || u.parts[name] || !u.holdsNoReference(t) {
		return 0
	}
	size := source.Sizes.Sizeof(t)
	for _, a := range []int64{16, 8} {
		if size%a == 0 {
			return a
		}
	}
	return 0
}

// classifyStructs records which structs of the package are elements of slices, and which are parts of arrays and other
// structs.
func (u *unit) classifyStructs() {
	note := func(set map[*types.TypeName]bool, t types.Type) {
		if n, ok := types.Unalias(t).(*types.Named); ok {
			set[n.Origin().Obj()] = true
		}
	}
	pointed := u.pkg.PointedArrays()
	for e, tv := range u.pkg.Info.Types {
		if _, ok := e.(*ast.ArrayType); !ok {
			continue
		}
		if array, ok := tv.Type.(*types.Array); ok && pointed[e] {
			note(u.elements, array.Elem())
			continue
		}
		switch t := tv.Type.(type) {
		case *types.Slice:
			note(u.elements, t.Elem())
		case *types.Array:
			note(u.parts, t.Elem())
		}
	}
	for name := range u.pkg.Specs {
		if s, ok := name.Type().Underlying().(*types.Struct); ok {
			for f := range s.Fields() {
				note(u.parts, f.Type())
			}
		}
	}
}

// typeString returns a type as Go source of the package.
func (u *unit) typeString(t types.Type) string { return types.TypeString(t, u.pkg.Qualify) }

func typeList(l *types.TypeList) []types.Type {
	var list []types.Type
	for t := range l.Types() {
		list = append(list, t)
	}
	return list
}

// suffix returns the suffix of an instance of a generic type or function, such as _f32.
func suffix(args []types.Type) string {
	var s strings.Builder
	for _, a := range args {
		switch b, _ := a.Underlying().(*types.Basic); {
		case b != nil && b.Kind() == types.Float32:
			s.WriteString("_f32")
		case b != nil && b.Kind() == types.Float64:
			s.WriteString("_f64")
		default:
			name := types.TypeString(a, (*types.Package).Name)
			s.WriteString("_" + strings.NewReplacer(".", "_", "[", "_", "]", "", ",", "_").Replace(name))
		}
	}
	return s.String()
}

// subst replaces type parameters by their values in env.
func subst(t types.Type, env map[*types.TypeParam]types.Type, ctx *types.Context) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if to, ok := env[t]; ok {
			return to
		}
	case *types.Pointer:
		return types.NewPointer(subst(t.Elem(), env, ctx))
	case *types.Slice:
		return types.NewSlice(subst(t.Elem(), env, ctx))
	case *types.Array:
		return types.NewArray(subst(t.Elem(), env, ctx), t.Len())
	case *types.Tuple:
		var vars []*types.Var
		for v := range t.Variables() {
			vars = append(vars, types.NewVar(v.Pos(), v.Pkg(), v.Name(), subst(v.Type(), env, ctx)))
		}
		return types.NewTuple(vars...)
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		var args []types.Type
		for a := range t.TypeArgs().Types() {
			args = append(args, subst(a, env, ctx))
		}
		if inst, err := types.Instantiate(ctx, t.Origin(), args, false); err == nil {
			return inst
		}
	}
	return t
}
