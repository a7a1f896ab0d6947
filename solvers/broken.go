package solvers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atoll-hpc/atoll/dist"
)

// Broken names, on all ranks alike, the entity of lowest key of which a field with a view holds an invalid number: one
// that is not finite, or below 0 where the field has none such. It returns "" where there is none. before are the same
// fields a step earlier, which it adds.
func Broken(ctx context.Context, comm dist.Comm, step int, fields, before []Field) (string, error) {
	key, text := int64(math.MaxInt64), ""
	for n := range fields {
		f := &fields[n]
		if f.View == nil {
			continue
		}
		h, err := f.hold()
		if err != nil {
			return "", err
		}
		i, k := f.worst(&h, &key)
		if i < 0 {
			continue
		}
		now := h.numbers(nil, i)
		text = f.brokenText(comm, step, i, k, now)
		if before == nil {
			continue
		}
		if h, err = before[n].hold(); err != nil {
			return "", err
		}
		text += ", before the step " + f.format(h.numbers(nil, i))
	}
	return ofLowest(ctx, comm, key, text)
}

// BrokenEntity is what Broken says of an entity that is known to be the rank's first, and of what it held: entity is -1
// on ranks where all is well.
func BrokenEntity(ctx context.Context, comm dist.Comm, step int, f *Field, entity int, held []float64) (string, error) {
	key, text := int64(math.MaxInt64), ""
	if entity >= 0 {
		key = f.On.Key(entity)
		k := slices.IndexFunc(held, func(v float64) bool { return v-v != 0 })
		text = f.brokenText(comm, step, entity, max(k, 0), held)
	}
	return ofLowest(ctx, comm, key, text)
}

func (f *Field) brokenText(comm dist.Comm, step, entity, number int, held []float64) string {
	return fmt.Sprintf("rank %d: %s %d%s, step %d: %s is %v in %s", comm.Rank(), f.On.Name, f.On.Key(entity),
		f.On.describe(entity), step, f.Numbers()[number], held[number], f.format(held))
}

// ofLowest is the text of the rank with the lowest key; "" where no rank has one.
func ofLowest(ctx context.Context, comm dist.Comm, key int64, text string) (string, error) {
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

// worst finds the owned entity of a key below the given one, the lowest of those, that has a number that cannot be, and
// which; -1 for none.
func (f *Field) worst(h *readable, key *int64) (entity, number int) {
	entity = -1
	names := f.Numbers()
	var values []float64
	for i := range f.On.Owned {
		values = h.numbers(values[:0], i)
		for k, v := range values {
			if (v-v != 0 || v < 0 && slices.Contains(f.NotNegative, names[k])) && f.On.Key(i) < *key {
				entity, number, *key = i, k, f.On.Key(i)
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

// describe is the position of an entity, if the space has positions.
func (s *Space) describe(i int) string {
	if s.At == nil {
		return ""
	}
	text := " at ("
	for k, x := range s.At(i) {
		if k > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.6g", x)
	}
	return text + ")"
}
