package reductions

import (
	"bytes"
	"fmt"
	"strings"
)

// kernel is the text of a kernel's parts.
type kernel struct {
	marked
	sums, counts, extremes []member
	dims                   int
	call                   string // of the function of one entity
}

func (k *kernel) host() string {
	return strings.ToLower(k.kernel[:1]) + k.kernel[1:] + "OnHost"
}

// writeResult writes the type of the result.
func (k *kernel) writeResult(w *bytes.Buffer) {
	fmt.Fprintf(w, "\n// %s is the result of %s; it begins at 0.\ntype %s struct {\n", k.result, k.kernel, k.result)
	for _, m := range k.sums {
		fmt.Fprintf(w, "%s [exact.Words]int64\n", m.name)
	}
	for _, m := range k.counts {
		fmt.Fprintf(w, "%s int64\n", m.name)
	}
	for _, m := range k.extremes {
		if m.kind == "int64" {
			fmt.Fprintf(w, "%s int64 // the largest\n", m.name)
			continue
		}
		fmt.Fprintf(w, "%s %s\n", m.name, map[string]string{"max": "atomics.Most[float64]", "min": "atomics.Least[float64]",
			"first": "int64 // the first entity whose number is not finite: see exact.FirstBroken"}[m.how])
	}
	w.WriteString("}\n")
}

// entities is the declaration of n, the number of entities, and of the box's sides.
func (k *kernel) entities() string {
	if k.dims == 1 {
		return ""
	}
	return "nx, ny := cells.Hi[0]-cells.Lo[0], cells.Hi[1]-cells.Lo[1]\nn := nx*ny*(cells.Hi[2]-cells.Lo[2])\n"
}

// measure calls the function for entity `at` and adds what it returns. words is the text of the words of sum s.
func (k *kernel) measure(words func(s int) string) string {
	var b strings.Builder
	index := "i := at\n"
	if k.dims == 3 {
		index = "i, j, k := cells.Lo[0]+at%nx, cells.Lo[1]+at/nx%ny, cells.Lo[2]+at/nx/ny\n"
	}
	index = strings.Replace(index, "i, j, k", strings.Join(indexNames(k), ", "), 1)
	if k.dims == 1 {
		index = fmt.Sprintf("%s := at\n", indexNames(k)[0])
	}
	b.WriteString(index + "found := " + k.call + "\n")
	for s, m := range k.sums {
		fmt.Fprintf(&b, "sum%d.Add(found.%s, %s)\n", s, m.name, words(s))
	}
	for c, m := range k.counts {
		fmt.Fprintf(&b, "count%d += found.%s\n", c, m.name)
	}
	for e, m := range k.extremes {
		fmt.Fprintf(&b, "most%[1]d = max(most%[1]d, %[2]s)\n", e, map[string]string{
			"max":   "exact.OrderedBits(found." + m.name + ")",
			"min":   "exact.OrderedBits(-found." + m.name + ")",
			"first": "uint64(exact.Broken(int64(at), found." + m.name + "))",
			"int64": "uint64(found." + m.name + ")"}[m.bits()])
	}
	return b.String()
}

// bits tells how the member becomes an integer that grows with it.
func (m member) bits() string {
	if m.kind == "int64" {
		return m.kind
	}
	return m.how
}

func indexNames(k *kernel) (names []string) {
	for _, field := range k.decl.Type.Params.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
	}
	return names[:k.dims]
}

// begin declares what is added up.
func (k *kernel) begin() string {
	var b strings.Builder
	for s := range k.sums {
		fmt.Fprintf(&b, "var sum%d exact.Part\n", s)
	}
	for c := range k.counts {
		fmt.Fprintf(&b, "count%d := int64(0)\n", c)
	}
	for e := range k.extremes {
		fmt.Fprintf(&b, "most%d := uint64(0)\n", e)
	}
	return b.String()
}

// take adds an extreme to the result; most is the text of its bits.
func (k *kernel) take(e int, m member, most string) string {
	sign := ""
	switch m.bits() {
	case "first", "int64":
		return fmt.Sprintf("atomics.Max(&to.%s, int64(%s))\n", m.name, most)
	case "min":
		sign = "-"
	}
	return fmt.Sprintf("top%[1]d := %[2]s\nif top%[1]d != 0 {\nto.%[3]s.Take(%[4]sexact.FromOrderedBits(top%[1]d))\n}\n",
		e, most, m.name, sign)
}

// shared are the arrays in shared memory: columns of the threads' results, and the words of the sums.
func (k *kernel) shared() (list []string) {
	for _, a := range []struct {
		n    int
		text string
	}{{len(k.sums), "sums *[%d * exact.Threads]exact.Part"}, {len(k.sums), "words *[%d * exact.Words]int64"},
		{len(k.counts), "counts *[%d * exact.Threads]int64"}, {len(k.extremes), "extremes *[%d * exact.Threads]uint64"}} {
		if a.n > 0 {
			list = append(list, fmt.Sprintf(a.text, a.n))
		}
	}
	return list
}

