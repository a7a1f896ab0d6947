package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
)

// FirstInvalid finds, among all fields with a view, the entity of lowest key that has an invalid number: one that is
// not finite, or that is negative although Field.NotNegative lists it. It returns a text about the entity and the
// number, the same on all ranks, or "" if all numbers are valid. before are the same fields one step earlier, whose
// values the text then contains too; it may be nil.
func FirstInvalid(ctx context.Context, comm dist.Comm, step int, fields, before []Field) (string, error) {
	lowestKey, text := int64(math.MaxInt64), ""
	for n := range fields {
		f := &fields[n]
		if f.View == nil {
			continue
		}
		h, err := f.onHost()
		if err != nil {
			return "", err
		}
		i, k := f.firstInvalid(&h, &lowestKey)
		if i < 0 {
			continue
		}
		values := h.numbers(nil, i)
		text = f.invalidText(comm, step, i, k, values)
		if before == nil {
			continue
		}
		if h, err = before[n].onHost(); err != nil {
			return "", err
		}
		text += ", before the step " + f.format(h.numbers(nil, i))
	}
	return textOfLowestKey(ctx, comm, lowestKey, text)
}

// DescribeInvalid returns the text of FirstInvalid if each rank has already found its invalid entity of lowest key, and
// copied the values there. entity is -1 on ranks whose values are all valid.
func DescribeInvalid(ctx context.Context, comm dist.Comm, step int, f *Field, entity int,
	values []float64) (string, error) {
	key, text := int64(math.MaxInt64), ""
	if entity >= 0 {
		key = f.Space.Key(entity)
		k := slices.IndexFunc(values, func(v float64) bool { return v-v != 0 })
		text = f.invalidText(comm, step, entity, max(k, 0), values)
	}
	return textOfLowestKey(ctx, comm, key, text)
}

func (f *Field) invalidText(comm dist.Comm, step, entity, number int, values []float64) string {
	return fmt.Sprintf("rank %d: %s %d%s, step %d: %s is %v in %s", comm.Rank(), f.Space.Name, f.Space.Key(entity),
		f.Space.describe(entity), step, f.Numbers()[number], values[number], f.format(values))
}

// textOfLowestKey returns, on all ranks, the text of the rank with the lowest key; "" if all keys are MaxInt64.
func textOfLowestKey(ctx context.Context, comm dist.Comm, key int64, text string) (string, error) {
	least := []int64{key}
	if err := comm.AllreduceInt64(ctx, dist.Min, least); err != nil || least[0] == math.MaxInt64 {
		return "", err
	}
	if key != least[0] {
		text = ""
	}
	_, text, err := dist.FirstText(ctx, comm, text)
	return text, err
}

// firstInvalid finds the owned entity with an invalid number whose key is the lowest and less than *key, and lowers
// *key to it. It returns the entity, -1 for none, and the index of the number.
func (f *Field) firstInvalid(h *hostField, key *int64) (entity, number int) {
	entity = -1
	names := f.Numbers()
	var values []float64
	for i := range f.Space.Owned {
		values = h.numbers(values[:0], i)
		for k, v := range values {
			if (v-v != 0 || v < 0 && slices.Contains(f.NotNegative, names[k])) && f.Space.Key(i) < *key {
				entity, number, *key = i, k, f.Space.Key(i)
			}
		}
	}
	return entity, number
}

// format lists the numbers of an entity.
func (f *Field) format(values []float64) string {
	text := "{"
	for k, name := range f.Numbers() {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s: %v", name, values[k])
	}
	return text + "}"
}

// describe formats the position of an entity; "" if the space has no positions.
func (s *Space) describe(i int) string {
	if s.Position == nil {
		return ""
	}
	text := " at ("
	for k, x := range s.Position(i) {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.6g", x)
	}
	return text + ")"
}
