package kernelgen

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/kernelgen/internal/source"
)

// operators are Go's binary operators in C++, with their precedences.
var operators = map[token.Token]cexpr{
	token.MUL: {"*", times}, token.QUO: {"/", times}, token.REM: {"%", times},
	token.ADD: {"+", plus}, token.SUB: {"-", plus},
	token.SHL: {"<<", shift}, token.SHR: {">>", shift},
	token.LSS: {"<", relation}, token.LEQ: {"<=", relation}, token.GTR: {">", relation}, token.GEQ: {">=", relation},
	token.EQL: {"==", equality}, token.NEQ: {"!=", equality},
	token.AND: {"&", bitAnd}, token.XOR: {"^", bitXor}, token.OR: {"|", bitOr},
	token.LAND: {"&&", logicalAnd}, token.LOR: {"||", logicalOr},
}

// helpers are the functions of the prelude for operators on signed integers that differ between Go and C++.
var helpers = map[token.Token]string{
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "quo", token.REM: "rem", token.SHL: "shl",
	token.SHR: "shr",
}

func (f *function) binary(e *ast.BinaryExpr) cexpr {
	t := f.typeOf(e.X)
	if f.u.pkg.Info.Types[e.X].Value != nil && e.Op != token.SHL && e.Op != token.SHR {
		t = f.typeOf(e.Y)
	}
	return f.arith(e, e.Op, t, e.X, e.Y)
}

// arith translates x op y for operands of type t; for shifts only x has type t.
func (f *function) arith(at ast.Node, op token.Token, t types.Type, x, y ast.Expr) cexpr {
	cx, cy := f.expr(x), f.expr(y)
	if op == token.AND_NOT {
		op, cy = token.AND, cexpr{"~" + cy.atLeast(unary), unary}
	}
	c, ok := operators[op]
	if !ok {
		f.refuse(at, "operator %s is not supported in kernels", op)
		return refusedExpr
	}
	kind := source.KindOf(t)
	if kind == 0 {
		if _, ok := t.Underlying().(*types.Pointer); !ok || c.prec != equality {
			f.refuse(at, "operator %s on %s: kernels compare and combine numbers and bools", op, f.u.typeString(t))
			return refusedExpr
		}
	}
	if kind&types.IsInteger != 0 && f.needsHelper(at, op, t, y) {
		return atom("%s(%s, %s)", helpers[op], f.argument(x, cx, t), f.argument(y, cy, f.typeOf(y)))
	}
	plain := cexpr{fmt.Sprintf("%s %s %s", cx.atLeast(c.prec), c.text, cy.atLeast(c.prec+1)), c.prec}
	if kind&types.IsInteger != 0 && c.prec != relation && c.prec != equality {
		return narrow(plain, t)
	}
	return plain
}

// needsHelper reports whether C++ may differ from Go: on overflow, division by zero or large shift counts.
func (f *function) needsHelper(at ast.Node, op token.Token, t types.Type, y ast.Expr) bool {
	unsigned := source.KindOf(t)&types.IsUnsigned != 0
	value := f.u.pkg.Info.Types[y].Value
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return !unsigned
	case token.QUO, token.REM:
		if value != nil && constant.Sign(value) == 0 {
			f.refuse(at, "division by zero")
		}
		return value == nil || constant.Sign(value) < 0
	case token.SHL, token.SHR:
		if value == nil || op == token.SHL && !unsigned {
			return true
		}
		n, exact := constant.Uint64Val(constant.ToInt(value))
		return !exact || n >= uint64(8*source.Sizes.Sizeof(t))
	}
	return false
}

// argument casts a constant to its type, so that C++ selects the right overload.
func (f *function) argument(e ast.Expr, x cexpr, t types.Type) string {
	b, ok := t.Underlying().(*types.Basic)
	if ok && f.u.pkg.Info.Types[e].Value != nil && b.Info()&types.IsInteger != 0 && b.Kind() != types.Int32 {
		return fmt.Sprintf("%s(%s)", basics[b.Kind()], x.text)
	}
	return x.text
}

// constant translates a constant of a basic type without rounding.
func (f *function) constant(at ast.Node, v constant.Value, t types.Type) cexpr {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		f.refuse(at, "a constant of type %s", f.u.typeString(t))
		return refusedExpr
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return atom("%t", constant.BoolVal(v))
	case b.Info()&types.IsInteger != 0:
		return f.integer(at, constant.ToInt(v), b)
	case b.Kind() == types.Float32:
		x, _ := constant.Float32Val(constant.ToFloat(v))
		return float(float64(x), 32)
	case b.Info()&types.IsFloat != 0:
		x, _ := constant.Float64Val(constant.ToFloat(v))
		return float(x, 64)
	}
	f.refuse(at, "a constant of type %s: kernels support bool, int, int32, int64, uint8, uint32, uint64, float32 and "+
		"float64", b)
	return refusedExpr
}

func (f *function) integer(at ast.Node, v constant.Value, b *types.Basic) cexpr {
	if b.Info()&types.IsUnsigned != 0 {
		n, _ := constant.Uint64Val(v)
		switch {
		case b.Kind() == types.Uint8:
			return atom("%d", n)
		case n > math.MaxUint32:
			return atom("%dull", n)
		}
		return atom("%du", n)
	}
	n, exact := constant.Int64Val(v)
	if !exact {
		f.refuse(at, "constant %s does not fit into 64 bits", v)
		return refusedExpr
	}
	switch {
	case n == math.MinInt64:
		return atom("(-%dll - 1)", math.MaxInt64)
	case n == math.MinInt32:
		return atom("(-%d - 1)", math.MaxInt32)
	case n > math.MaxInt32:
		return atom("%dll", n)
	case n < math.MinInt32:
		return cexpr{fmt.Sprintf("%dll", n), unary}
	case n < 0:
		return cexpr{strconv.FormatInt(n, 10), unary}
	}
	return atom("%d", n)
}

// float writes a number in decimal if that is short and exact, and otherwise in hexadecimal with a decimal comment.
func float(x float64, bits int) cexpr {
	prec, end := primary, ""
	if x < 0 {
		prec = unary
	}
	if bits == 32 {
		end = "f"
	}
	short := strconv.FormatFloat(x, 'f', -1, bits)
	exact := constant.Compare(constant.MakeFromLiteral(strings.TrimPrefix(short, "-"), token.FLOAT, 0), token.EQL,
		constant.MakeFloat64(math.Abs(x)))
	if exact && len(short) <= 9 {
		if !strings.Contains(short, ".") {
			short += ".0"
		}
		return cexpr{short + end, prec}
	}
	return cexpr{fmt.Sprintf("%s%s /* %s */", strconv.FormatFloat(x, 'x', -1, bits), end,
		strconv.FormatFloat(x, 'g', -1, bits)), prec}
}