// writeKernel writes the tile kernel: threads measure entities, and their results are merged in columns.
func (k *kernel) writeKernel(w *bytes.Buffer, typeParams string, arguments []string) {
	arguments = append(append([]string{"chunk int"}, arguments...), k.shared()...)
	fmt.Fprintf(w, "\n// %s reduces %s over the entities of a chunk; ReduceChunks tells how many there are.\n//\n"+
		"//atoll:kernel tile block=128 host=%s\nfunc %s%s(%s) {\n", k.kernel, k.decl.Name.Name, k.host(), k.kernel,
		typeParams, strings.Join(arguments, ", "))
	w.WriteString(k.entities())
	s, c, e := len(k.sums), len(k.counts), len(k.extremes)
	if s > 0 {
		fmt.Fprintf(w, "for w := range %d * exact.Words {\nwords[w] = 0\n}\n", s)
	}
	fmt.Fprintf(w, "for thread := range int32(exact.Threads) {\n%sfor turn := range 8 {\nat := chunk*reduceChunk + "+
		"turn*exact.Threads + int(thread)\nif at >= n {\nbreak\n}\n%s}\n", k.begin(),
		k.measure(func(s int) string { return fmt.Sprintf("words[%d*exact.Words:%d*exact.Words]", s, s+1) }))
	for s := range k.sums {
		fmt.Fprintf(w, "sums[%[1]d*exact.Threads+thread] = sum%[1]d\n", s)
	}
	for c := range k.counts {
		fmt.Fprintf(w, "counts[%[1]d*exact.Threads+thread] = count%[1]d\n", c)
	}
	for e := range k.extremes {
		fmt.Fprintf(w, "extremes[%[1]d*exact.Threads+thread] = most%[1]d\n", e)
	}
	w.WriteString("}\n")
	if s > 0 {
		fmt.Fprintf(w, "for g := range int32(%d * exact.Groups) {\nsum := g/exact.Groups*exact.Words\n"+
			"exact.MergeGroup(sums[:], g, words[sum:sum+exact.Words])\n}\n", s)
	}
	if c > 0 {
		fmt.Fprintf(w, "for g := range int32(%d * exact.Groups) {\nexact.AddGroup(counts[:], g)\n}\n", c)
	}
	if e > 0 {
		fmt.Fprintf(w, "for g := range int32(%d * exact.Groups) {\nexact.MaxGroup(extremes[:], g)\n}\n", e)
	}
	if s > 0 {
		fmt.Fprintf(w, "for s := range int32(%d) {\nexact.FlushColumn(sums[:], s, "+
			"words[s*exact.Words:(s+1)*exact.Words])\n}\n", s)
	}
	for c, m := range k.counts {
		fmt.Fprintf(w, "for range 1 {\natomic.AddInt64(&to.%s, exact.AddColumn(counts[:], %d))\n}\n", m.name, c)
	}
	for e, m := range k.extremes {
		fmt.Fprintf(w, "for range 1 {\n%s}\n", k.take(e, m, fmt.Sprintf("exact.MaxColumn(extremes[:], %d)", e)))
	}
	if s > 0 {
		w.WriteString("for w := range exact.Words {\n")
		for s, m := range k.sums {
			fmt.Fprintf(w, "if words[%[1]d*exact.Words+w] != 0 {\natomic.AddInt64(&to.%[2]s[w], "+
				"words[%[1]d*exact.Words+w])\n}\n", s, m.name)
		}
		w.WriteString("}\n")
	}
	w.WriteString("}\n")
}

// writeHost writes the loop for processors, over the chunks [lo, hi), which adds what it has found once.
func (k *kernel) writeHost(w *bytes.Buffer, typeParams, typeArgs string, arguments []string) {
	fmt.Fprintf(w, "\n// %s does the same for the chunks [lo, hi) on a processor.\nfunc %s%s(%s) {\n", k.host(), k.host(),
		typeParams, strings.Join(append([]string{"lo, hi int"}, arguments...), ", "))
	fmt.Fprintf(w, "%s%sfor at := lo*reduceChunk; at < min(n, hi*reduceChunk); at++ {\n%s}\n", k.entities(), k.begin(),
		k.measure(func(s int) string { return fmt.Sprintf("to.%s[:]", k.sums[s].name) }))
	for s, m := range k.sums {
		fmt.Fprintf(w, "sum%d.Flush(to.%s[:])\n", s, m.name)
	}
	for c, m := range k.counts {
		fmt.Fprintf(w, "atomic.AddInt64(&to.%s, count%d)\n", m.name, c)
	}
	for e, m := range k.extremes {
		w.WriteString(k.take(e, m, fmt.Sprintf("most%d", e)))
	}
	w.WriteString("}\n")
}
