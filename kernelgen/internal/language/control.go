package language

// Control has every kind of loop and branch.
//
//atoll:kernel
func Control(i int, x []int64, out []int64) {
	v := x[i]
	sum := int64(0)
	for k := 0; k < 10; k++ {
		if k == 3 {
			continue
		}
		if sum > 1<<40 {
			break
		}
		sum += int64(k) ^ v
	}
	for k := range 5 {
		sum += int64(k)
	}
	for k := range v & 7 {
		sum -= k
	}
	for range 3 {
		sum *= 3
	}
	for v&1 == 1 {
		v >>= 1
		v &= 0xffff
	}
	turns := 0
	for {
		turns++
		if turns > 4 {
			break
		}
	}
	for a, b := 0, 10; a < b; a += 2 {
		b--
		sum += int64(a * b)
	}
	for k := uint8(250); k >= 250; k++ {
		sum++
	}
	for k := 7; k > 0; k-- {
		sum ^= int64(k)
	}
	for k := 0; k < 20; k++ {
		k += turns
		sum += int64(k)
	}
	if w := v & 3; w == 0 {
		sum += 10
	} else if w := w + 1; w == 2 {
		sum += w
	} else if a, b := pair(w); a > b {
		sum += a
	} else {
		sum -= b
	}
	out[i] = sum + int64(turns) + cases(v) + chain(v) + named(v) + shadows(v)
}

func pair(x int64) (int64, int64) { return x + 1, x * 2 % 5 }

// cases has every kind of switch.
func cases(v int64) int64 {
	total := int64(0)
	for k := int64(0); k < 12; k++ {
		switch k + v%3 {
		case 0, 1:
			total += 1
		case 2:
			if v > 100 {
				break
			}
			total += 10
		case 3:
			continue
		case -1:
		default:
			total += 100
		}
		switch y := k * 2; {
		case y > 15, y == 2:
			total += 1000
		case y > 10:
			if v < 0 {
				break
			}
			total += 10000
		default:
			total++
		}
	}
	switch {
	default:
		total *= 2
	}
	return total
}

func chain(v int64) int64 {
	limit := v & 15
	switch v & 31 {
	case limit, limit + 1:
		return 5
	case 2 * limit:
		return 6
	}
	return 7
}

// named has a named result, and both a bare return and one with a value.
func named(v int64) (r int64) {
	if v < 0 {
		r = 3
		return
	}
	a, b, c := three(v)
	_, d := pair(v)
	r, e := pair(a + d)
	x, y, z := again(v)
	return a + b*2 + c*4 + r + e + x + y ^ z
}

func three(v int64) (a, b, c int64) {
	a, b = v, v+1
	if v > 1000 {
		return 1, 2, 3
	}
	c = a + b
	return
}

func again(v int64) (int64, int64, int64) { return three(v / 2) }

// shadows has variables that hide others, and names that are reserved words in C++.
func shadows(v int64) int64 {
	int32 := v
	{
		v := v + 1
		{
			v := v * 2
			int32 += v
		}
		int32 ^= v
	}
	for v := v & 7; v < 5; v++ {
		new := v
		int32 += new
	}
	template, λ := v, v+2
	return int32 + template*λ
}

// Swaps has parallel assignments whose result depends on the order of evaluation.
//
//atoll:kernel
func Swaps(i int, x []int64, out [][6]int64) {
	a, b := x[i], x[i]*3
	a, b = b, a
	a, b = a+b, a-b
	p := Pair{a, b}
	p.A, p.B = p.B, p.A
	q := &p
	q.A, q.B = q.B+1, q.A+p.A
	var list [6]int64
	for k := range list {
		list[k] = int64(k) + a
	}
	k := 1
	k, list[k] = 3, 77
	list[k], list[k-1] = list[k-1], list[k]
	list[0], list[5] = p.A, p.B
	r, s := &list[1], &list[1]
	list[1], list[2] = *r+1, *s+2
	copied := list
	list[4] = 0
	list[4] = copied[4] + int64(len(copied))
	p, k = p.swapped(), k+int(p.A&1)
	list[3] += p.A + int64(k)
	out[i] = list
}

// Pair has a method that swaps its fields.
type Pair struct{ A, B int64 }

func (p Pair) swapped() Pair {
	p.A, p.B = p.B, p.A
	return p
}
